import { describe, expect, it } from "vitest";
import type { NotePrefix, RetentionKind } from "../../../../../src/store/care.ts";
import { fileOf } from "../../../../support/channel-context.ts";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";

const DAY = 86_400_000;

describe.each(ENGINES)("retention on $name", (engine) => {
  async function setUp(erasableNotes: NotePrefix[] = []) {
    const made = await oneChannelOn(engine, { erasableNotes });
    const { store, clock, rows } = made;
    /** Deletes what is older than so many days. Resolves with the sizes of the batches. */
    const sweep = async (kind: RetentionKind, days: number) => {
      const living = await store.retention.oldestLive();
      const sizes: number[] = [];
      for (let next: number | undefined = 0; next !== undefined; ) {
        const swept = await store.retention.sweep(kind, clock.now() - days * DAY, living, next);
        sizes.push(swept.deleted);
        next = swept.next;
      }
      return sizes;
    };
    const sweepUnsent = async (days: number) => {
      let deleted = 0;
      for (let next: number | undefined = 0; next !== undefined; ) {
        const swept = await store.retention.sweepUnsent(clock.now() - days * DAY, next);
        deleted += swept.deleted;
        next = swept.next;
      }
      return deleted;
    };
    const names = async (table: string, column: string) => (await rows(table)).map((row) => row[column]).sort();
    return { ...made, sweep, sweepUnsent, names };
  }

  it("empties ended messages, and deletes them once none that is older lives", async () => {
    const { channel, change, rows, sweep, clock } = await setUp();
    const add = (id: number, state: string, at: number, more = "NULL, NULL") =>
      change(`INSERT INTO message (id, account_id, channel_id, direction, state, position, payload, created_at, updated_at,
          ack, carrier)
        VALUES (${id}, '${channel.accountId}', '${channel.id}', 'inbound', '${state}', ${id}, '{}', ${at}, ${at}, ${more})`);
    const start = clock.now();
    await add(1, "done", start);
    await add(2, "dead", start);
    await add(3, "done", start, "'due', NULL");
    await add(4, "held", start + DAY);
    await add(5, "done", start + 2 * DAY);
    await add(6, "carried", start, "NULL, 5");
    const filled = async () => (await rows("message")).filter(({ payload }) => payload !== null).map(({ id }) => id);
    clock.leap(10 * DAY);
    expect(await sweep("settled", 7)).toEqual([2]);
    expect(await filled()).toEqual([2, 3, 4, 6]);
    clock.leap(90 * DAY);
    expect(await sweep("dead", 90)).toEqual([1]);
    expect((await rows("message")).find(({ id }) => id === 2)).toMatchObject({ state: "dropped", payload: null });
    // The held message may need what came after it.
    expect(await sweep("dedupe", 90)).toEqual([3]);
    expect((await rows("message")).map(({ id }) => id).sort()).toEqual([3, 4, 5]);
    await change("UPDATE message SET state = 'dropped' WHERE id = 4");
    expect(await sweep("dedupe", 90)).toEqual([2]);
    expect((await rows("message")).map(({ id }) => id)).toEqual([3]);
  });

  it("empties what was discarded a day ago, whatever its age, and keeps its row until then", async () => {
    const { channel, change, rows, sweep, clock } = await setUp();
    const add = (id: number, state: string, discardedAt: number, more = "NULL") =>
      change(`INSERT INTO message (id, account_id, channel_id, direction, state, position, payload, created_at, updated_at,
          discarded_at, ack_error)
        VALUES (${id}, '${channel.accountId}', '${channel.id}', 'inbound', '${state}', ${id}, '{}', 1, 1, ${discardedAt}, ${more})`);
    clock.leap(100 * DAY);
    const now = clock.now();
    await add(1, "dropped", now);
    await add(2, "dropped", now - 2 * DAY);
    await add(3, "done", now - 2 * DAY, "'refused'");
    expect(await sweep("dedupe", 90), "restorable").toEqual([0]);
    expect(await sweep("discarded", 1)).toEqual([2]);
    const left = (await rows("message")).map(({ id, payload, discarded_at: at }) => [id, payload, at]);
    expect(left).toEqual([
      [1, "{}", now],
      [2, null, null],
      [3, null, null],
    ]);
    expect(await sweep("dedupe", 90)).toEqual([2]);
  });

  it("deletes thousands in small batches", async () => {
    const { store, channel, clock, sweep } = await setUp();
    const rows = Array.from({ length: 1_700 }, (_, n) => ({ chat: "c", key: `k${n}`, entry: { n } }));
    await store.journal.append(channel.id, rows);
    clock.leap(DAY);
    expect(await sweep("journal", 2)).toEqual([0]);
    expect(await sweep("journal", 0.5)).toEqual([500, 500, 500, 200]);
  });

  it("deletes notes with days of their own after these, counted from the last change, whatever holds for others", async () => {
    const { store, channel, clock, sweep, names } = await setUp([
      { kind: "toy", prefix: "seen:", days: 30 },
      { kind: "toy", prefix: "ended:", days: 400 },
      { kind: "toy", prefix: "said:" },
    ]);
    const write = (...keys: string[]) =>
      store.notes.set(
        channel.id,
        keys.map((key) => ({ key, value: "1" })),
      );
    await write("seen:1", "seen:2", "ended:1", "said:1", "cursor");
    clock.leap(29 * DAY);
    await write("seen:2");
    clock.leap(2 * DAY);
    await sweep("lasting", 0);
    expect(await names("note", "key")).toEqual(["cursor", "ended:1", "said:1", "seen:2"]);
    clock.leap(200 * DAY);
    await sweep("lasting", 0);
    await sweep("notes", 90);
    expect(await names("note", "key")).toEqual(["cursor", "ended:1"]);
    clock.leap(200 * DAY);
    await sweep("lasting", 0);
    expect(await names("note", "key")).toEqual(["cursor"]);
  });

  it("deletes expiring notes and keeps the others", async () => {
    const toys = ["keyboard:", "said:", "album:", "last:"].map((prefix) => ({ kind: "toy", prefix }));
    const { store, channel, clock, sweep, names } = await setUp([
      { prefix: "avatar:" },
      ...toys,
      { kind: "other", prefix: "moved:" },
    ]);
    const keys = ["avatar:1", "keyboard:2", "said:5", "album:6", "last:3", "cursor", "moved:4", "avatars"];
    const set = (keys: string[]) =>
      store.notes.set(
        channel.id,
        keys.map((key) => ({ key, value: "v" })),
      );
    await set([...keys, "late-failure:chat:1"]);
    clock.leap(60 * DAY);
    await set(["last:3"]);
    clock.leap(31 * DAY);
    expect(await sweep("notes", 90)).toEqual([5]);
    expect(await names("note", "key")).toEqual(["avatars", "cursor", "last:3", "moved:4"]);
  });

  it("deletes expired sessions, and the audit by age", async () => {
    const { store, account, clock, rows, sweep } = await setUp();
    await store.webSessions.start(account.id);
    await store.audit.record(account.id, { actor: "account user", action: "channel added" });
    clock.leap(DAY);
    expect([await sweep("sessions", 0), await sweep("audit", 2)]).toEqual([[1], [0]]);
    expect(await rows("web_session")).toEqual([]);
    clock.leap(2 * DAY);
    expect(await sweep("audit", 2)).toEqual([1]);
  });

  it("deletes unsent uploads after a day, and sent ones with their chat", async () => {
    const { store, channel, clock, names, sweep, sweepUnsent } = await setUp();
    const keep = async () => (await store.keptFiles.keep(channel.id, fileOf("bytes"), 100, () => new Error())).id;
    const sent = await keep();
    const unsent = await Promise.all(Array.from({ length: 120 }, keep));
    const rows = Array.from({ length: 1_200 }, (_, n) => ({
      ...{ chat: "c", key: `k${n}`, entry: n === 700 ? { type: "message", files: [{ id: sent }] } : { n } },
    }));
    await store.journal.append(channel.id, rows);
    const [late = ""] = unsent;
    clock.leap(21 * 3_600_000);
    expect(await sweepUnsent(1)).toBe(0);
    await store.journal.append(channel.id, [{ chat: "c", key: "late", entry: { files: [{ id: late }] } }]);
    clock.leap(DAY);
    expect(await sweepUnsent(1)).toBe(119);
    expect(await names("kept_file", "id")).toEqual([sent, late].sort());
    clock.leap(363 * DAY);
    expect(await sweep("files", 366)).toEqual([0]);
    clock.leap(4 * DAY);
    expect(await sweep("files", 366)).toEqual([2]);
  });
});
