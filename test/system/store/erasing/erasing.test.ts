import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "gangway-messenger/clock";
import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { JobId } from "../../../../src/domain/ids.ts";
import { sqliteErasingEngine } from "../../../../src/store/care/erasing.ts";
import { byUser } from "../../../../src/store/care.ts";
import { erasureStore } from "../../../../src/store/erasing/erasure.ts";
import { createSealer } from "../../../../src/store/secrets.ts";
import { type Database, openDatabase } from "../../../../src/store/sqlite/database/db.ts";
import { rewriteHere } from "../../../../src/store/sqlite/database/traces.ts";
import { outbox } from "../../../../src/store/sqlite/outbox/outbox.ts";
import { leaseStore } from "../../../../src/store/sqlite/tables/engine.ts";
import { agentSays, chatOf, customerSays } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { rowsOf } from "../../../support/rows.ts";
import {
  addAccount,
  addChannel,
  KEY_RING,
  oneChannel,
  takeLease,
  temporaryFolder,
  temporaryStore,
} from "../../../support/store.ts";
import { tracesIn } from "../../../support/traces.ts";

const ERASED = byUser("customer erased");
const PATIENCE = 3_600_000;
const EXPIRING = [{ prefix: "said:" }];
const BOUNDS = { perAccount: 100_000 };
const WORDS = ["ann4711", "ann's words"];

/** A folder with a talkative customer, a quiet one, and another account; nobody has it open. */
async function stored(messages: number, words = "words") {
  const { folder, store, account, channel } = await oneChannel({ erasableNotes: EXPIRING, bounds: BOUNDS });
  await addChannel(store, await addAccount(store, "other"));
  const event = (chat: string, n: number) => customerSays(`${chat}-${n}`, `${chat.slice(0, 3)}'s ${words}`, chat);
  const arrive = (chat: string, all: ReturnType<typeof event>[]) =>
    store.outbox.acceptInbound(channel, {
      events: all,
      raw: () => ({ path: "", headers: {}, body: JSON.stringify(all) }),
      journal: all.map((each) => ({ chat, key: each.key, entry: each })),
      notes: all.map(({ key }) => ({ key: `said:${chat}:${key}`, value: `${chat.slice(0, 3)}'s words` })),
    });
  for (let n = 0; n < messages; n += 50)
    await arrive(
      "ann4711",
      Array.from({ length: 50 }, (_, m) => event("ann4711", n + m)),
    );
  const lease = await takeLease(store, account.id, "test");
  // Under way when the erasure begins.
  await store.outbox.claim(lease, roomFor(1));
  await arrive("bob4712", [event("bob4712", 1)]);
  await store.outbox.acceptOutbound(channel, {
    ...{ key: "o:1", act: agentSays("1", "ann's words, repeated", "ann4711"), patienceMs: PATIENCE },
  });
  store.close();
  const person = { channelId: channel.id, chat: "ann4711" as ChatId, customer: "ann4711" as CustomerId };
  return { folder, account, channel, person };
}

/** The store's erasures, on a database whose writes the test watches. */
function opened(folder: string, around: (db: Database, work: () => unknown, n: number) => unknown) {
  const sealer = createSealer(KEY_RING);
  const db = openDatabase(folder, { sealer });
  const { write } = db;
  let n = 0;
  db.write = (work, options) => {
    const own = n++;
    return write(() => around(db, work, own) as never, options);
  };
  return {
    db,
    erasure: erasureStore({
      erasingEngine: sqliteErasingEngine(db, folder, rewriteHere),
      sealer,
      clock: systemClock,
      notes: EXPIRING,
    }),
  };
}

/** Adds the number of rows that `work` changes. */
function counted({ sqlite }: Database, work: () => unknown, changed: number[]): unknown {
  const total = () => sqlite.prepare("SELECT total_changes()").pluck().get() as number;
  const before = total();
  const result = work();
  changed.push(total() - before);
  return result;
}

describe("an erasure of many messages", () => {
  it.each(["customer", "account"])(
    "of %s goes in small transactions after the first, with room for others between them",
    async (of) => {
      const { folder, account, person } = await stored(1_500);
      const changed: number[] = [];
      const ticks: number[] = [];
      let [tick, over] = [0, false];
      const { db, erasure } = opened(folder, (at, work) => {
        ticks.push(tick);
        return counted(at, work, changed);
      });
      const counting = (async () => {
        for (; !over; tick += 1) await setImmediate();
      })();
      db.sqlite.prepare("UPDATE account SET active = 0 WHERE id = ?").run(account.id);
      const erased = await (of === "account"
        ? erasure.account(account.id, ERASED)
        : erasure.customer(account.id, person, ERASED));
      over = true;
      await counting;
      db.close();
      expect(erased).toMatchObject({ messages: of === "account" ? 1_502 : 1_501, gone: true });
      // What waits ends at once, so that nothing is sent any more: of a message itself, and what the ledger books.
      expect(changed.shift()).toBeLessThanOrEqual(of === "account" ? 50 : 3_050);
      // Of a message: itself, and its hash.
      expect(Math.max(...changed)).toBeLessThanOrEqual(350);
      expect(changed.length).toBeGreaterThan(30);
      expect(new Set(ticks).size).toBe(ticks.length);
      expect(tracesIn(folder, WORDS)).toEqual([]);
    },
  );

  it("goes in smaller ones where the texts are long", async () => {
    const { folder, account, person } = await stored(100, "words ".repeat(8_000));
    const changed: number[] = [];
    const { db, erasure } = opened(folder, (at, work) => counted(at, work, changed));
    await erasure.customer(account.id, person, ERASED);
    db.close();
    changed.shift();
    // Three of 48 kB, and their notes, which are short.
    expect(Math.max(...changed)).toBeLessThanOrEqual(110);
    expect(changed.length).toBeGreaterThan(60);
  });

  it("is in force from its first transaction on", async () => {
    const { folder, account, person, channel } = await stored(250);
    let begun: (() => void) | undefined;
    const first = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { db, erasure } = opened(folder, (_, work, n) => {
      if (n === 1) begun?.();
      if (n >= 1) throw new Error("killed");
      return work();
    });
    await expect(erasure.customer(account.id, person, ERASED)).rejects.toThrow("killed");
    await first;
    db.close();
    // What is left says whom it is about only under its seal.
    const { erasure: left } = rowsOf(folder, ["erasure"]);
    expect(left).toHaveLength(1);
    expect(JSON.stringify(left)).not.toContain("4711");
    const store = await temporaryStore(systemClock, folder, { erasableNotes: EXPIRING, bounds: BOUNDS });
    const lease = await takeLease(store, account.id, "next");
    expect(await store.outbox.takeOver(lease)).toEqual([]);
    const claimed = await store.outbox.claim(lease, roomFor(50));
    expect(claimed.map(chatOf)).toEqual(["bob4712"]);
    const again = customerSays("ann4711-7", "ann's words", "ann4711");
    const arrival = { events: [again], journal: [{ chat: "ann4711", key: "late", entry: "ann's words" }] };
    expect(await store.outbox.acceptInbound(channel, arrival)).toBe(0);
    expect(await store.messages.knowsChat(channel.id, "ann4711" as ChatId)).toBe(false);
    const late = { key: "o:2", act: agentSays("2", "ann's words", "ann4711"), patienceMs: PATIENCE, toKnown: true };
    expect(await store.outbox.acceptOutbound(channel, late)).toBe(false);
    await store.journal.append(channel.id, [{ chat: "ann4711", key: "late", entry: "ann's words" }]);
    await store.notes.set(channel.id, [{ key: "said:ann4711:late", value: "ann's words" }]);
    expect(await store.journal.under(channel.id, "ann4711", "late")).toEqual([]);
    expect(await store.notes.get(channel.id, "said:ann4711:late")).toBeUndefined();
    // A new message begins a new conversation, which the rest of the erasure leaves alone.
    const anew = customerSays("ann4711-new", "hello again", "ann4711");
    await store.outbox.acceptInbound(channel, {
      ...{ events: [anew], journal: [{ chat: "ann4711", key: "new", entry: "hello again" }] },
    });
    expect(await store.erasure.resume()).toMatchObject([{ gone: true }]);
    expect(tracesIn(folder, ["ann's words"])).toEqual([]);
    expect(await store.journal.under(channel.id, "ann4711", "new")).toHaveLength(1);
    expect((await store.outbox.claim(lease, roomFor(50))).map(({ task }) => task)).toMatchObject([
      { event: { content: { text: "hello again" } } },
    ]);
    expect((await store.ledger()).map(({ hole, acks }) => [hole, acks.hole])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

describe("work under way when an erasure begins", () => {
  it("records nothing any more, nor does a person's decision", async () => {
    const { folder, account, person } = await stored(50);
    let killed = false;
    const { db, erasure } = opened(folder, (_, work) => {
      if (killed) throw new Error("killed");
      return work();
    });
    const sealer = createSealer(KEY_RING);
    const box = outbox(db, sealer, systemClock);
    const lease = await takeLease({ leases: leaseStore(db) }, account.id, "next");
    await box.takeOver(lease);
    db.sqlite.exec(
      "UPDATE message SET state = 'ready', head = (direction = 'outbound' OR id = 1), ack = 'due', ack_body = '{\"gatewayMessageId\":\"1\"}', ack_at = 0",
    );
    const jobs = await box.claim(lease, roomFor(60));
    const [work, ack] = [
      jobs.find(({ direction }) => direction !== "ack"),
      jobs.find(({ direction }) => direction === "ack"),
    ];
    if (!work || !ack) throw new Error("nothing is under way");
    db.sqlite.exec("UPDATE message SET state = 'dead' WHERE state = 'ready'");
    // Neither live nor owed: only what is asked at a decision protects it.
    db.sqlite.exec("UPDATE message SET ack = NULL, ack_body = NULL WHERE id = 30");
    const first = db.write;
    const oneWrite: typeof first = (act, options) => {
      const done = first(act, options);
      db.write = () => Promise.reject(new Error("killed"));
      return done;
    };
    db.write = oneWrite;
    await expect(erasure.customer(account.id, person, ERASED)).rejects.toThrow("killed");
    db.write = first;
    const before = db.sqlite.prepare("SELECT * FROM message").all() as { state: string; ack: unknown; chat: string }[];
    expect(before.filter(({ state, ack, chat }) => chat === "ann4711" && (state === "sending" || ack))).toEqual([]);
    const parts = [{ messengerMessageId: "late" as MessengerMessageId, holds: "text" as const, words: "ann's words" }];
    const dead = { state: "dead", code: "general" } as const;
    const again = { state: "ready", runAt: 0, countAttempt: true, unsure: 0 } as const;
    const late = [
      box.done(work, { parts, note: { ...customerSays("n", "", "ann4711"), type: "note", text: "ann's words" } }),
      box.failed(work, dead, "refused", {}),
      box.failed(work, again, "later", {}),
      box.postponed(work, 0),
      box.callStarted(work),
      box.inOwnCode(work, true),
      ...[box.done(ack, {}), box.failed(ack, dead, "refused", {}), box.postponed(ack, 0), box.inOwnCode(ack, true)],
      box.sendAgain(account.id, 30 as JobId, PATIENCE),
      box.givenUp(account.id, 30 as JobId),
      box.discarded(account.id, 30 as JobId, 1),
      box.restored(account.id, 30 as JobId),
    ];
    expect(await Promise.all(late)).toEqual(late.map(() => false));
    expect(db.sqlite.prepare("SELECT * FROM message").all()).toEqual(before);
    expect(await box.revoked([work, ack])).toEqual([work, ack]);
    killed = true;
    db.close();
  });
});

describe("an erasure that a crash interrupts", () => {
  it.each(["customer", "account"])(
    "of %s is finished at the next start, or by a repeat, wherever it was",
    async (of) => {
      const { folder: full, account, person } = await stored(150);
      const copy = () => {
        const folder = temporaryFolder();
        cpSync(full, folder, { recursive: true });
        return folder;
      };
      const erase = (erasure: ReturnType<typeof erasureStore>) =>
        of === "account" ? erasure.account(account.id, ERASED) : erasure.customer(account.id, person, ERASED);
      const run = async (folder: string, killedAt: number) => {
        let writes = 0;
        const { db, erasure } = opened(folder, (_, work, n) => {
          writes = n + 1;
          if (n >= killedAt) throw new Error("killed");
          return work();
        });
        db.sqlite.prepare("UPDATE account SET active = 0 WHERE id = ?").run(account.id);
        await erase(erasure).catch(() => {});
        db.close();
        return writes;
      };
      const all = await run(copy(), Number.POSITIVE_INFINITY);
      expect(all).toBeGreaterThan(6);
      for (let killedAt = 1; killedAt < all; killedAt++) {
        const folder = copy();
        await run(folder, killedAt);
        const store = await temporaryStore(systemClock, folder, { erasableNotes: EXPIRING });
        if (killedAt % 2 === 0) expect(await erase(store.erasure as never)).toMatchObject({ gone: true });
        else expect(await store.erasure.resume()).toMatchObject([{ gone: true }]);
        expect([killedAt, tracesIn(folder, WORDS)]).toEqual([killedAt, []]);
        expect(rowsOf(folder, ["erasure"]).erasure).toEqual([]);
        const [entry] = await store.audit.list({ limit: 1 });
        expect(entry).toMatchObject({ action: "customer erased", detail: { messages: of === "account" ? 152 : 151 } });
        expect((await store.ledger()).filter(({ hole, acks }) => hole !== 0 || acks.hole !== 0)).toEqual([]);
        expect(await store.erasure.resume()).toEqual([]);
        store.close();
      }
      expect(readFileSync(join(full, "gangway.db")).includes("ann's words")).toBe(true);
    },
  );
});
