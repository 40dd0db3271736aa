import { randomUUID } from "node:crypto";
import type { Call } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { openStage } from "../../fuzz/stage.ts";
import { CONSOLE_TOKEN, HOSTILE } from "../../support/console.ts";
import { gangway } from "../../support/gangway.ts";
import { accountIn } from "../../support/site.ts";
import { until } from "../../support/until.ts";

/** A running server with its console, a web chat and a bot. */
async function vendorsServer(around?: (call: Call) => Call) {
  const stage = await openStage({ consoleToken: CONSOLE_TOKEN, around });
  const id = accountIn(stage.cookie) ?? "";
  const [, bot = ""] = stage.chat.ids;
  const texts = () => stage.sandbox.world.messages.map(({ text }) => text);
  await until("the first messages", () => texts().length === 2);
  let updates = 1;
  const customer = async (text: string, chat = Number(stage.bot.chat)) => {
    updates += 1;
    const person = { id: chat, type: "private", first_name: "Robin" };
    const message = { message_id: updates, date: 1_764_000_000, chat: person, from: person, text };
    const headers = { "x-telegram-bot-api-secret-token": stage.bot.secret };
    const body = JSON.stringify({ update_id: updates, message });
    return (await stage.ask(stage.bot.door, { method: "POST", headers, body })).status;
  };
  const visitor = async (text: string) => {
    const body = JSON.stringify({ id: randomUUID(), text });
    await stage.ask(`${stage.chat.door}/messages`, { method: "POST", headers: stage.visitor.headers, body });
  };
  const agent = async (messageId: number) => {
    const { channel: channel_id, chat } = stage.bot;
    const data = { channel_id, external_chat_id: chat, external_user_id: chat, id: messageId, type: "text" };
    const content = { content: "hi", quote_content: null, quote_external_id: null };
    const body = JSON.stringify({ type: "message_sent", meta: { timestamp: 1 }, data: { ...data, ...content } });
    const answer = await stage.ask(stage.hook, { method: "POST", headers: { clientid: stage.clientId }, body });
    return [answer.status, await answer.json()];
  };
  const look = async (path: string) => (await stage.ask(path, { headers: { cookie: stage.cookie } })).text();
  const run = async (...args: string[]) => {
    const { code, out } = await gangway(stage.folder, ["accounts", ...args]);
    expect(code, out).toBe(0);
    return out;
  };
  return { ...stage, id, bot, texts, customer, visitor, agent, look, run, console: await signIn(stage.app) };
}

/** Posts the console's forms, as its pages send them. */
async function signIn({ console: fetch }: { console?: (request: Request) => Response | Promise<Response> }) {
  const ask = async (path: string, fields?: Record<string, string>, cookie = "") => {
    const body = fields && new URLSearchParams(fields);
    const init = { method: fields ? "POST" : "GET", headers: { cookie, host: "console.example" }, body };
    return (await fetch?.(new Request(`http://console.example${path}`, init))) as Response;
  };
  const opened = await ask("/sign-in", { token: CONSOLE_TOKEN });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const page = async (path: string) => (await ask(path, undefined, cookie)).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(await page("/messages"))?.[1] ?? "";
  return { page, post: (path: string, fields = {}) => ask(path, { formToken, ...fields }, cookie) };
}

describe("an account that the vendor has paused", () => {
  it("keeps what customers write, refuses agents with the reason, and delivers all in order once it is resumed by command", async () => {
    const site = await vendorsServer();
    const { id, customer, visitor, agent, look, run, texts } = site;
    await run("pause", id, "--reason", HOSTILE);
    for (const text of ["one", "two", "three"]) expect(await customer(text)).toBe(200);
    await visitor("in the web chat");
    expect(await agent(71)).toEqual([
      403,
      { error: { code: "access_restricted", message: `Paused by Gangway: ${HOSTILE}` } },
    ]);
    const page = await look("/account");
    expect(page).toContain("Paused by Gangway: &lt;img src=x onerror=");
    expect(page).not.toContain("<img src=x");
    expect(page).toContain("will be delivered when Gangway resumes the account");
    expect(await look(`/account/channels/${site.bot}`)).toContain("Paused by Gangway: &lt;img");
    expect(await look("/account/settings")).toContain("Paused by Gangway: &lt;img");
    const body = new URLSearchParams({ clientId: site.clientId, activity: '{"active":true,"freeze":false}' });
    expect((await site.ask("/actions/activity", { method: "POST", body })).status, "the CRM has it on").toBe(200);
    expect(texts()).toHaveLength(2);
    await run("resume", id);
    await until("all of it", () => texts().length === 6);
    expect(texts().filter((text) => ["one", "two", "three"].includes(text ?? ""))).toEqual(["one", "two", "three"]);
    expect((await agent(72))[0]).toBe(200);
    expect(await look("/account/history")).toContain("The account was paused");
    await site.close();
  });

  it("is resumed in the console at once, and a new connection does not resume it", async () => {
    const site = await vendorsServer();
    const { id, customer, texts, console } = site;
    const paused = await console.post(`/accounts/${id}/pause`, { reason: "unpaid since May" });
    expect([paused.status, paused.headers.get("location")]).toEqual([303, `/accounts/${id}?done=paused`]);
    expect(await site.connect()).toContain(id);
    await customer("waits");
    expect(await console.page(`/accounts/${id}`)).toContain("Paused by us: unpaid since May");
    expect(texts()).not.toContain("waits");
    await console.post(`/accounts/${id}/resume`);
    await until("the message", () => texts().includes("waits"));
    await site.close();
  });
});

describe("a channel that the vendor has paused", () => {
  it("can be resumed by the vendor alone: its merchant reads why, and can remove it; other channels go on", async () => {
    const site = await vendorsServer();
    const { id, bot, customer, visitor, agent, look, texts, console, token, cookie } = site;
    const own = `/account/channels/${bot}`;
    const submit = (path: string) => site.submit(`${own}${path}`, { formToken: token }, { cookie });
    await console.post(`/accounts/${id}/channels/${bot}/pause`, { reason: HOSTILE });
    await customer("kept");
    await visitor("goes on");
    await until("the other channel's", () => texts().includes("goes on"));
    expect(texts()).not.toContain("kept");
    expect(await agent(71)).toEqual([
      422,
      { error: { code: "access_restricted", message: `Paused by Gangway: ${HOSTILE}` } },
    ]);
    const page = await look(own);
    expect(page).toContain("Paused by Gangway: &lt;img src=x onerror=");
    expect(page).not.toContain("<img src=x");
    expect(page).not.toContain(`action="${own}/resume"`);
    expect(page).not.toContain("/resume");
    expect(await look("/account"), "in the list").toContain("Paused by Gangway: &lt;img");
    const refused = await submit("/resume");
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining("only the vendor can resume it: &lt;img src=x"),
    ]);
    await submit("/pause");
    expect(texts()).not.toContain("kept");
    await console.post(`/accounts/${id}/channels/${bot}/resume`);
    await until("what was kept", () => texts().includes("kept"));
    await console.post(`/accounts/${id}/channels/${bot}/pause`, { reason: "spam" });
    expect((await submit("/remove")).headers.get("location")).toContain("done=removed");
    await site.close();
  });
});

describe("an account's own limit of calls", () => {
  it("holds from the next call on, and is set back without a restart", async () => {
    let [underWay, most] = [0, 0];
    let opened = () => {};
    let gate = Promise.resolve();
    const shut = () => {
      [most, gate] = [0, new Promise((resolve) => (opened = resolve))];
    };
    const around =
      (call: Call): Call =>
      async (request) => {
        if (!/\/messages$/.test(request.url) || request.method !== "POST") return call(request);
        underWay += 1;
        most = Math.max(most, underWay);
        await gate;
        return call(request).finally(() => {
          underWay -= 1;
        });
      };
    const site = await vendorsServer(around);
    const { id, customer, run, texts } = site;
    let rounds = 0;
    /** Calls at the same time, of which the first ones wait for each other. */
    const flood = async (first: number) => {
      rounds += 1;
      const round = `round ${rounds}:`;
      shut();
      await Promise.all(Array.from({ length: 12 }, (_, n) => customer(`${round} ${n}`, 5_120_000_100 + n)));
      await until("calls", () => underWay >= first);
      opened();
      await until("all of them", () => texts().filter((text) => text?.startsWith(round)).length === 12);
      return most;
    };
    expect(await flood(7), "one of eight is left for the messenger").toBe(7);
    await run("limit", id, "--calls", "2");
    // On PostgreSQL the server hears of it a moment later.
    await expect.poll(() => flood(1)).toBe(1);
    await run("limit", id, "--calls", "default");
    await expect.poll(() => flood(1)).toBe(7);
    await site.close();
  });
});
