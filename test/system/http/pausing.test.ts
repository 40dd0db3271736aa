import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openStage } from "../../fuzz/stage.ts";
import { BOT_TOKEN } from "../../support/telegram.ts";
import { until } from "../../support/until.ts";

async function pausedBot() {
  const stage = await openStage();
  const [, id = ""] = stage.chat.ids;
  const { headers: visitor } = stage.visitor;
  const texts = () => stage.sandbox.world.messages.map(({ text }) => text);
  await until("the first messages", () => texts().length === 2);
  const look = async (path: string) => (await stage.ask(path, { headers: { cookie: stage.cookie } })).text();
  const act = (path: string, fields = {}) =>
    stage.submit(
      `/account/channels/${id}${path}`,
      { formToken: stage.token, ...fields },
      {
        cookie: stage.cookie,
      },
    );
  let updates = 1;
  const customer = async (text: string) => {
    updates += 1;
    const person = { id: Number(stage.bot.chat), type: "private", first_name: "Robin" };
    const message = { message_id: updates, date: 1_764_000_000, chat: person, from: person, text };
    const headers = { "x-telegram-bot-api-secret-token": stage.bot.secret };
    const body = JSON.stringify({ update_id: updates, message });
    return (await stage.ask(stage.bot.door, { method: "POST", headers, body })).status;
  };
  const elsewhere = async (text: string) => {
    const body = JSON.stringify({ id: randomUUID(), text });
    await stage.ask(`${stage.chat.door}/messages`, { method: "POST", headers: visitor, body });
    await until(`"${text}" at the gateway`, () => texts().includes(text));
  };
  const agent = async (messageId: number) => {
    const { channel: channel_id, chat } = stage.bot;
    const data = { channel_id, external_chat_id: chat, external_user_id: chat, id: messageId, type: "text" };
    const content = { content: "hi", quote_content: null, quote_external_id: null };
    const answer = await stage.ask(stage.hook, {
      method: "POST",
      headers: { clientid: stage.clientId },
      body: JSON.stringify({ type: "message_sent", meta: { timestamp: 1 }, data: { ...data, ...content } }),
    });
    return [answer.status, await answer.json()];
  };
  expect((await act("/pause")).headers.get("location")).toBe(`/account/channels/${id}?done=paused`);
  return { ...stage, id, texts, look, act, customer, elsewhere, agent };
}

describe("a paused messenger", () => {
  it("keeps what customers write until it is resumed, and refuses agents at once; others go on", async () => {
    const site = await pausedBot();
    expect(await site.customer("one")).toBe(200);
    expect(await site.customer("two")).toBe(200);
    await site.elsewhere("in the web chat");
    expect(site.texts()).not.toContain("one");
    expect(await site.agent(71)).toEqual([
      422,
      { error: { code: "access_restricted", message: "The channel is paused." } },
    ]);
    const page = await site.look(`/account/channels/${site.id}`);
    expect(page).toContain('<span class="badge neutral">Paused</span>');
    expect(page).toContain("<strong>2</strong> on their way");
    expect(page).toContain('aria-label="Resume: Bot"');
    expect(await site.look("/account")).toContain('<span class="badge neutral">Paused</span>');
    expect((await site.act("/resume")).headers.get("location")).toContain("done=resumed");
    await until("both messages", () => site.texts().includes("two"));
    expect(site.texts().slice(-2)).toEqual(["one", "two"]);
    expect((await site.agent(72))[0]).toBe(200);
    // The gateway, which has missed the answer, repeats a message that is on its way.
    await site.act("/pause");
    expect(await site.agent(72)).toEqual([200, { async: true }]);
    const history = await site.look("/account/history");
    for (const act of ["A channel was paused", "A channel was switched on again"]) expect(history).toContain(act);
    await site.close();
  });

  it("that was removed refuses what agents write, and no repetition of what it had accepted", async () => {
    const site = await pausedBot();
    await site.act("/resume");
    expect((await site.agent(81))[0]).toBe(200);
    expect((await site.act("/remove")).headers.get("location")).toContain("done=removed");
    expect(await site.agent(81)).toEqual([200, { async: true }]);
    expect(await site.agent(82)).toEqual([
      404,
      { error: { code: "general", message: "This account has no such channel." } },
    ]);
    await site.close();
  });

  it("stays paused when its settings are saved or it is paused again, and keeps its login", async () => {
    const site = await pausedBot();
    const saved = await site.act("", { name: "Renamed", "setting.groups": "members" });
    expect(saved.headers.get("location")).toContain("done=changed");
    await site.act("/pause");
    const again = { formToken: site.token, kind: "telegram", name: "Second", "setting.token": BOT_TOKEN };
    const refused = await site.submit("/account/channels", again, { cookie: site.cookie });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("already")]);
    await site.customer("one");
    await site.elsewhere("in the web chat");
    expect(site.texts()).not.toContain("one");
    await site.act("/resume");
    await until("the message", () => site.texts().includes("one"));
    await site.close();
  });
});
