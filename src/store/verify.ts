import { statSync } from "node:fs";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { newestSchema, schemaVersion } from "./db.ts";
import { contentOf, type JobRow } from "./queue.ts";
import { rowsAtOnce, sealedIn, sealedRows } from "./sealed.ts";
import { createSealer, type KeyRing, SealError } from "./secrets.ts";

/** One thing that was looked at; `faults` are for the operator and hold no secret. */
export interface Check {
  name: string;
  /** How much was looked at, in words. */
  seen: string;
  faults: string[];
}

export interface Verified {
  sqlite: Sqlite.Database;
  ring: KeyRing;
  /** Where the bytes of kept files are. */
  files: string;
}

/** Most faults of one kind that are told one by one. */
const MOST_TOLD = 20;

/** Everything that must hold in a database, the running server's too: it is seen as it was at one moment. */
const CHECKS: ((at: Verified) => Check)[] = [
  integrity,
  references,
  version,
  sealedValues,
  lanes,
  owners,
  books,
  contents,
];

export function verifyAll(at: Verified): Check[] {
  at.sqlite.exec("BEGIN");
  try {
    const checks = CHECKS.map((check) => check(at));
    at.sqlite.exec("COMMIT");
    return [...checks, keptFiles(at)];
  } catch (error) {
    if (at.sqlite.inTransaction) at.sqlite.exec("ROLLBACK");
    throw error;
  }
}

function told(name: string, seen: string, faults: string[]): Check {
  const more = faults.length - MOST_TOLD;
  return { name, seen, faults: more > 0 ? [...faults.slice(0, MOST_TOLD), `and ${more} more`] : faults };
}

const list = <T>({ sqlite }: Verified, text: string) => sqlite.prepare<[], T>(text).all();
const hasTable = ({ sqlite }: Verified, name: string) =>
  sqlite.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;

function integrity({ sqlite }: Verified): Check {
  const rows = sqlite.pragma(`integrity_check(${MOST_TOLD})`) as { integrity_check: string }[];
  const faults = rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
  const pages = sqlite.pragma("page_count", { simple: true }) as number;
  return told("integrity", `${pages} pages`, faults);
}

function references({ sqlite }: Verified): Check {
  const rows = sqlite.pragma("foreign_key_check") as { table: string; rowid: number; parent: string }[];
  const faults = rows.map(({ table, rowid, parent }) => `row ${rowid} of ${table} names no row of ${parent}`);
  return told("references", "all foreign keys", faults);
}

function version({ sqlite }: Verified): Check {
  const [here, newest] = [schemaVersion(sqlite), newestSchema()];
  const seen = here === newest ? "of this version" : "of an older version: the next start brings it up to date";
  if (here === 0) return told("schema", "", ["this is no database of Gangway"]);
  return told("schema", seen, here > newest ? ["it is of a newer version of Gangway than this program"] : []);
}

/** Rows that are opened at once: bodies of webhooks are long. */
const AT_ONCE = 500;

function sealedValues(at: Verified): Check {
  const sealer = createSealer(at.ring);
  const faults: string[] = [];
  let seen = 0;
  for (const column of sealedIn(at)) {
    const most = rowsAtOnce(column, AT_ONCE);
    let rows = sealedRows(at, column, -1, most);
    while (rows.length > 0) {
      for (const { key, value } of rows) {
        seen += 1;
        try {
          sealer.open(value, column.place(key));
        } catch (error) {
          if (!(error instanceof SealError)) throw error;
          faults.push(`${column.table} ${key}: ${error.message}`);
        }
      }
      rows = sealedRows(at, column, rows.at(-1)?.rowid ?? 0, most);
    }
  }
  return told("sealed values", `${seen} values`, faults);
}

const LIVE = "('ready','sending','waiting')";

/** The job at the head of each lane is its oldest living one, and no other has the mark. */
function lanes(at: Verified): Check {
  const live = `SELECT lane, min(id) AS oldest, sum(head) AS heads, max(head * id) AS head FROM job WHERE state IN ${LIVE} GROUP BY lane`;
  const rows = list<{ lane: string; heads: number; oldest: number; head: number }>(
    at,
    `SELECT * FROM (${live}) WHERE heads <> 1 OR head <> oldest`,
  );
  const ended = list<{ id: number; state: string }>(
    at,
    `SELECT id, state FROM job WHERE head <> 0 AND state NOT IN ${LIVE}`,
  );
  const [{ number } = { number: 0 }] = list<{ number: number }>(at, `SELECT count(*) AS number FROM (${live})`);
  const faults = [
    ...rows.map((row) => `job ${row.oldest} should be the one head of its lane, which has ${row.heads}`),
    ...ended.map(({ id, state }) => `job ${id} has ended (${state}) and is still the head of its lane`),
  ];
  return told("lanes", `${number} lanes with waiting work`, faults);
}

/** Every job is of a channel that is there, and of the same account. */
function owners(at: Verified): Check {
  const rows = list<{ id: number }>(
    at,
    `SELECT job.id FROM job LEFT JOIN channel ON channel.id = job.channel_id
      WHERE channel.id IS NULL OR channel.account_id <> job.account_id`,
  );
  const [{ number } = { number: 0 }] = list<{ number: number }>(at, "SELECT count(*) AS number FROM job");
  const faults = rows.map(({ id }) => `job ${id} is of a channel that its account does not have`);
  return told("owners", `${number} jobs`, faults);
}

/** The ledger: what was accepted has been delivered or refused, or waits. */
function books(at: Verified): Check {
  if (!hasTable(at, "tally")) return told("ledger", "not kept by that version", []);
  const rows = list<{ id: string; accepted: number; hole: number }>(
    at,
    `SELECT tally.channel_id AS id, accepted, accepted - delivered - refused - coalesce(sum(job.events), 0) AS hole
      FROM tally LEFT JOIN job ON job.channel_id = tally.channel_id
        AND job.state IN ('ready','sending','waiting','held') GROUP BY tally.channel_id`,
  );
  const faults = rows.flatMap(({ id, hole }) =>
    hole === 0 ? [] : [`of the channel ${id} ${Math.abs(hole)} events are ${hole > 0 ? "missing" : "too many"}`],
  );
  return told("ledger", `${rows.reduce((sum, row) => sum + row.accepted, 0)} accepted events`, faults);
}

function keptFiles(at: Verified): Check {
  const rows = list<{ id: string; size: number }>(at, "SELECT id, size FROM kept_file");
  const isKept = at.sqlite.prepare("SELECT 1 FROM kept_file WHERE id = ?");
  const faults = rows.flatMap(({ id, size }) => {
    const found = statSync(join(at.files, id), { throwIfNoEntry: false });
    // A running server may have deleted it just now: row first, then bytes.
    if (!found) return isKept.get(id) ? [`the bytes of the file ${id} are not there`] : [];
    return found.size === size ? [] : [`the file ${id} has ${found.size} bytes and should have ${size}`];
  });
  return told("kept files", `${rows.length} files`, faults);
}

/** Work that waits, or that a person may send again, says what it is to do. */
function contents(at: Verified): Check {
  const rows = at.sqlite.prepare<[], JobRow>(`SELECT * FROM job WHERE state IN ${LIVE} OR state IN ('held','dead')`);
  const faults: string[] = [];
  let seen = 0;
  for (const { id, state, payload, work = null } of rows.iterate()) {
    seen += 1;
    if (!contentOf({ payload, work })) faults.push(`job ${id} (${state}) cannot be read`);
  }
  return told("contents", `${seen} jobs that wait or were not delivered`, faults);
}
