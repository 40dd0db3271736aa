import { statSync } from "node:fs";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import type { Check } from "../care.ts";
import { sqliteCode } from "../disk/faults.ts";
import { createSealer, type KeyRing } from "../secrets.ts";
import { newestSchema, schemaVersion } from "../sqlite/database/migrating.ts";
import { contentOf } from "../tables/contents.ts";
import { keyIdOf } from "../tables/keys.ts";
import type { MessageRow } from "../tables/schema.ts";
import { faultOf, KEY_CHECK, neededKeys, rowsAtOnce, type SealedColumn, sealedIn, sealedRows } from "./sealed.ts";

interface VerifyTarget {
  sqlite: Sqlite.Database;
  ring: KeyRing;
  /** Folder of the kept files. */
  files: string;
}

/** Faults listed per check. */
const MAX_LISTED = 20;

type CheckResult = Pick<Check, "seen" | "faults">;
type NamedCheck = [name: string, kind: Check["kind"], check: (at: VerifyTarget) => CheckResult];

/** All invariants of a database, checked on one snapshot; the server may be running. */
const CHECKS: NamedCheck[] = [
  ["integrity", "file", integrity],
  ["references", "content", references],
  ["schema", "file", version],
  ["keys", "keys", keys],
  ["sealed values", "content", (at) => sealedValues(at, sealedIn(at))],
  ["lanes", "content", ofThisVersion(lanes)],
  ["owners", "content", ofThisVersion(owners)],
  ["ledger", "content", ofThisVersion(ledger)],
  ["contents", "content", ofThisVersion(contents)],
];

/** Checks a damaged file as far as it is readable. */
export function verifyAll(at: VerifyTarget): Check[] {
  at.sqlite.exec("BEGIN");
  let checks: Check[];
  try {
    checks = CHECKS.map((check) => runCheck(at, check));
  } finally {
    // Nothing was written, and COMMIT may fail on a damaged file.
    if (at.sqlite.inTransaction) at.sqlite.exec("ROLLBACK");
  }
  return [...checks, runCheck(at, ["kept files", "content", keptFiles])];
}

function runCheck(at: VerifyTarget, [name, kind, check]: NamedCheck): Check {
  try {
    return { name, kind, ...check(at) };
  } catch (error) {
    if (!(error instanceof Error) || sqliteCode(error) === "") throw error;
    return { name, kind, seen: "cannot be checked", faults: [error.message] };
  }
}

/** Values that do not open, without raw webhooks, which are too many for a quick check. */
export const unopened = (at: VerifyTarget): string[] =>
  sealedValues(
    at,
    sealedIn(at).filter(({ long }) => !long),
  ).faults;

function summarize(seen: string, faults: string[]): CheckResult {
  const more = faults.length - MAX_LISTED;
  return { seen, faults: more > 0 ? [...faults.slice(0, MAX_LISTED), `and ${more} more`] : faults };
}

const list = <T>({ sqlite }: VerifyTarget, text: string) => sqlite.prepare<[], T>(text).all();
/** Older versions kept messages in other tables. */
function ofThisVersion(check: NamedCheck[2]): NamedCheck[2] {
  return (at) => (hasTable(at, "job") ? summarize("in an older version's tables: not checked", []) : check(at));
}
const hasTable = ({ sqlite }: VerifyTarget, name: string) =>
  sqlite.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;

function integrity({ sqlite }: VerifyTarget): CheckResult {
  const rows = sqlite.pragma(`integrity_check(${MAX_LISTED})`) as { integrity_check: string }[];
  const faults = rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
  const pages = sqlite.pragma("page_count", { simple: true }) as number;
  return summarize(`${pages} pages`, faults);
}

function references({ sqlite }: VerifyTarget): CheckResult {
  const rows = sqlite.pragma("foreign_key_check") as { table: string; rowid: number; parent: string }[];
  const faults = rows.map(({ table, rowid, parent }) => `row ${rowid} of ${table} names no row of ${parent}`);
  return summarize("all foreign keys", faults);
}

function version({ sqlite }: VerifyTarget): CheckResult {
  const [current, newest] = [schemaVersion(sqlite), newestSchema()];
  const seen = current === newest ? "of this version" : "from an older version: the next start migrates it";
  if (current === 0) return summarize("", ["this is not a Gangway database"]);
  return summarize(seen, current > newest ? ["it is from a newer version of Gangway than this program"] : []);
}

const ROWS_AT_ONCE = 500;

/** Key faults that would stop a server's start, by key id. */
function keyFaults(at: VerifyTarget): Map<string, string> {
  const has = (id: string) => at.ring.keys.some((key) => key.id === id);
  const faults = new Map<string, string>();
  const [proof] = sealedRows(at, KEY_CHECK, -1, 1);
  const proving = proof ? keyIdOf(proof.value) : undefined;
  const needed = [...neededKeys(at), ...(proving ? [proving] : [])];
  for (const id of needed) if (!has(id)) faults.set(id, `SECRET_KEYS lacks the key "${id}"`);
  if (proof && !faults.size && faultOf(createSealer(at.ring), proof.value, KEY_CHECK.address("")))
    faults.set(proving ?? "", `SECRET_KEYS has another key under the name "${proving}" than the one that sealed this`);
  return faults;
}

function keys(at: VerifyTarget): CheckResult {
  return summarize(`${at.ring.keys.length} in SECRET_KEYS`, [...keyFaults(at).values()]);
}

function sealedValues(at: VerifyTarget, columns: SealedColumn[]): CheckResult {
  const sealer = createSealer(at.ring);
  const keyFaultsById = keyFaults(at);
  const faults: string[] = [];
  let seen = 0;
  for (const column of columns) {
    const limit = rowsAtOnce(column, ROWS_AT_ONCE);
    let rows = sealedRows(at, column, -1, limit);
    while (rows.length > 0) {
      for (const { key, value } of rows) {
        seen += 1;
        // Reported once, under "keys".
        if (keyFaultsById.has(keyIdOf(value))) continue;
        const fault = faultOf(sealer, value, column.address(key));
        if (fault) faults.push(`${column.table} ${key}: ${fault}`);
      }
      rows = sealedRows(at, column, rows.at(-1)?.rowid ?? 0, limit);
    }
  }
  return summarize(`${seen} values`, faults);
}

const LIVE = "('ready','sending','waiting')";
const WAITING = "'ready','sending','waiting','held'";

/** Exactly one head per lane: its oldest live message. */
function lanes(at: VerifyTarget): CheckResult {
  const live = `SELECT channel_id, direction, chat, min(position) AS oldest, sum(head) AS heads, max(head * position) AS head,
    min(id) AS id FROM message WHERE state IN ${LIVE} GROUP BY channel_id, direction, chat`;
  const rows = list<{ id: number; heads: number }>(
    at,
    `SELECT id, heads FROM (${live}) WHERE heads <> 1 OR head <> oldest`,
  );
  const ended = list<{ id: number; state: string }>(
    at,
    `SELECT id, state FROM message WHERE head <> 0 AND state NOT IN ${LIVE}`,
  );
  const [{ number } = { number: 0 }] = list<{ number: number }>(at, `SELECT count(*) AS number FROM (${live})`);
  const faults = [
    ...rows.map(({ id, heads }) => `the lane of message ${id} should have one head, its oldest, and has ${heads}`),
    ...ended.map(({ id, state }) => `message ${id} has ended (${state}) but is still the head of its lane`),
  ];
  return summarize(`${number} lanes with waiting work`, faults);
}

/** Every message's channel exists and belongs to the message's account. */
function owners(at: VerifyTarget): CheckResult {
  const rows = list<{ id: number }>(
    at,
    `SELECT message.id FROM message LEFT JOIN channel ON channel.id = message.channel_id
      WHERE channel.id IS NULL OR channel.account_id <> message.account_id`,
  );
  const [{ number } = { number: 0 }] = list<{ number: number }>(at, "SELECT count(*) AS number FROM message");
  const faults = rows.map(({ id }) => `message ${id} belongs to a channel that its account does not have`);
  return summarize(`${number} messages`, faults);
}

export function holeInWords(channelId: string, hole: number, of: "event" | "ack" = "event"): string {
  const counted = Math.abs(hole) === 1 ? `1 ${of} is` : `${Math.abs(hole)} ${of}s are`;
  return `channel ${channelId}: ${counted} ${hole > 0 ? "missing" : "too many"}`;
}

/** Every accepted event is delivered, refused or waiting; acks likewise. */
function ledger(at: VerifyTarget): CheckResult {
  const rows = list<{ id: string; accepted: number; hole: number; acks: number }>(
    at,
    `SELECT tally.channel_id AS id, accepted, accepted - delivered - refused - coalesce(waiting.events, 0) AS hole,
      acks_owed - acks_given - acks_refused - coalesce(waiting.acks, 0) AS acks
      FROM tally LEFT JOIN (
        SELECT message.channel_id, sum(message.events) FILTER (WHERE coalesce(carrier.state, message.state) IN (${WAITING})) AS events,
          sum(message.ack IN ('due','sending')) AS acks
        FROM message LEFT JOIN message AS carrier ON carrier.id = message.carrier GROUP BY message.channel_id
      ) AS waiting ON waiting.channel_id = tally.channel_id`,
  );
  const faults = rows.flatMap(({ id, hole, acks }) => [
    ...(hole === 0 ? [] : [holeInWords(id, hole)]),
    ...(acks === 0 ? [] : [holeInWords(id, acks, "ack")]),
  ]);
  return summarize(`${rows.reduce((sum, row) => sum + row.accepted, 0)} accepted events`, faults);
}

function keptFiles(at: VerifyTarget): CheckResult {
  const rows = list<{ id: string; size: number }>(at, "SELECT id, size FROM kept_file");
  const isKept = at.sqlite.prepare("SELECT 1 FROM kept_file WHERE id = ?");
  const faults = rows.flatMap(({ id, size }) => {
    const found = statSync(join(at.files, id), { throwIfNoEntry: false });
    // The running server may have just deleted it: row first, then bytes.
    if (!found) return isKept.get(id) ? [`the bytes of the file ${id} are not there`] : [];
    return found.size === size ? [] : [`the file ${id} has ${found.size} bytes and should have ${size}`];
  });
  return summarize(`${rows.length} files`, faults);
}

/** The payload of every job that waits or may be resent is readable. */
function contents(at: VerifyTarget): CheckResult {
  const rows = at.sqlite.prepare<[], Pick<MessageRow, "id" | "state" | "direction" | "payload" | "work">>(
    `SELECT id, state, direction, payload, work FROM message WHERE state IN ${LIVE} OR state IN ('held','dead')`,
  );
  const faults: string[] = [];
  let seen = 0;
  for (const row of rows.iterate()) {
    seen += 1;
    if (!contentOf(row)) faults.push(`message ${row.id} (${row.state}) cannot be read`);
  }
  return summarize(`${seen} messages that wait or were not delivered`, faults);
}
