import type { Clock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { type ChannelAdapter, defineChannel } from "gangway-messenger/port";
import { expect, it } from "vitest";
import { readRows } from "../../support/engine.ts";
import { CRM, OWN, runningSite } from "../../support/site.ts";
import { until } from "../../support/until.ts";
import { bottles } from "../contract/toy/bottles.ts";

/** At first the real time; once hurried, half a minute of the server in a second of the test. */
function hurriedClock() {
  let [began, speed] = [Date.now(), 1];
  let passed = began;
  const now = () => passed + (Date.now() - began) * speed;
  const clock: Clock = {
    ...{ now, monotonic: now },
    after(ms, run) {
      const timer = setTimeout(run, ms / speed);
      return () => clearTimeout(timer);
    },
  };
  const hurry = () => {
    [passed, began, speed] = [now(), Date.now(), 30];
  };
  return { clock, hurry };
}

/** Of a package that has been taken out: nothing leaves while it is stormy. */
let isStormy = false;
const installed = defineChannel({
  ...bottles,
  open: (context) => {
    const session = bottles.open(context);
    return {
      ...session,
      send: async (...args) => {
        if (isStormy) throw new DeliveryError({ type: "retry" }, "a storm");
        return session.send(...args);
      },
    };
  },
});

it("a channel whose messenger is not installed rests with the reason, and works again when it is back", async () => {
  let isAway = false;
  const { clock, hurry } = hurriedClock();
  const acks: string[] = [];
  let sandbox: Awaited<ReturnType<typeof runningSite>>["sandbox"] | undefined;
  let folder: string | undefined;
  const serverWith = async (...adapters: ChannelAdapter[]) => {
    const site = await runningSite({
      ...{ adapters, clock, sandbox, folder },
      call: (real) => async (request) => {
        if (request.url.endsWith("/messages/ack")) acks.push(String(request.body));
        return isAway && request.url.startsWith(CRM) && request.url.endsWith("/messages")
          ? { type: "failure", sent: "no", reason: "refused", detail: "away" }
          : real(request);
      },
    });
    ({ sandbox, folder } = site);
    const cookie = await site.connect();
    const said = () => site.sandbox.world.messages.map(({ text }) => text);
    const { registration } = site.sandbox.world.modules.get("gangway") ?? {};
    const [channel_id] = [...site.sandbox.world.channels.keys()];
    const agent = async (id: number, content: string) => {
      const data = { channel_id, external_chat_id: "ship", external_user_id: "ship", id, type: "text" };
      const quote = { quote_content: null, quote_external_id: null };
      const answer = await site.ask((registration?.integrations.mgTransport?.webhookUrl ?? "").replace(OWN, ""), {
        method: "POST",
        headers: { clientid: registration?.clientId ?? "" },
        body: JSON.stringify({
          ...{ type: "message_sent", meta: { timestamp: 1 } },
          data: { ...data, ...quote, content },
        }),
      });
      return [answer.status, JSON.stringify(await answer.json())];
    };
    return { ...site, cookie, said, agent };
  };
  const bottle = (site: Awaited<ReturnType<typeof serverWith>>, door: string, id: string) => {
    const body = JSON.stringify({ id, from: "ship", text: id });
    return site.ask(`/m/${door}`, { method: "POST", headers: { "x-tide": "tide" }, body });
  };

  let site = await serverWith(installed);
  await site.submit(
    "/account/channels",
    { formToken: await site.formToken(site.cookie), kind: "bottles", name: "Shore" },
    { cookie: site.cookie },
  );
  const doorOf = async () =>
    site.stored(async (store) => {
      const [account] = await store.accounts.list();
      return account ? ((await store.channels.list(account.id))[0]?.door ?? "") : "";
    });
  const door = await doorOf();
  site = await serverWith(installed);
  expect((await bottle(site, door, "ahoy")).status).toBe(200);
  await until("the first message", () => site.said().includes("ahoy"));
  // One message each way waits when the server ends.
  [isStormy, isAway] = [true, true];
  expect(await site.agent(71, "wait for me")).toEqual([200, expect.stringContaining("async")]);
  expect((await bottle(site, door, "still here")).status).toBe(200);
  await site.close();
  [isStormy, isAway] = [false, false];

  site = await serverWith();
  // Not before its attempt: the agent's patience must not end in the storm.
  await until("the attempt", async () => {
    const { message = [] } = await readRows(site.folder, ["message"]);
    return message.some(
      ({ direction, error }) => direction === "outbound" && String(error).includes("is not installed"),
    );
  });
  hurry();
  const later = await bottle(site, door, "anybody?");
  expect([later.status, later.headers.get("retry-after")]).toEqual([503, "60"]);
  expect(await site.agent(72, "hello")).toEqual([422, expect.stringContaining("is not installed on this server")]);
  const why = "the messenger &quot;bottles&quot; is not installed on this server";
  await until("the reason on the page", async () => (await site.page(site.cookie)).includes(why));
  await until("the agent's ack", () => acks.some((ack) => ack.includes('"id":71') && ack.includes("is not installed")));
  await site.close();

  site = await serverWith(installed);
  await until("the customer's message", () => site.said().includes("still here"));
  expect((await bottle(site, door, "anybody?")).status).toBe(200);
  expect(await site.agent(73, "hello again")).toEqual([200, expect.stringContaining("async")]);
  await until("the page without the reason", async () => !(await site.page(site.cookie)).includes(why));
});
