import { statSync } from "node:fs";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import type { Check } from "../care.ts";
import { sqliteCode } from "../disk/faults.ts";
import type { KeyRing } from "../secrets.ts";
import { beforeBaseline, newestSchema, schemaVersion } from "../sqlite/database/migrating.ts";
import { type CheckResult, type Keys, MAX_LISTED, sharedChecks, summarize } from "../tables/care/checks.ts";
import { SEALED_COLUMNS, type SealedColumn } from "../tables/care/sealed.ts";
import type { Statement, Verb } from "../tables/engine.ts";

interface Connection {
  sqlite: Sqlite.Database;
}

/** Runs a shared verb of plain SQL on any connection: a backup's, or a damaged database's. */
export function runOn<T>({ sqlite }: Connection, work: Verb<T>): T {
  let step = work.next();
  while (!step.done) step = work.next(rowsOf(sqlite, step.value));
  return step.value;
}

function rowsOf(sqlite: Sqlite.Database, { query, values = {}, rows }: Statement): unknown[] {
  const statement = sqlite.prepare(query as string);
  if (rows) return statement.all(values);
  statement.run(values);
  return [];
}

/** The sealed columns that a database has; it may be of an older version. */
export function sealedIn({ sqlite }: Connection): SealedColumn[] {
  const has = sqlite.prepare<[string]>("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  return SEALED_COLUMNS.filter(({ table }) => has.get(table) !== undefined);
}

interface VerifyTarget {
  sqlite: Sqlite.Database;
  ring: KeyRing;
  /** Folder of the kept files. */
  files: string;
}

type NamedCheck = [name: string, kind: Check["kind"], check: () => CheckResult];

/** All invariants, on one snapshot; the server may be running. Checks a damaged file as far as it is readable. */
export function verifyAll(at: VerifyTarget): Check[] {
  at.sqlite.exec("BEGIN");
  let checks: Check[];
  try {
    checks = [...ownChecks(at), ...checksOfBoth(at)].map(runCheck);
  } finally {
    // Nothing was written, and COMMIT may fail on a damaged file.
    if (at.sqlite.inTransaction) at.sqlite.exec("ROLLBACK");
  }
  return [...checks, runCheck(["kept files", "content", () => keptFiles(at)])];
}

const ownChecks = (at: VerifyTarget): NamedCheck[] => [
  ["integrity", "file", () => integrity(at)],
  ["references", "content", () => references(at)],
  ["schema", "file", () => version(at)],
];

const checksOfBoth = (at: VerifyTarget): NamedCheck[] =>
  sharedChecks(keysOf(at)).map(([name, kind, check]) => [name, kind, () => runOn(at, check())]);

function runCheck([name, kind, check]: NamedCheck): Check {
  try {
    return { name, kind, ...check() };
  } catch (error) {
    if (!(error instanceof Error) || sqliteCode(error) === "") throw error;
    return { name, kind, seen: "cannot be checked", faults: [error.message] };
  }
}

export const keysOf = (at: VerifyTarget): Keys => ({
  ring: at.ring,
  // A getter, read by each check: a damaged file may fail here.
  get columns() {
    return sealedIn(at);
  },
});

const list = <T>({ sqlite }: VerifyTarget, text: string) => sqlite.prepare<[], T>(text).all();

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
  const tooOld = beforeBaseline(current);
  if (tooOld) return summarize("", [`it ${tooOld}`]);
  return summarize(seen, current > newest ? ["it is from a newer version of Gangway than this program"] : []);
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
