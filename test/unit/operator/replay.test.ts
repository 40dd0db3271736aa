import { randomUUID } from "node:crypto";
import type { Call } from "gangway-messenger/call";
import { describe, expect, it, onTestFinished } from "vitest";
import { settings as telegramSettings } from "../../../messengers/telegram/src/wire.ts";
import { readRows, writeRows } from "../../support/engine.ts";
import { customerSays } from "../../support/events.ts";
import { gangway, KEYS } from "../../support/gangway.ts";
import { CRM, OWN, runningSite } from "../../support/site.ts";
import { storeIn } from "../../support/store.ts";
import { until } from "../../support/until.ts";

/** A running server with a web chat, and a second connection to its store. The gateway can be switched off. */
async function setUp() {
  let down = false;
  const gated =
    (real: Call): Call =>
    async (request) =>
      down ? { type: "failure", sent: "no", reason: "refused", detail: "test" } : real(request);
  const site = await runningSite({ call: gated });
  await site.addChannel(await site.connect());
  const beside = await storeIn(site.folder, undefined, { shared: true });
  onTestFinished(() => beside.close());
  const account = (await beside.accounts.byCrmUrl(CRM)) ?? expect.fail("no account");
  const [channel] = await beside.channels.list(account.id);
  const door = `/m/${channel?.door}`;
  const { visitor } = (await (await site.ask(`${door}/open`, { method: "POST", body: "{}" })).json()) as {
    visitor: string;
  };
  const post = (path: string, body: unknown, headers: Record<string, string>) =>
    site.ask(path, { method: "POST", body: JSON.stringify(body), headers }).then(({ status }) => status);
  const says = (text: string) =>
    post(`${door}/messages`, { id: randomUUID(), text }, { authorization: `Bearer ${visitor}` });
  const answers = async (messageId: number) => {
    // Agents can only write to customers who have written.
    const chat = (await rows("chat"))[0]?.gateway_chat;
    const place = { channel_id: channel?.gatewayChannelId, external_chat_id: chat, external_user_id: chat };
    const data = { ...place, id: messageId, type: "text", content: "hi", quote_content: null, quote_external_id: null };
    const webhook = JSON.stringify({ type: "message_sent", meta: { timestamp: 1 }, data });
    // The channel id is an int64: unquoted on the wire.
    const body = webhook.replace(`"${channel?.gatewayChannelId}"`, `${channel?.gatewayChannelId}`);
    const headers = { clientid: account.clientId };
    return site
      .ask(`/gateway/${account.webhookSecret}`, { method: "POST", body, headers })
      .then(({ status }) => status);
  };
  const replay = async (
    dryRun: boolean,
    more: { account?: string; from?: string; to?: string; json?: boolean } = {},
  ) => {
    const { account: name = account.id, from = "2026-01-01", to, json = true } = more;
    const options = [...(to ? ["--to", to] : []), ...(dryRun ? ["--dry-run"] : []), ...(json ? ["--json"] : [])];
    const env = { PUBLIC_URL: OWN, SECRET_KEYS: KEYS.test };
    const args = ["replay", "--account", name, "--from", from, ...options];
    const { code, out, err } = await gangway(site.folder, args, env);
    return { code, said: out + err };
  };
  const report = async (dryRun: boolean) => {
    const { ok: _, ...report } = JSON.parse((await replay(dryRun)).said);
    return report;
  };
  const rows = async (table: string) => (await readRows(site.folder, [table]))[table] ?? [];
  const change = (statement: string, ...values: unknown[]) => writeRows(site.folder, statement, ...values);
  const heard = () => site.sandbox.world.messages.map(({ text }) => text);
  const setDown = (value: boolean) => {
    down = value;
  };
  const hole = async () => (await beside.ledger(account.id)).reduce((sum, line) => sum + line.hole, 0);
  return { ...site, beside, account, channel, rows, change, post, says, answers, replay, report, heard, setDown, hole };
}
const NONE = { webhooks: 0, already: 0, unchanging: 0, missing: 0, unreadable: [], refused: 0 };

describe("a replay of a time window", () => {
  it("changes nothing when all events are known, neither in a dry run nor in two real ones", async () => {
    const { folder, rows, says, answers, report } = await setUp();
    expect([await says("one"), await says("two"), await answers(1)]).toEqual([200, 200, 200]);
    const tables = ["message", "tally", "raw_webhook", "journal", "note"];
    const dump = async () => JSON.stringify(await readRows(folder, tables));
    const isLive = ({ state, ack }: Record<string, unknown>) =>
      ["ready", "sending"].includes(`${state}`) || ["due", "sending"].includes(`${ack}`);
    const jobs = async () => (await rows("message")).map(({ id, state, payload }) => ({ id, state, payload }));
    await until("deliveries", async () => !(await rows("message")).some(isLive));
    const [before, work] = [await dump(), await jobs()];
    for (const dryRun of [true, false, false]) {
      expect(await report(dryRun)).toEqual({ ...NONE, webhooks: 3, already: 3, dryRun });
      expect(await dump()).toBe(before);
      expect(await jobs()).toEqual(work);
    }
  });

  it("finds events lost from the outbox, has the running server deliver them, and closes the ledger's hole", async () => {
    const { change, says, answers, report, heard, setDown, hole } = await setUp();
    await says("first");
    await until("the first", () => heard().includes("first"));
    setDown(true);
    await answers(1);
    await says("kept");
    await says("lost");
    await change("DELETE FROM message WHERE payload LIKE '%\"lost\"%'");
    expect(await hole()).toBe(1);
    expect(await report(true)).toEqual({ ...NONE, webhooks: 4, already: 3, missing: 1, dryRun: true });
    expect(await hole()).toBe(1);
    expect(await report(false)).toEqual({ ...NONE, webhooks: 4, already: 3, missing: 1, dryRun: false });
    expect(await hole()).toBe(0);
    expect(await report(false)).toEqual({ ...NONE, webhooks: 4, already: 4, dryRun: false });
    setDown(false);
    await until("the lost message", () => heard().includes("lost"));
    await until("the kept message", () => heard().includes("kept"));
    expect(heard().filter((text) => text === "lost")).toHaveLength(1);
    expect(await hole()).toBe(0);
  });

  it("authenticates a messenger's requests again, even after its secret changed, and stores no secret", async () => {
    const { beside, account, change, post, report, hole } = await setUp();
    const token = `7712345601:${"A".repeat(35)}`;
    const settings = telegramSettings.parse({ token, webhookSecret: "s".repeat(43) });
    const bot = await beside.channels.add(account.id, { kind: "telegram", name: "Bot", settings });
    const from = { id: 5_120_000_042, is_bot: false, first_name: "Robin" };
    const message = { message_id: 7, date: 1_764_000_000, chat: { ...from, type: "private" }, from, text: "hello" };
    const headers = { "x-telegram-bot-api-secret-token": settings.webhookSecret };
    expect(await post(`/m/${bot.door}`, { update_id: 1, message }, headers)).toBe(200);
    expect(await post(`/m/${bot.door}`, { update_id: 2, message }, {})).toBe(401);
    const {
      webhooks: [kept],
    } = await beside.rawWebhooks.list(account.id, { from: 0, to: 9e15 }, 9);
    expect(kept?.raw).toEqual({ path: "", headers: {}, body: JSON.stringify({ update_id: 1, message }) });
    await beside.channels.change(bot.id, { name: "Bot", settings: { ...settings, webhookSecret: "t".repeat(43) } });
    await change("DELETE FROM message");
    expect(await report(false)).toEqual({ ...NONE, webhooks: 1, missing: 1, dryRun: false });
    expect(await hole()).toBe(0);
  });

  it("tells an edit that a later one has overtaken from a webhook that cannot be read", async () => {
    const { beside, account, post, report } = await setUp();
    const token = `7712345601:${"A".repeat(35)}`;
    const settings = telegramSettings.parse({ token, webhookSecret: "s".repeat(43) });
    const bot = await beside.channels.add(account.id, { kind: "telegram", name: "Bot", settings });
    const from = { id: 5_120_000_042, is_bot: false, first_name: "Robin" };
    const message = { message_id: 7, date: 1_764_000_000, chat: { ...from, type: "private" }, from };
    const edited = (edit_date: number, text: string) => ({ edited_message: { ...message, edit_date, text } });
    const updates = [{ message: { ...message, text: "A" } }, edited(1_764_000_001, "B"), edited(1_764_000_002, "A")];
    const headers = { "x-telegram-bot-api-secret-token": settings.webhookSecret };
    for (const [n, update] of updates.entries())
      expect(await post(`/m/${bot.door}`, { update_id: n + 1, ...update }, headers)).toBe(200);
    expect(await report(false)).toEqual({ ...NONE, webhooks: 3, already: 2, unchanging: 1, dryRun: false });
  });

  it("distinguishes unreadable webhooks from those that the door refuses now", async () => {
    const { beside, account, channel, says, answers, report } = await setUp();
    const raw = () => ({ path: "messages", headers: { authorization: "Bearer forged.token" }, body: "{}" });
    await beside.outbox.acceptInbound(channel ?? expect.fail("none"), { events: [customerSays("m")], raw });
    await says("one");
    await answers(1);
    const { unreadable, ...others } = await report(false);
    expect(others).toEqual({ webhooks: 3, already: 2, unchanging: 0, missing: 0, refused: 0, dryRun: false });
    expect(unreadable).toEqual([{ at: expect.stringMatching(/^20.*Z$/), channelId: channel?.id }]);
    await beside.channels.setState((channel ?? expect.fail("none")).id, "removed");
    // An agent's message that was accepted is known also to a channel that takes nothing any more.
    expect(await report(false)).toEqual({ ...NONE, webhooks: 3, already: 1, refused: 2, dryRun: false });
    await beside.accounts.setActivity(account.id, { active: false, frozen: false }, 1000);
    expect(await report(true)).toMatchObject({ already: 1, refused: 2 });
  });

  it("lists the times of unreadable webhooks, and exits with 1", async () => {
    const { rows, change, says, replay, channel } = await setUp();
    await says("one");
    const [webhook] = await rows("raw_webhook");
    const at = new Date(Number(webhook?.received_at)).toISOString();
    await change("UPDATE raw_webhook SET sealed = 'gone'");
    const json = await replay(true);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.said)).toMatchObject({ ok: false, webhooks: 0, unreadable: [{ at, row: 1 }] });
    const { code, said } = await replay(false, { json: false });
    expect([code, said.split("\n").slice(3, 5)]).toEqual([
      1,
      ["Unreadable webhooks: 1", `  ${at}, row 1: cannot be opened; it may hold several webhooks, of any account`],
    ]);
    await change("UPDATE raw_webhook SET sealed = ?", webhook?.sealed);
    // A channel with undecryptable settings refuses webhooks, and may accept them once repaired.
    await change("UPDATE channel SET settings_sealed = 'gone' WHERE id = ?", channel?.id);
    expect(JSON.parse((await replay(true)).said)).toMatchObject({ ok: true, webhooks: 1, unreadable: [], refused: 1 });
  });

  it("leaves an audit entry, except in a dry run", async () => {
    const { beside, account, replay } = await setUp();
    const acts = async () => (await beside.audit.list({ limit: 9 })).filter(({ actor }) => actor === "operator");
    expect(await replay(true)).toMatchObject({ code: 0 });
    expect(await acts()).toEqual([]);
    expect(await replay(false, { to: "2026-02-01" })).toMatchObject({ code: 0 });
    const detail = { from: "2026-01-01T00:00:00.000Z", to: "2026-02-01T00:00:00.000Z" };
    expect(await acts()).toMatchObject([{ action: "webhooks run again", accountId: account.id, detail }]);
  });

  it("covers one account and the given time, and reports in words", async () => {
    const { says, replay } = await setUp();
    await says("one");
    const { code, said } = await replay(true, { account: CRM, json: false });
    expect([code, said.split("\n")[0]]).toEqual([0, "Kept webhooks: 1"]);
    for (const typed of [`${CRM}/`, CRM.toUpperCase()])
      expect((await replay(true, { account: typed, json: false })).said).toContain("Kept webhooks: 1");
    expect((await replay(true, { json: false, to: "2026-01-02" })).said).toContain("Kept webhooks: 0");
    expect(await replay(true, { account: "nobody", json: false })).toMatchObject({
      code: 1,
      said: expect.stringContaining("There is no account nobody"),
    });
    expect((await replay(true, { from: "yesterday" })).code).toBe(2);
    expect((await replay(true, { to: "2025-12-31" })).code).toBe(2);
  });
});
