import type { Call } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { openStage } from "../../../fuzz/stage.ts";
import { readRows } from "../../../support/engine.ts";
import { until } from "../../../support/until.ts";

/** The gateway fails for a customer's shaky message, or an ack, as often as the test says. */
async function storySite() {
  let failures = 0;
  const failing =
    (real: Call): Call =>
    async (request) => {
      const isShaky = request.url.endsWith("/messages/ack") || String(request.body ?? "").includes("shaky");
      if (!isShaky || failures === 0) return real(request);
      failures -= 1;
      return { type: "answer", status: 502, headers: {}, bytes: Buffer.from("down") };
    };
  const stage = await openStage({ around: failing });
  const { cookie, token } = stage;
  const rows = async () => (await readRows(stage.folder, ["message"])).message ?? [];
  const look = async (path: string) => (await stage.ask(path, { headers: { cookie } })).text();
  const search = async (text: string, language = "en") => {
    const headers = { cookie: `${cookie}; gangway-language=${language}` };
    return (await stage.submit("/account/messages", { formToken: token, text }, headers)).text();
  };
  const stories = (page: string) =>
    [...page.matchAll(/href="\/account\/[\w-]{22}\/messages\/(\d+)"/g)].map(([, id]) => `${id}`);
  let updates = 1;
  const customer = async (message: object) => {
    updates += 1;
    const person = { id: Number(stage.bot.chat), type: "private", first_name: "Robin" };
    const base = { message_id: updates, date: 1_764_000_000, chat: person, from: person };
    const headers = { "x-telegram-bot-api-secret-token": stage.bot.secret };
    const event =
      "text" in message ? { message: { ...base, ...message } } : { edited_message: { ...base, ...message } };
    await stage.ask(stage.bot.door, {
      method: "POST",
      headers,
      body: JSON.stringify({ update_id: updates, ...event }),
    });
    return updates;
  };
  const edit = (messageId: number, text: string) => {
    const person = { id: Number(stage.bot.chat), type: "private", first_name: "Robin" };
    const edited = { message_id: messageId, date: 1_764_000_000, edit_date: 1_764_000_100, chat: person, from: person };
    updates += 1;
    const headers = { "x-telegram-bot-api-secret-token": stage.bot.secret };
    const body = JSON.stringify({ update_id: updates, edited_message: { ...edited, text } });
    return stage.ask(stage.bot.door, { method: "POST", headers, body });
  };
  const agent = (id: number, more: object = {}) => {
    const { channel: channel_id, chat } = stage.bot;
    const place = { channel_id, external_chat_id: chat, external_user_id: chat, id };
    const content = { type: "text", content: "Your order is ready", quote_content: null, quote_external_id: null };
    const body = JSON.stringify({
      type: "message_sent",
      meta: { timestamp: 1 },
      data: { ...place, ...content, ...more },
    });
    return stage.ask(stage.hook, { method: "POST", headers: { clientid: stage.clientId }, body });
  };
  const fail = (times: number) => {
    failures = times;
  };
  return { ...stage, rows, look, search, stories, customer, edit, agent, fail };
}

describe("the story of a message", () => {
  it("tells each failed attempt, the end, and what came later; found by words, name and error", async () => {
    const site = await storySite();
    site.fail(2);
    const id = await site.customer({ text: "my shaky message" });
    const row = async () =>
      (await site.rows()).find(({ messenger_message_id: named }) => named === `${site.bot.chat}:${id}`);
    await until("its delivery", async () => (await row())?.state === "done");
    await site.edit(id, "my steady message");
    await until("the edit", async () =>
      (await site.rows()).some(({ kind, state }) => kind === "edited" && state === "done"),
    );
    const found = await site.search("SHAKY mess");
    expect(site.stories(found)).toEqual([String((await row())?.id)]);
    expect(found).toMatch(/Robin.*Delivered.*my shaky message/s);
    const page = await site.look(`/account/messages/${(await row())?.id}`);
    const order = [
      "It came from the customer and was stored.",
      "It could not be delivered: ",
      "It could not be delivered: ",
      "It reached the CRM.",
      "The customer edited it.",
    ];
    expect(page).toMatch(new RegExp(order.join(".*"), "s"));
    expect(page.split("It could not be delivered")).toHaveLength(3);
    expect(site.stories(await site.search("robin"))).toHaveLength(2);
    for (const nothing of ["no such words", "%", "\\", '"', "originator", "text"])
      expect(await site.search(nothing)).toContain("Nothing on this server");
    await site.close();
  });

  it("of an agent's message names its ids, and whether the agent was told", async () => {
    const site = await storySite();
    await site.agent(71);
    await until("the ack", async () =>
      (await site.rows()).some((row) => row.gateway_message_id === "71" && row.ack === "refused"),
    );
    const [sent = ""] = site.stories(await site.search("71"));
    const told = await site.look(`/account/messages/${sent}`);
    expect(told).toMatch(/From an agent.*It came from the CRM.*It reached the messenger\..*Message not found/s);
    expect(told).toContain("<dt>Id in the CRM</dt><dd><code>71</code></dd>");
    expect(site.stories(await site.search("message not found"))).toEqual([sent]);
    await site.close();
  });

  it("is found by the customer whom an agent wrote to, and by the error as the page shows it", async () => {
    const site = await storySite();
    await site.agent(72, { type: "file", content: null, items: [{ id: "11111111-1111-4111-8111-111111111111" }] });
    const dead = async () => (await site.rows()).find((row) => row.gateway_message_id === "72" && row.state === "dead");
    const { id } = (await until("its end", dead)) ?? {};
    expect(site.stories(await site.search("ROBIN"))).toContain(String(id));
    expect(site.stories(await site.search("Robina"))).toEqual([]);
    const cookie = `${site.cookie}; gangway-language=ru`;
    const page = await (await site.ask(`/account/messages/${id}`, { headers: { cookie } })).text();
    const error = /Не доставлено: ([^<]+)/.exec(page)?.[1] ?? "";
    expect(error).toMatch(/[а-я]{4}/);
    const found = await site.submit("/account/messages", { formToken: site.token, text: error }, { cookie });
    expect(site.stories(await found.text())).toEqual([String(id)]);
    await site.close();
  });

  it("lists each attempt to tell the agent, and keeps the time of the delivery", async () => {
    const site = await storySite();
    site.fail(2);
    await site.agent(71);
    const row = async () => (await site.rows()).find((each) => each.gateway_message_id === "71");
    await until("the ack", async () => (await row())?.ack === "refused");
    const page = await site.look(`/account/messages/${(await row())?.id}`);
    const order = ["reached the messenger", "could not be notified: ", "could not be notified: ", "Message not found"];
    const lines = page.split(/<li\b/).filter((line) => order.some((words) => line.includes(words)));
    const times = lines.map((line) => Date.parse(/datetime="([^"]+)"/.exec(line)?.[1] ?? ""));
    expect(lines.map((line, n) => line.includes(order[n] ?? "-"))).toEqual([true, true, true, true]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    // An attempt waits for the one before, by the server's clock.
    expect(times[1]).toBeLessThan(times[2] ?? 0);
    expect(times[0]).toBeLessThan(times[2] ?? 0);
    await site.agent(73, { type: "file", content: null, items: [{ id: "11111111-1111-4111-8111-111111111111" }] });
    const dead = async () =>
      (await site.rows()).find((each) => each.gateway_message_id === "73" && each.ack === "refused");
    const { id, ended_at: ended } = (await until("its end", dead)) ?? {};
    const rows = (await site.look("/account/undelivered?state=dead")).split("<li");
    const listed = rows.find((each) => each.includes(`/messages/${id}"`));
    expect(listed).toContain(new Date(Number(ended)).toISOString());
    await site.close();
  });

  it("of one that failed names each decision on it", async () => {
    const site = await storySite();
    // A file that the gateway does not have.
    await site.agent(72, { type: "file", content: null, items: [{ id: "11111111-1111-4111-8111-111111111111" }] });
    const dead = async () => (await site.rows()).find((row) => row.gateway_message_id === "72" && row.state === "dead");
    const { id } = (await until("its end", dead)) ?? {};
    expect(await site.look("/account/undelivered?state=dead")).toContain(`/messages/${id}"`);
    const page = await site.look(`/account/messages/${id}`);
    expect(page).toMatch(/It was not delivered: .+?</);
    expect(page).toContain(`/jobs/${id}/again"`);
    // Stored in English; each reader searches for what they see.
    expect(site.stories(await site.search("gateway answered 404"))).toEqual([String(id)]);
    expect(site.stories(await site.search("The CRM's chats answered 404"))).toEqual([String(id)]);
    expect(site.stories(await site.search("LOS CHATS del CRM respondieron 404", "es"))).toEqual([String(id)]);
    expect(site.stories(await site.search("ответили 404", "ru"))).toEqual([String(id)]);
    expect(site.stories(await site.search("ответили 404", "es"))).toEqual([]);
    await site.submit(`/account/jobs/${id}/again`, { formToken: site.token }, { cookie: site.cookie });
    expect(await site.look(`/account/messages/${id}`)).toContain("A message was sent again");
    await site.close();
  });
});
