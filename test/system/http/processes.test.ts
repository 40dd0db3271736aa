import { randomUUID } from "node:crypto";
import type { Call } from "gangway-messenger/call";
import { type Clock, systemClock } from "gangway-messenger/clock";
import { describe, expect, it } from "vitest";
import { CHOOSE, harbour } from "../../support/ferry-site.ts";
import { command, databaseWithTables } from "../../support/postgres.ts";
import { OWN, runningSite } from "../../support/site.ts";
import { BOT_TOKEN, permissiveTelegram } from "../../support/telegram.ts";
import { until } from "../../support/until.ts";

type Site = Awaited<ReturnType<typeof runningSite>>;

/** Counts the bot's long polls that wait, and lets none end but by an abort. */
function waitingPolls() {
  const telegram = permissiveTelegram();
  const polls = { waiting: 0 };
  const call =
    (real: Call): Call =>
    async (request) => {
      if (!request.url.endsWith("/getUpdates")) return telegram.before(real)(request);
      polls.waiting += 1;
      await new Promise((resolve) => request.signal?.addEventListener("abort", resolve, { once: true }));
      polls.waiting -= 1;
      return { type: "failure", sent: "perhaps", reason: "aborted", detail: "aborted" };
    };
  return { polls, call };
}

/** Two servers on one database and one CRM, as behind a balancer. The first works for the account, the second for nobody. */
async function twoServers(changes: Parameters<typeof runningSite>[0] = {}) {
  const databaseUrl = await databaseWithTables();
  const [atOne, atTwo] = [waitingPolls(), waitingPolls()];
  const one = await runningSite({ databaseUrl, call: atOne.call, ...changes });
  const cookie = await one.connect();
  const taken = () => command(databaseUrl, "SELECT FROM account_lease WHERE owner <> ''");
  await until("the account to be taken", async () => (await taken()).length === 1);
  const two = await runningSite({ databaseUrl, call: atTwo.call, sandbox: one.sandbox, ...changes });
  return { one, two, cookie, polls: [atOne.polls, atTwo.polls] as const };
}

/** Events of a stream, as they come. */
async function follow(site: Site, path: string, headers: Record<string, string>) {
  const events: string[] = [];
  const abort = new AbortController();
  const answer = await site.ask(path, { headers, signal: abort.signal });
  expect(answer.status).toBe(200);
  const reading = (async () => {
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>)
      events.push(...Buffer.from(chunk).toString().split("\n\n").filter(Boolean));
  })().catch(() => undefined);
  return {
    events,
    async end() {
      abort.abort();
      await answer.body?.cancel().catch(() => undefined);
      await Promise.race([reading, new Promise(setImmediate)]);
    },
  };
}

const doorIn = (page: string) => `/m/${/data-channel=&quot;([\w-]{43})&quot;/.exec(page)?.[1]}`;

describe("a page of one process whose stream is another's", () => {
  it("is told of changes by any, and of none that it shows already", async () => {
    const { one, two, cookie } = await twoServers();
    // Both have heard of the account.
    const address = async (site: Site) => /data-stream="([^"]+)"/.exec(await site.page(cookie))?.[1] ?? "";
    const seen = await until("the same version", async () => {
      const [first, second] = [await address(one), await address(two)];
      return first === second && first;
    });
    const stream = await follow(two, seen, { cookie, origin: OWN });
    const changes = () => stream.events.filter((event) => event.includes("changed"));
    await one.addChannel(cookie);
    const [told = ""] = await until("the change", () => changes().length > 0 && changes());
    expect(/id: (\S+)/.exec(told)?.[1]).not.toBe(new URLSearchParams(seen.split("?")[1]).get("seen"));
    await stream.end();
  });
});

describe("a visitor who is connected to one process", () => {
  it("gets what another has answered: in order, none lost, none twice", async () => {
    const { one, two, cookie } = await twoServers();
    await one.addChannel(cookie);
    const door = doorIn(await two.page(cookie));
    const { visitor } = (await (await two.ask(`${door}/open`, { method: "POST", body: "{}" })).json()) as {
      visitor: string;
    };
    const headers = { authorization: `Bearer ${visitor}` };
    const stream = await follow(two, `${door}/events?after=0`, headers);
    const say = (site: Site, text: string) =>
      site.ask(`${door}/messages`, { method: "POST", headers, body: JSON.stringify({ id: randomUUID(), text }) });
    expect((await say(two, "hello")).status).toBe(200);
    const [channel = 0] = [...one.sandbox.world.channels.keys()];
    const { registration } = one.sandbox.world.modules.get("gangway") ?? {};
    const hook = (registration?.integrations.mgTransport?.webhookUrl ?? "").replace(OWN, "");
    const chat = visitor.split(".")[0];
    const answers = Array.from({ length: 12 }, (_, n) => `answer ${n}`);
    // The CRM calls any of them, one after the other.
    for (const [n, content] of answers.entries()) {
      const place = { channel_id: channel, external_chat_id: chat, external_user_id: chat };
      const data = { ...place, id: 100 + n, type: "text", content, quote_content: null, quote_external_id: null };
      const body = JSON.stringify({ type: "message_sent", meta: { timestamp: 1 }, data });
      const posted = { method: "POST", headers: { clientid: registration?.clientId ?? "" }, body };
      expect((await [one, two][n % 2]?.ask(hook, posted))?.status).toBe(200);
    }
    const said = () => stream.events.flatMap((event) => /answer \d+/.exec(event) ?? []);
    await until("all answers", () => said().length >= answers.length);
    expect(said()).toEqual(answers);
    await stream.end();
  });
});

describe("a messenger that the form of another process adds", () => {
  it("is polled by the process that works for its account, until it is removed", async () => {
    const { one, two, cookie, polls } = await twoServers({ updates: "polling" });
    const formToken = await two.formToken(cookie);
    const fields = { formToken, kind: "telegram", name: "Bot", "setting.token": BOT_TOKEN };
    const added = await two.submit("/account/channels", { ...fields, "setting.groups": "members" }, { cookie });
    expect(added.status).toBe(303);
    await until("the poll", () => polls[0].waiting === 1);
    expect(polls[1].waiting).toBe(0);
    const [id] = /\/channels\/[\w-]{22}/.exec(added.headers.get("location") ?? "") ?? [];
    await two.submit(`/account${id}/remove`, { formToken: await two.formToken(cookie) }, { cookie });
    await until("the end of the poll", () => polls[0].waiting === 0);
    expect(one.sandbox.world.channels.size).toBe(1);
  });
});

describe("a login at a messenger that begins at one process", () => {
  it("comes back to another, counts once, and is chosen from at any", async () => {
    const databaseUrl = await databaseWithTables();
    const one = await harbour({ databaseUrl });
    const two = await runningSite({ ...one.changes, databaseUrl, sandbox: one.sandbox });
    const { cookie } = one;
    const { state } = await one.goes();
    const back = `/apps/ferry/login?${new URLSearchParams({ state, code: `code-of-the-line-${"c".repeat(20)}` })}`;
    const answers = await Promise.all([two, one].map((site) => site.ask(back, { headers: { cookie } })));
    expect(answers.map(({ headers }) => headers.get("location"))).toEqual([CHOOSE, CHOOSE]);
    expect(one.line.codes).toHaveLength(1);
    expect(await one.text(CHOOSE)).toContain("Quay north");
    const page = await (await two.ask(CHOOSE, { headers: { cookie } })).text();
    const chosen = { formToken: one.tokenOf(page), login: "ferry:north" };
    await two.submit(CHOOSE, chosen, { cookie });
    expect(await one.names()).toEqual(["Quay north"]);
    expect((await one.comesBack({ state: "another", code: "x" })).status).toBe(400);
  });
});

describe("forms at two processes at once", () => {
  it("connect an account, and activate its channel, one after the other", async () => {
    const databaseUrl = await databaseWithTables();
    const under = { register: 0, activate: 0, most: 0 };
    const call =
      (real: Call): Call =>
      async (request) => {
        const { pathname } = new URL(request.url);
        const isChannel = /\/channels(\/\d+)?$/.test(pathname) && request.method !== "GET";
        const act = pathname.endsWith("/edit") ? "register" : isChannel && "activate";
        if (!act) return real(request);
        under[act] += 1;
        under.most = Math.max(under.most, under[act]);
        // Time enough for the other process.
        await command(databaseUrl, "SELECT pg_sleep(0.2)");
        return real(request).finally(() => {
          under[act] -= 1;
        });
      };
    const one = await runningSite({ databaseUrl, call });
    const two = await runningSite({ databaseUrl, call, sandbox: one.sandbox });
    const [cookie = ""] = await Promise.all([one.connect(), two.connect()]);
    expect(await command(databaseUrl, "SELECT id FROM account")).toHaveLength(1);
    await one.addChannel(cookie);
    const [id] = /\/channels\/[\w-]{22}/.exec(await one.page(cookie)) ?? [];
    const formToken = await one.formToken(cookie);
    const tests = [one, two].map((site) => site.submit(`/account${id}/test`, { formToken }, { cookie }));
    for (const { status } of await Promise.all(tests)) expect(status).toBe(303);
    expect(under).toEqual({ register: 0, activate: 0, most: 1 });
  });
});

/** Whose waits are short. */
const HURRIED: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms / 20, run) };

describe("an account that another process worked for until now", () => {
  it("is asked about at the CRM, which may have said something meanwhile", async () => {
    const { one, two } = await twoServers({ clock: HURRIED });
    Object.assign(one.sandbox.world.modules.get("gangway") ?? {}, { active: false });
    await one.app.drain();
    // On a slow machine the first has asked in its last moment.
    const learns = ({ lines }: Site) => lines.some((line) => JSON.stringify(line).includes("account.activity"));
    await until("the answer", () => learns(two) || learns(one));
  });
});

it("the receipt of an erasure at one process is shown again by another", async () => {
  const { one, two, cookie } = await twoServers();
  await one.addChannel(cookie);
  const page = await one.page(cookie);
  const door = doorIn(page);
  const opened = await one.ask(`${door}/open`, { method: "POST", body: "{}" });
  const { visitor } = (await opened.json()) as { visitor: string };
  const headers = { authorization: `Bearer ${visitor}` };
  await one.ask(`${door}/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify({ id: randomUUID(), text: "hi" }),
  });
  const [, channel = ""] = /\/channels\/([\w-]{22})/.exec(page) ?? [];
  const form = { formToken: await one.formToken(cookie), channel, chat: visitor.split(".")[0] ?? "" };
  const erase = async (site: Site) => (await site.submit("/account/customers/erase", form, { cookie })).text();
  expect(await erase(one)).toContain("1 message</li>");
  expect(await erase(two)).toContain("1 message</li>");
});
