import type { Call } from "gangway-messenger/call";
import { systemClock } from "gangway-messenger/clock";
import { callFrom } from "gangway-messenger/kit/call";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOutgoing } from "../../../../src/calls/outgoing.ts";
import { FORBIDDEN, openTripwire, resolveToLoopback } from "../../../../test/support/forbidden-addresses.ts";
import { OWN, runningSite } from "../../../../test/support/site.ts";
import { until } from "../../../../test/support/until.ts";
import { CUSTOMER, createEmulator, SECRET } from "../../emulator/emulator.ts";
import { signedRequest } from "../support.ts";

const APP = "https://app.example";

/** A running server, and an app whose address only this test's calls can reach. */
async function running(around?: Call) {
  const app = createEmulator({
    origin: () => APP,
    clock: { now: systemClock.now, after: () => () => {} },
    deliver: async (request) => site.app.fetch(request, {}),
  });
  const toApp = around ?? callFrom(app.site);
  const site = await runningSite({
    call: (real) => (request) => (request.url.startsWith(APP) || around ? toApp : real)(request),
  });
  const fetch = async (request: Request) => site.app.fetch(request, {});
  return { ...site, app, fetch };
}

async function connected(settings: Record<string, string> = app()) {
  const site = await running();
  const cookie = await site.connect();
  const formToken = await site.formToken(cookie);
  const fields = { formToken, kind: "http", name: "Own app", ...settings };
  const added = await site.submit("/account/channels", fields, { cookie });
  const page = await site.page(cookie);
  const door = /<code[^>]*>(https:\/\/gangway\.example\/m\/[\w-]{43})<\/code>/.exec(page)?.[1] ?? "";
  const { registration } = site.sandbox.world.modules.get("gangway") ?? {};
  const hook = (registration?.integrations.mgTransport?.webhookUrl ?? "").replace(OWN, "");
  const agent = (type: string, data: object) => {
    const [channel] = site.sandbox.world.channels.values();
    const place = { channel_id: channel?.id, external_chat_id: CUSTOMER.id, external_user_id: CUSTOMER.id };
    const body = JSON.stringify({ type, meta: { timestamp: 1 }, data: { ...place, ...data } });
    return site.ask(hook, { method: "POST", headers: { clientid: registration?.clientId ?? "" }, body });
  };
  const says = (id: number, content: string) =>
    agent("message_sent", { id, type: "text", content, quote_content: null, quote_external_id: null });
  return { ...site, cookie, formToken, added, page, door, agent, says };
}
const app = () => ({ "setting.callbackUrl": `${APP}/callback`, "setting.signingSecret": SECRET });

describe("an app", () => {
  it("is told of its channel, brings a customer's message to the CRM, and gets the agent's answer", async () => {
    const site = await connected();
    expect(site.app.events).toMatchObject([{ type: "channel.connected", data: { name: "Own app", door: site.door } }]);
    await site.app.says({ text: "Is the rope blue?" });
    await until("the delivery", () => site.sandbox.world.messages.length === 1);
    expect(site.sandbox.world.messages.map(({ text }) => text)).toEqual(["Is the rope blue?"]);
    expect((await site.says(71, "It is.")).status).toBe(200);
    await until("the answer", () => site.app.messages.some(({ text }) => text === "It is."));
    await until("the mark", () => site.app.messages[0]?.status === "delivered");
  });

  it("brings a message once, however often it sends it", async () => {
    const site = await connected();
    const data = { chat: CUSTOMER.id, id: "m-1", text: "hello", customer: CUSTOMER };
    for (const id of ["evt_1", "evt_1", "evt_2"])
      expect((await site.app.tells("message.created", data, id)).status).toBe(200);
    await until("the delivery", () => site.sandbox.world.messages.length > 0);
    await site.app.tells("message.created", { ...data, id: "m-2" });
    await until("the delivery", () => site.sandbox.world.messages.length > 1);
    expect(site.sandbox.world.messages).toHaveLength(2);
  });

  it("brings a message that quotes one which nobody knows, and one with a file that cannot be fetched", async () => {
    const site = await connected();
    const file = { url: `${APP}/files/gone.png` };
    await site.app.says({ text: "about that", quote: { id: "unknown" } });
    await site.app.says({ text: "look", files: [file] });
    await until("the delivery", () => site.sandbox.world.messages.length > 1);
    const said = site.sandbox.world.messages.map(({ text, note }) => text || note);
    expect(said[0]).toBe("about that");
    expect(said[1]).toContain("look");
  });

  it("without an address asks for what it has missed, with its secret", async () => {
    const site = await connected({ "setting.signingSecret": SECRET });
    const ask = async (query: string) => {
      const request = signedRequest(site.door + query, "", { method: "GET" });
      return (await (await site.fetch(request)).json()) as { events: { data: { text: string } }[]; cursor: string };
    };
    const data = { chat: CUSTOMER.id, id: "m-1", text: "hello", customer: CUSTOMER };
    const said = await site.fetch(signedRequest(site.door, { type: "message.created", data }));
    expect(said.status).toBe(200);
    await until("the delivery", () => site.sandbox.world.messages.length === 1);
    await site.says(71, "hi");
    type Page = Awaited<ReturnType<typeof ask>>;
    const texts = ({ events }: Page) => events.flatMap(({ data: told }) => ("text" in told ? told.text : []));
    const page = await until("the answer", async () => {
      const found = await ask("");
      return texts(found).length > 0 ? found : undefined;
    });
    expect(texts(page)).toEqual(["hi"]);
    expect(texts(await ask(`?after=${page.cursor}`))).toEqual([]);
  });

  it("that does not take the channel is named when it is saved, and no channel is added", async () => {
    const site = await running();
    const cookie = await site.connect();
    site.app.answers(500);
    const fields = { formToken: await site.formToken(cookie), kind: "http", name: "Own app", ...app() };
    const added = await site.submit("/account/channels", fields, { cookie });
    expect(added.status).not.toBe(303);
    expect(await added.text()).toContain("status 500");
  });
});

describe("the document of the API", () => {
  it("is served, for every site", async () => {
    const site = await running();
    const answer = await site.ask("/channels/http/openapi.json");
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer.json()).toMatchObject({ openapi: "3.1.1", servers: [{ url: "/m" }] });
    expect((await site.ask("/channels/http/other.json")).status).toBe(404);
  });
});

describe("an app's address that leads into our own network", () => {
  /** Production's outgoing calls, with every name resolving to this machine. */
  const guarded = async () => {
    const outgoing = createOutgoing({ resolve: resolveToLoopback });
    onTestFinished(() => outgoing.close());
    const blocked: string[] = [];
    const site = await runningSite({
      call: (real) => async (request) => {
        if (request.url.startsWith("http://127.0.0.1:7001")) return real(request);
        const result = await outgoing.call(request);
        if (result.type === "failure") blocked.push(result.reason);
        return result;
      },
    });
    return { ...site, blocked };
  };

  it(`is never connected to, in ${FORBIDDEN.length} forms, and refused in the same words`, async () => {
    const tripwire = await openTripwire();
    const site = await guarded();
    const cookie = await site.connect();
    const formToken = await site.formToken(cookie);
    const words = new Set<string>();
    for (const form of [...FORBIDDEN, "https://app.example/"]) {
      const url = form.replace("PORT", String(tripwire.port));
      const fields = {
        formToken,
        kind: "http",
        name: "App",
        "setting.callbackUrl": url,
        "setting.signingSecret": SECRET,
      };
      const added = await site.submit("/account/channels", fields, { cookie });
      expect(added.status, form).not.toBe(303);
      const page = await added.text();
      words.add(
        /the app cannot be reached at its address|[Ee]nter an address such as/.exec(page)?.[0].toLowerCase() ?? form,
      );
    }
    expect(site.blocked.length).toBeGreaterThan(40);
    expect(new Set(site.blocked)).toEqual(new Set(["blocked"]));
    expect([...words].sort()).toEqual(["enter an address such as", "the app cannot be reached at its address"]);
    expect(tripwire.connections()).toBe(0);
  });

  it("is not fetched as a customer's file either", async () => {
    const tripwire = await openTripwire();
    const site = await guarded();
    const cookie = await site.connect();
    const fields = {
      formToken: await site.formToken(cookie),
      kind: "http",
      name: "App",
      "setting.signingSecret": SECRET,
    };
    await site.submit("/account/channels", fields, { cookie });
    const page = await site.page(cookie);
    const door = /<code[^>]*>(https:\/\/gangway\.example\/m\/[\w-]{43})<\/code>/.exec(page)?.[1] ?? "";
    const files = [
      { url: `https://127.0.0.1:${tripwire.port}/secret.png` },
      { url: "https://inner.example/secret.png" },
    ];
    const data = { chat: "robin", id: "m-1", text: "look", files };
    const said = await site.app.fetch(signedRequest(door, { type: "message.created", data }), {});
    expect(said.status).toBe(200);
    await until("the message", () => site.sandbox.world.messages.length > 0);
    expect(site.blocked).toContain("blocked");
    expect(new Set(site.blocked)).toEqual(new Set(["blocked"]));
    expect(tripwire.connections()).toBe(0);
  });
});
