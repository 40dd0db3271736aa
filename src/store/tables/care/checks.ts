import { holeInWords } from "../../../domain/account.ts";
import type { Check, ContentFigures } from "../../care.ts";
import { createSealer, type KeyRing } from "../../secrets.ts";
import { all, first, type Verb } from "../engine.ts";
import { contentOf } from "../messages/messages.ts";
import type { MessageRow } from "../schema.ts";
import { faultOf, KEY_CHECK, keyIdOf, lackingKeys, rowsAtOnce, type SealedColumn, sealedRows } from "./sealed.ts";

// Invariants of a database, whatever its engine.

export type CheckResult = Pick<Check, "seen" | "faults">;

/** Faults listed per check. */
export const MAX_LISTED = 20;

export function summarize(seen: string, faults: string[]): CheckResult {
  const more = faults.length - MAX_LISTED;
  return { seen, faults: more > 0 ? [...faults.slice(0, MAX_LISTED), `and ${more} more`] : faults };
}

/** Rows read at once. */
const ROWS_AT_ONCE = 500;

export interface Keys {
  ring: KeyRing;
  /** The sealed columns that the database has. */
  columns: SealedColumn[];
}

/** Key faults that would stop a server's start, by key id. */
function* keyFaults({ ring, columns }: Keys): Verb<Map<string, string>> {
  const known = ring.keys.map(({ id }) => id);
  const faults = new Map<string, string>();
  const [proof] = yield* sealedRows(KEY_CHECK, -1, 1);
  const proving = proof ? keyIdOf(proof.value) : undefined;
  const lacking = yield* lackingKeys(known, columns);
  if (proving && !known.includes(proving)) lacking.push(proving);
  for (const id of lacking) faults.set(id, `SECRET_KEYS lacks the key "${id}"`);
  if (proof && !faults.size && faultOf(createSealer(ring), proof.value, KEY_CHECK.address("")))
    faults.set(proving ?? "", `SECRET_KEYS has another key under the name "${proving}" than the one that sealed this`);
  return faults;
}

function* keys(of: Keys): Verb<CheckResult> {
  return summarize(`${of.ring.keys.length} in SECRET_KEYS`, [...(yield* keyFaults(of)).values()]);
}

function* sealedValues(of: Keys, columns = of.columns): Verb<CheckResult> {
  const sealer = createSealer(of.ring);
  const keyFaultsById = yield* keyFaults(of);
  const faults: string[] = [];
  let seen = 0;
  for (const column of columns) {
    const limit = rowsAtOnce(column, ROWS_AT_ONCE);
    let rows = yield* sealedRows(column, -1, limit);
    while (rows.length > 0) {
      for (const { key, value } of rows) {
        seen += 1;
        // Reported once, under "keys".
        if (keyFaultsById.has(keyIdOf(value))) continue;
        const fault = faultOf(sealer, value, column.address(key));
        if (fault) faults.push(`${column.table} ${key}: ${fault}`);
      }
      rows = yield* sealedRows(column, rows.at(-1)?.number ?? 0, limit);
    }
  }
  return summarize(`${seen} values`, faults);
}

/** Values that do not open. Skips raw webhooks, which are too many for a quick check. */
function* unopened(of: Keys): Verb<string[]> {
  const { faults } = yield* sealedValues(
    of,
    of.columns.filter(({ long }) => !long),
  );
  return faults;
}

const LIVE = "('ready','sending','waiting')";
const WAITING = "'ready','sending','waiting','held'";
const LANES = `SELECT channel_id, direction, chat, min(position) AS oldest, sum(head) AS heads, max(head * position) AS head,
  min(id) AS id FROM message WHERE state IN ${LIVE} GROUP BY channel_id, direction, chat`;

function* numberOf(text: string): Verb<number> {
  return (yield* all<{ number: number }>(`SELECT count(*) AS number FROM ${text}`))[0]?.number ?? 0;
}

/** Exactly one head per lane: its oldest live message. */
function* lanes(): Verb<CheckResult> {
  const rows = yield* all<{ id: number; heads: number }>(
    `SELECT id, heads FROM (${LANES}) AS lane WHERE heads <> 1 OR head <> oldest`,
  );
  const ended = yield* all<{ id: number; state: string }>(
    `SELECT id, state FROM message WHERE head <> 0 AND state NOT IN ${LIVE}`,
  );
  const faults = [
    ...rows.map(({ id, heads }) => `the lane of message ${id} should have one head, its oldest, and has ${heads}`),
    ...ended.map(({ id, state }) => `message ${id} has ended (${state}) but is still the head of its lane`),
  ];
  return summarize(`${yield* numberOf(`(${LANES}) AS lane`)} lanes with waiting work`, faults);
}

/** Every message's channel exists and belongs to the message's account. */
function* owners(): Verb<CheckResult> {
  const rows = yield* all<{ id: number }>(
    `SELECT message.id AS id FROM message LEFT JOIN channel ON channel.id = message.channel_id
      WHERE channel.id IS NULL OR channel.account_id <> message.account_id`,
  );
  const faults = rows.map(({ id }) => `message ${id} belongs to a channel that its account does not have`);
  return summarize(`${yield* numberOf("message")} messages`, faults);
}

/** Every accepted event is delivered, refused or waiting; acks likewise. */
function* ledger(): Verb<CheckResult> {
  const rows = yield* all<{ id: string; accepted: number; hole: number; acks: number }>(
    `SELECT tally.channel_id AS id, accepted, accepted - delivered - refused - coalesce(waiting.events, 0) AS hole,
      acks_owed - acks_given - acks_refused - coalesce(waiting.acks, 0) AS acks
      FROM tally LEFT JOIN (
        SELECT message.channel_id, sum(message.events) FILTER (WHERE coalesce(carrier.state, message.state) IN (${WAITING})) AS events,
          count(*) FILTER (WHERE message.ack IN ('due','sending')) AS acks
        FROM message LEFT JOIN message AS carrier ON carrier.id = message.carrier GROUP BY message.channel_id
      ) AS waiting ON waiting.channel_id = tally.channel_id`,
  );
  const faults = rows.flatMap(({ id, hole, acks }) => [
    ...(hole === 0 ? [] : [holeInWords(id, hole)]),
    ...(acks === 0 ? [] : [holeInWords(id, acks, "ack")]),
  ]);
  return summarize(`${rows.reduce((sum, row) => sum + row.accepted, 0)} accepted events`, faults);
}

type ContentRow = Pick<MessageRow, "id" | "state" | "direction" | "payload" | "work">;
const CONTENTS = `SELECT id, state, direction, payload, work FROM message
  WHERE id > @after AND (state IN ${LIVE} OR state IN ('held','dead')) ORDER BY id LIMIT ${ROWS_AT_ONCE}`;

/** The payload of every job that waits or may be resent is readable. */
function* contents(): Verb<CheckResult> {
  const faults: string[] = [];
  let seen = 0;
  let rows: ContentRow[] = [];
  for (let after = Number.MIN_SAFE_INTEGER; ; after = rows.at(-1)?.id ?? after) {
    rows = yield* all<ContentRow>(CONTENTS, { after });
    if (rows.length === 0) return summarize(`${seen} messages that wait or were not delivered`, faults);
    seen += rows.length;
    for (const row of rows) if (!contentOf(row)) faults.push(`message ${row.id} (${row.state}) cannot be read`);
  }
}

export type SharedCheck = [name: string, kind: Check["kind"], check: () => Verb<CheckResult>];

/** Checks that both engines share, in this order. */
export const sharedChecks = (of: Keys): SharedCheck[] => [
  ["keys", "keys", () => keys(of)],
  ["sealed values", "content", () => sealedValues(of)],
  ["lanes", "content", lanes],
  ["owners", "content", owners],
  ["ledger", "content", ledger],
  ["contents", "content", contents],
];

/** Conditions repeat those of the partial indexes, so that only waiting and undelivered messages are read. */
const JOBS = {
  waiting: `(SELECT count(*) FROM message WHERE state IN ('ready','sending','waiting'))
    + (SELECT count(*) FROM message WHERE ack IN ('due','sending'))`,
  held: "(SELECT count(*) FROM message WHERE (state IN ('held','dead') OR ack = 'refused') AND state = 'held')",
  dead: "(SELECT count(*) FROM message WHERE (state IN ('held','dead') OR ack = 'refused') AND state <> 'held')",
};
const COUNTS = `SELECT ${Object.entries(JOBS).map(([name, number]) => `${number} AS ${name}`)},
  (SELECT count(*) FROM parked WHERE channel_id IS NOT NULL) AS "ofChannels",
  (SELECT count(*) FROM parked WHERE channel_id IS NULL) AS strangers,
  (SELECT min(created_at) FROM message WHERE state IN ('ready','sending','waiting')) AS oldest`;

/** The last rows of each growing table reveal a clock that ran ahead. */
const lastIn = (table: string, key: string, time: string) =>
  `SELECT max(at) AS at FROM (SELECT ${time} AS at FROM ${table} ORDER BY ${key} DESC LIMIT 100) AS last`;
const NEWEST = [
  lastIn("message", "id", "created_at"),
  lastIn("journal", "position", "created_at"),
  lastIn("audit", "id", "at"),
];

const TROUBLED = `SELECT id, account_id AS "accountId", name, state, coalesce(trouble, '') AS trouble FROM channel
  WHERE state <> 'removed' AND (state = 'stopped' OR trouble IS NOT NULL) ORDER BY id LIMIT 100`;

type Counts = ContentFigures["jobs"] & ContentFigures["parked"] & { oldest: number | null };

/** Figures for the operator, from either engine. */
export function* contentFigures(of: Keys): Verb<ContentFigures> {
  const { waiting, held, dead, ofChannels, strangers, oldest } = (yield* first<Counts>(COUNTS)) as Counts;
  return {
    jobs: { waiting, held, dead },
    parked: { ofChannels, strangers },
    oldestWaiting: oldest ?? undefined,
    newest: yield* newest(),
    unopened: yield* unopened(of),
    troubled: yield* all<ContentFigures["troubled"][number]>(TROUBLED),
  };
}

function* newest(): Verb<number | undefined> {
  const times: number[] = [];
  for (const text of NEWEST) {
    const at = (yield* first<{ at: number | null }>(text))?.at ?? null;
    if (at !== null) times.push(at);
  }
  return times.length === 0 ? undefined : Math.max(...times);
}
