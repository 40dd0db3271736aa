import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import { fitGatewayId } from "../../../../src/domain/message.ts";
import { createHousekeeping } from "../../../../src/module/account/housekeeping.ts";
import type { NotePrefix } from "../../../../src/store/care.ts";
import { fileOf } from "../../../support/channel-context.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { roomFor } from "../../../support/room.ts";
import { addChannel, oneChannel, RETAIN_DAYS, takeLease } from "../../../support/store.ts";

const DAY = 86_400_000;

async function setUp(erasableNotes: NotePrefix[] = []) {
  const { clock, folder, store, account, channel } = await oneChannel({ erasableNotes });
  const lease = await takeLease(store, account.id, "test");
  const keeping = createHousekeeping({
    config: { retainDays: RETAIN_DAYS, rawWebhookDays: 3, keepContents: true },
    store,
    clock,
    log: silentLog,
  });
  const tables = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const count = (table: string, where = "true") =>
    tables.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get() as number;
  /** Forwards the clock, then runs one round. */
  const advanceDays = async (days: number) => {
    await clock.forward(days * DAY);
    let over = false;
    const round = keeping.round().finally(() => {
      over = true;
    });
    while (!over) await clock.forward(20);
    await round;
  };
  const say = (id: string, chat = "chat-1") =>
    store.outbox.acceptInbound(channel, { events: [customerSays(id, id, chat)] });
  const end = async (state: "done" | "dead" | "held") => {
    const [job] = (await store.outbox.claim(lease, roomFor(1))) as [Job];
    if (state === "done") await store.outbox.done(job, {});
    else if (state === "held") await store.outbox.failed(job, { state, unsure: 1 }, "no luck");
    else await store.outbox.failed(job, { state, code: "general" }, "no luck");
    return job;
  };
  return { folder, clock, store, account, channel, lease, count, advanceDays, say, end };
}

describe("retention", () => {
  it("empties done work after a week, dead letters after three months, and deletes deduplication keys with them", async () => {
    const { advanceDays, count, say, end } = await setUp();
    await say("done");
    await end("done");
    await say("dead");
    await end("dead");
    await advanceDays(6);
    const filled = "payload IS NOT NULL";
    expect([count("message"), count("message", filled)]).toEqual([2, 2]);
    await advanceDays(2);
    expect([count("message"), count("message", filled), count("message", "state = 'dead'")]).toEqual([2, 1, 1]);
    await advanceDays(83);
    // Agents may write to a known chat for ever.
    expect([count("message"), count("chat")]).toEqual([0, 1]);
  });

  it("empties what was discarded after a day; then it cannot be restored", async () => {
    const { store, account, clock, advanceDays, count, say, end } = await setUp();
    await say("one");
    const one = await end("dead");
    await say("two");
    const two = await end("dead");
    for (const { id } of [one, two]) await store.outbox.discarded(account.id, id, clock.now());
    expect(await store.outbox.restored(account.id, two.id)).toBe(true);
    await advanceDays(2);
    expect(count("message", "payload IS NULL")).toBe(1);
    expect([await store.outbox.restored(account.id, one.id), count("message", "state = 'dead'")]).toEqual([false, 1]);
  });

  it("never deletes live or held messages, nor the keys and ids they need", async () => {
    const { store, channel, account, advanceDays, count, say, end, clock } = await setUp();
    await say("older and done");
    await end("done");
    await clock.forward(DAY);
    await say("held");
    await end("held");
    await say("waiting");
    // Another channel's rows are deleted all the same.
    const other = await addChannel(store, account);
    await store.outbox.acceptInbound(other, { events: [customerSays("other")] });
    await store.channels.setState(other.id, "removed");
    await advanceDays(800);
    expect(count("message", "state = 'held' AND payload IS NOT NULL")).toBe(1);
    expect(count("message", "state = 'ready' AND payload IS NOT NULL")).toBe(1);
    expect(count("message", `channel_id = '${channel.id}'`)).toBe(2);
    expect(count("message", `channel_id = '${other.id}'`)).toBe(0);
    expect(await store.outbox.acceptInbound(channel, { events: [customerSays("held"), customerSays("waiting")] })).toBe(
      0,
    );
  });

  it("keeps what an album's later parts have stored, though its message dates from the first", async () => {
    const { store, channel, clock, say } = await setUp();
    await say("waiting");
    const oldest = (await store.retention.oldestLive()).get(channel.id) ?? expect.fail("nothing is live");
    expect(oldest).toBeLessThanOrEqual(clock.now() - 60_000);
  });

  it("keeps a channel's keys while an old message is being resent", async () => {
    const { store, account, advanceDays, count, say, end } = await setUp();
    await say("dead");
    const dead = await end("dead");
    await advanceDays(89);
    await store.outbox.sendAgain(account.id, dead.id, 1_000_000_000);
    await advanceDays(10);
    expect(count("message", "state = 'ready' AND payload IS NOT NULL")).toBe(1);
    await end("done");
    await advanceDays(1);
    expect(count("message")).toBe(0);
  });

  it("keeps the full id of a chat that was shortened for the gateway", async () => {
    const { store, channel, advanceDays, count, say, end } = await setUp();
    const long = `chat-${"x".repeat(80)}`;
    await say("a", long);
    await say("b", long);
    await end("done");
    await end("done");
    await advanceDays(100);
    expect([count("message"), count("chat")]).toEqual([0, 1]);
    const gatewayChat = fitGatewayId(long);
    await store.outbox.acceptOutbound(channel, {
      key: "1",
      act: agentSays("1", "hello", gatewayChat),
      patienceMs: 1_000,
    });
    expect(count("message", `chat = '${long}'`)).toBe(1);
  });

  it("deletes expired sessions, and keeps the audit log for two years", async () => {
    const { store, account, advanceDays, count } = await setUp();
    await store.webSessions.start(account.id);
    await store.audit.record(account.id, { actor: "account user", action: "channel added" });
    await advanceDays(1);
    expect([count("web_session"), count("audit")]).toEqual([0, 1]);
    await advanceDays(728);
    expect(count("audit")).toBe(1);
    await advanceDays(2);
    expect(count("audit")).toBe(0);
  });

  it("deletes unsent uploads after a day, and sent ones with their chat", async () => {
    const { folder, store, channel, advanceDays, count } = await setUp();
    const keep = async () => (await store.keptFiles.keep(channel.id, fileOf("bytes"), 100, () => new Error())).id;
    const sent = await keep();
    const unsent = await Promise.all(Array.from({ length: 120 }, keep));
    const entry = { type: "message", files: [{ id: sent }] };
    const rows = Array.from({ length: 1_200 }, (_, n) => ({
      chat: "c",
      key: `k${n}`,
      entry: n === 700 ? entry : { n },
    }));
    await store.journal.append(channel.id, rows);
    const [late = ""] = unsent;
    await advanceDays(0.9);
    expect(count("kept_file")).toBe(121);
    await store.journal.append(channel.id, [{ chat: "c", key: "late", entry: { files: [{ id: late }] } }]);
    for (const id of [sent, ...unsent]) utimesSync(join(folder, "files", id), 0, 0);
    await advanceDays(1);
    expect(readdirSync(join(folder, "files")).sort()).toEqual([sent, late].sort());
    expect(count("kept_file")).toBe(2);
    await advanceDays(363);
    expect(count("kept_file")).toBe(2);
    await advanceDays(4);
    expect(count("kept_file")).toBe(0);
    expect(readdirSync(join(folder, "files"))).toEqual([]);
  });

  it("deletes bytes that a crash left without a row", async () => {
    const { folder, advanceDays } = await setUp();
    const [old, young] = ["old.part", "young"].map((name) => join(folder, "files", name)) as [string, string];
    for (const file of [old, young]) writeFileSync(file, "bytes");
    utimesSync(old, 0, 0);
    const far = Date.UTC(2100, 0, 1) / 1000;
    utimesSync(young, far, far);
    await advanceDays(2);
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  });
});
