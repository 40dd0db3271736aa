import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { Client } from "pg";
import { expect, onTestFinished } from "vitest";
import type { Account, Lease } from "../../src/domain/account.ts";
import type { Channel } from "../../src/domain/channel.ts";
import type { Job } from "../../src/domain/delivery.ts";
import { openStore } from "../../src/store/open.ts";
import { openPostgres } from "../../src/store/postgres/open.ts";
import type { Store } from "../../src/store/store.ts";
import { type HandClock, handClock } from "../support/clock.ts";
import { databaseWithTables } from "../support/postgres.ts";
import { addAccount, addChannel, KEY_RING, takeLease } from "../support/store.ts";
import { type Entry, headOf, ledger, live, type Model, partsOf } from "./lanes.ts";

/** Breaks one promise of the store; the model run must notice. */
export type Saboteur = (store: Store, sql: Sqlite.Database) => Store;

type Tested = Pick<Store, "accounts" | "channels" | "leases" | "ledger" | "outbox">;

/** A database shared by many runs, each with its own account. */
export interface Bench {
  clock: HandClock;
  store(): Tested;
  reopen(): Promise<void>;
  /** `text`: a statement in words that both engines know, with the engine's own in place of `PIECES` and `VALUE`. */
  rows<T>(text: string): Promise<T[]>;
  /** The last id of a message. */
  lastId(): Promise<number>;
  /** The store knows what was changed by others. */
  settled(): Promise<unknown>;
  close(): void;
}

const OWN = {
  SQLite: {
    PIECES: "(SELECT group_concat(value ->> 'messengerMessageId') FROM json_each(payload, '$.pieces'))",
    VALUE: "value",
  },
  PostgreSQL: {
    PIECES: `(SELECT string_agg(piece ->> 'messengerMessageId', ',') FROM json_array_elements(CAST(payload AS json) -> 'pieces') AS piece)`,
    VALUE: "CAST(value AS json)",
  },
};
const inWordsOf = (engine: keyof typeof OWN, text: string) =>
  text.replaceAll("PIECES", () => OWN[engine].PIECES).replaceAll("VALUE", () => OWN[engine].VALUE);

export async function openPostgresBench(): Promise<Bench> {
  const clock = handClock();
  const url = await databaseWithTables();
  const open = () => openPostgres({ url, keyRing: KEY_RING, clock });
  let store = await open();
  const look = new Client({ connectionString: url });
  await look.connect();
  onTestFinished(async () => {
    await look.end();
    await store.close();
  });
  const rows = async <T>(text: string) => (await look.query(inWordsOf("PostgreSQL", text))).rows as T[];
  return {
    clock,
    rows,
    store: () => store,
    async reopen() {
      await store.close();
      await rows("DELETE FROM member");
      store = await open();
    },
    lastId: async () =>
      (await rows<{ id: number }>("SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM message_id_seq"))[0]
        ?.id ?? 0,
    settled: () => store.outbox.refresh(),
    close: () => undefined,
  };
}

export async function openBench(saboteur: Saboteur = (store) => store): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), "gangway-model-"));
  const clock = handClock();
  const open = () => openStore({ folder, keyRing: KEY_RING, clock });
  let real = await open();
  const look = new Sqlite(join(folder, "gangway.db"));
  let store = saboteur(real, look);
  return {
    clock,
    rows: async <T>(text: string) => {
      const statement = look.prepare(inWordsOf("SQLite", text));
      return (statement.reader ? statement.all() : [void statement.run()]) as T[];
    },
    lastId: async () =>
      Number(look.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'message'").pluck().get() ?? 0),
    settled: async () => undefined,
    store: () => store,
    async reopen() {
      real.close();
      real = await open();
      store = saboteur(real, look);
    },
    close() {
      look.close();
      real.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The store's side of one run. */
export interface Real {
  bench: Bench;
  account: Account;
  channels: Channel[];
  lease: Lease;
  /** Messages of this run have higher ids. */
  base: number;
  claimed: Job[];
  /** Claimed under a stale lease. */
  stale: Job[];
  /** By lane: positions in the order of their first claim. */
  order: Map<string, number[]>;
  steps: { count: number };
}

let runs = 0;
export async function begin(bench: Bench, steps: { count: number }): Promise<{ model: Model; real: Real }> {
  runs += 1;
  // Jobs left by the previous run would expire in this one.
  await bench.rows("DELETE FROM message");
  const store = bench.store();
  const account = await addAccount(store, `model-${runs}`);
  const channels = [await addChannel(store, account), await addChannel(store, account)];
  await store.channels.change(channels[1]?.id as Channel["id"], { name: "hold", settings: {}, unsure: "hold" });
  const lease = await takeLease(store, account.id, "model");
  const base = await bench.lastId();
  const model: Model = {
    ...{ now: bench.clock.now(), entries: [], last: base, known: new Set<string>() },
    ...{ frozen: false, trouble: false, restUntil: 0, kept: new Set<string>() },
    channels: [
      { state: "active", hold: false, acks: { owed: 0, given: 0, refused: 0 } },
      { state: "active", hold: true, acks: { owed: 0, given: 0, refused: 0 } },
    ],
  };
  const real = { bench, account, channels, lease, base, claimed: [], stale: [], order: new Map(), steps };
  return { model, real };
}

const SAME = {
  ...{ id: "id", position: "position", state: "state", carrier: "carrier", attempts: "attempts", unsure: "unsure" },
  ...{ crashes: "crashes", fatal: "fatal_crashes", runAt: "run_at", deadlineAt: "deadline_at", events: "events" },
  ...{ ack: "ack", ackVersion: "ack_version", ackAttempts: "ack_attempts", ackAt: "ack_at" },
  ...{
    ackDeadlineAt: "ack_deadline_at",
    generation: "generation",
    late: "CASE WHEN late_at IS NULL THEN 0 ELSE 1 END",
  },
} as const;
const NAMES = Object.keys(SAME) as (keyof typeof SAME)[];
type Row = Pick<Entry, keyof typeof SAME> & { lane: string; head: number; pieces: string };
/** The time of a message that has ended means nothing. */
const RUN_AT = `CASE WHEN state IN ('ready','sending','waiting') THEN run_at ELSE 0 END AS "runAt"`;
const ROWS = `SELECT ${NAMES.map((name) => (name === "runAt" ? RUN_AT : `${SAME[name]} AS "${name}"`))}, channel_id || direction || chat AS lane, head,
  PIECES AS pieces FROM message`;

/** Compares store and model, then checks invariants on the rows alone. */
export async function compare(model: Model, real: Real): Promise<void> {
  real.steps.count += 1;
  const rows = await real.bench.rows<Row>(`${ROWS} WHERE id > ${real.base} ORDER BY id`);
  const expected = model.entries.map((entry) => ({
    ...Object.fromEntries(NAMES.map((name) => [name, entry[name]])),
    runAt: live(entry) ? entry.runAt : 0,
    head: headOf(model, entry.lane) === entry ? 1 : 0,
    pieces: piecesOf(model, entry),
  }));
  expect(rows.map(({ lane: _, ...row }) => row)).toEqual(expected);
  const lanes = new Map<string, Row[]>();
  for (const row of rows) lanes.set(row.lane, [...(lanes.get(row.lane) ?? []), row]);
  expect(await keptIn(real)).toEqual([...model.kept].sort());
  expect(lanes.size).toBe(new Set(model.entries.map(({ lane }) => lane)).size);
  for (const [lane, messages] of lanes)
    expect(messages.filter(({ state }) => state === "sending").length, `${lane} sends one at a time`).toBeLessThan(2);
  for (const [lane, order] of real.order) expect(order, `${lane} in order`).toEqual(order.toSorted((a, b) => a - b));
  await compareSums(model, real);
}

/** As the model names them. */
async function keptIn({ bench, channels }: Real): Promise<string[]> {
  const kept: string[] = [];
  for (const [n, { id }] of channels.entries()) {
    const rows = await bench.rows<{ key: string }>(`SELECT substr(key, length('late-failure:') + 1) AS key FROM note
      WHERE channel_id = '${id}' AND key LIKE 'late-failure:%' AND VALUE ->> 'message' = 'no'`);
    kept.push(...rows.map(({ key }) => `${n} ${key}`));
  }
  return kept.sort();
}

/** The pieces in the payload of an album of several parts, in the messenger's order. */
function piecesOf(model: Model, entry: Entry): string | null {
  const parts = partsOf(model, entry);
  if (parts.length < 2) return null;
  const names = parts.map(({ name = "" }) => name);
  return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).join(",");
}

async function compareSums(model: Model, real: Real): Promise<void> {
  const { outbox, ledger: rowsOf } = real.bench.store();
  await real.bench.settled();
  const rows = await rowsOf(real.account.id);
  for (const [n, { id }] of real.channels.entries())
    expect(rows.find(({ channelId }) => channelId === id)).toMatchObject(ledger(model, n));
  const { due, later = Number.POSITIVE_INFINITY } = outbox.nextDue(real.account.id);
  // Early costs a claim that finds nothing; late would be a message that waits.
  expect(due.length > 0 ? model.now : later).toBeLessThanOrEqual(Math.max(model.now, nextDue(model)));
}

function nextDue(model: Model): number {
  if (model.frozen) return Number.POSITIVE_INFINITY;
  const heads = model.entries.filter(
    (entry) =>
      live(entry) &&
      entry.state === "ready" &&
      headOf(model, entry.lane) === entry &&
      model.channels[entry.channel]?.state !== "paused",
  );
  const dueAt = ({ way, runAt }: Entry) => (way === "outbound" ? runAt : Math.max(model.restUntil, runAt));
  const acks = model.entries.filter(({ ack }) => ack === "due");
  const times = [...heads.map(dueAt), ...acks.map(({ ackAt }) => Math.max(model.restUntil, ackAt ?? 0))];
  return Math.min(...times);
}
