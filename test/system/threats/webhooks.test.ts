import type { ChannelId, ChatId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { Account } from "../../../src/domain/account.ts";
import { knock, openStage, type Stage } from "../../fuzz/stage.ts";
import { OTHER_CRM } from "../../support/crms.ts";
import { readRows, writeRows } from "../../support/engine.ts";
import { storeIn } from "../../support/store.ts";

const ADDRESS = "198.51.100.1";
const kept = ({ folder }: Pick<Stage, "folder">) => readRows(folder, ["message", "chat", "journal", "note"]);
/** Counts messages of a direction, including those of the stage's own chats. */
const jobs = async ({ folder }: Stage, direction: string) =>
  ((await readRows(folder, ["message"])).message ?? []).filter((row) => row.direction === direction).length;
const fromGateway = (stage: Stage, body: unknown) =>
  knock(stage, stage.hook, { headers: { clientid: stage.clientId } }, Buffer.from(JSON.stringify(body)), ADDRESS);
const fromTelegram = (stage: Stage, body: string) => {
  const headers = { "x-telegram-bot-api-secret-token": stage.bot.secret };
  return knock(stage, stage.bot.door, { headers }, Buffer.from(body), ADDRESS);
};
const sent = (stage: Stage, change: object = {}) => ({
  type: "message_sent",
  meta: { timestamp: 1 },
  data: {
    channel_id: stage.bot.channel,
    external_chat_id: stage.bot.chat,
    external_user_id: stage.bot.chat,
    id: 7,
    type: "text",
    content: "hi",
    quote_content: null,
    quote_external_id: null,
    ...change,
  },
});
const robin = { id: 5120000042, type: "private", first_name: "Robin" };
const update = (more: object = {}) =>
  JSON.stringify({
    update_id: 9,
    message: { message_id: 9, date: 1, chat: robin, from: robin, text: "again", ...more },
  });

describe("an intercepted webhook, replayed", () => {
  it("a hundred times at once gives one customer's message and a hundred equal answers", async () => {
    const stage = await openStage();
    const before = await jobs(stage, "inbound");
    const answers = await Promise.all(Array.from({ length: 100 }, () => fromTelegram(stage, update())));
    const said = await Promise.all(answers.map(async (answer) => `${answer.status} ${await answer.text()}`));
    expect(new Set(said)).toEqual(new Set(["200 "]));
    expect(await jobs(stage, "inbound")).toBe(before + 1);
  });

  it("a hundred times at once gives one agent's message and a hundred equal answers", async () => {
    const stage = await openStage();
    const before = await jobs(stage, "outbound");
    const answers = await Promise.all(Array.from({ length: 100 }, () => fromGateway(stage, sent(stage))));
    const said = await Promise.all(answers.map(async (answer) => `${answer.status} ${await answer.text()}`));
    expect(new Set(said)).toEqual(new Set(['200 {"async":true}']));
    expect(await jobs(stage, "outbound")).toBe(before + 1);
  });
});

describe("a webhook with the right secrets", () => {
  it("reaches no channel of another account", async () => {
    const stage = await openStage();
    const other = stage.cookieOf(await stage.submit("/", { crmUrl: OTHER_CRM, apiKey: "sandbox-key" }));
    await stage.addChannel(other, "Theirs");
    const theirs = [...stage.crmAt(OTHER_CRM).world.channels.keys()].at(-1);
    expect(theirs).not.toBe(stage.chat.channel);
    await stage.settled();
    const before = await kept(stage);
    for (const channel_id of [theirs, 0, -1, 999_999])
      expect((await fromGateway(stage, sent(stage, { channel_id, external_chat_id: stage.visitor.chat }))).status).toBe(
        404,
      );
    expect(await kept(stage)).toEqual(before);
  });

  it("cannot reach a chat where nobody has written, whatever the event", async () => {
    const stage = await openStage();
    await stage.settled();
    const before = await kept(stage);
    for (const chat of ["777000", "-1001234567890", "@channelname", "h:x", "x"]) {
      const chatOf = { channel_id: stage.bot.channel, external_chat_id: chat, external_user_id: chat };
      const at = { ...chatOf, external_message_id: `${chat}:1` };
      const meta = { timestamp: 1 };
      const asked = [
        sent(stage, { external_chat_id: chat }),
        { type: "message_updated", meta, data: { ...at, type: "text", content: "x" } },
        { type: "message_deleted", meta, data: at },
        { type: "reaction_add", meta, data: { ...at, new_reaction: "👍" } },
      ];
      for (const body of asked) {
        const answer = await fromGateway(stage, body);
        expect(answer.status).toBe(422);
        expect(await answer.json()).toMatchObject({ error: { code: "customer_not_exists" } });
      }
    }
    // A customer of the other channel has not written to this one.
    expect((await fromGateway(stage, sent(stage, { external_chat_id: stage.visitor.chat }))).status).toBe(422);
    expect(await kept(stage)).toEqual(before);
    expect((await fromGateway(stage, sent(stage))).status).toBe(200);
  });

  it("reaches such a chat of a channel that another module had: its customers have written there", async () => {
    const stage = await openStage();
    const strange = sent(stage, { external_chat_id: "777000" });
    expect((await fromGateway(stage, strange)).status).toBe(422);
    const ofBot = `SELECT id, 'came-from', '{}', 1 FROM channel WHERE gateway_channel_id = '${stage.bot.channel}'`;
    await writeRows(stage.folder, `INSERT INTO note (channel_id, key, value, updated_at) ${ofBot}`);
    await new Promise(setImmediate);
    expect((await fromGateway(stage, strange)).status).toBe(200);
    expect((await fromGateway(stage, sent(stage, { id: 8, external_chat_id: "777000" }))).status).toBe(200);
    // Who was erased must write anew.
    const store = await storeIn(stage.folder, undefined, { shared: true });
    const [account] = (await store.accounts.list()) as [Account];
    const channels = await store.channels.list(account.id);
    const channelId = channels.find(({ gatewayChannelId }) => `${gatewayChannelId}` === `${stage.bot.channel}`)?.id;
    const person = { channelId: channelId as ChannelId, chat: "777000" as ChatId };
    await store.erasure.customer(account.id, person, { actor: "operator", action: "customer erased" });
    expect((await fromGateway(stage, sent(stage, { id: 9, external_chat_id: "777000" }))).status).toBe(422);
    expect((await fromGateway(stage, sent(stage, { id: 10, external_chat_id: "777001" }))).status).toBe(200);
  });

  it("with non-numeric lengths is refused like any malformed one", async () => {
    const stage = await openStage();
    const length = { length: { toString: 1, valueOf: 1 } };
    expect((await fromGateway(stage, sent(stage, { external_chat_id: length }))).status).toBe(400);
    const { headers } = stage.visitor;
    const id = "11111111-1111-4111-8111-111111111111";
    const asked: [string, object][] = [
      ["open", { visitor: length }],
      ["messages", { id, text: length, quote: length }],
      ["messages", { id, text: "x", files: length }],
      ["read", { id: length }],
    ];
    for (const [path, body] of asked) {
      const raw = Buffer.from(JSON.stringify(body));
      expect((await knock(stage, `${stage.chat.door}/${path}`, { headers }, raw, ADDRESS)).status).toBe(400);
    }
  });

  it("with prototype-polluting keys changes nothing else", async () => {
    const stage = await openStage();
    const bad = '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"toString":1,';
    const bent = (body: string) => body.replaceAll("{", `{${bad}`).replaceAll(`${bad}}`, `${bad.slice(0, -1)}}`);
    expect((await fromTelegram(stage, bent(update()))).status).toBe(200);
    const headers = { clientid: stage.clientId };
    const raw = Buffer.from(bent(JSON.stringify(sent(stage))));
    expect((await knock(stage, stage.hook, { headers }, raw, ADDRESS)).status).toBe(200);
    const said = bent(JSON.stringify({ id: "11111111-1111-4111-8111-111111111111", text: "hello" }));
    const opened = { headers: stage.visitor.headers };
    expect((await knock(stage, `${stage.chat.door}/messages`, opened, Buffer.from(said), ADDRESS)).status).toBe(200);
    const form = { "__proto__[polluted]": "yes", "constructor[prototype][polluted]": "yes", __proto__: "yes" };
    await stage.submit("/actions/activity", { clientId: stage.clientId, activity: `{${bad}"active":true}`, ...form });
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
    expect(JSON.stringify(await readRows(stage.folder))).not.toContain("polluted");
  });
});
