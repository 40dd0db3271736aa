import { statSync } from "node:fs";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import type { Check } from "../care.ts";
import { sqliteCode } from "../disk/faults.ts";
import type { KeyRing } from "../secrets.ts";
import { beforeBaseline, newestSchema, schemaVersion } from "../sqlite/database/migrating.ts";
import * as shared from "../tables/care/checks.ts";
import { type CheckResult, MAX_LISTED, summarize } from "../tables/care/checks.ts";
import { runOn, sealedIn } from "./sealed.ts";

interface VerifyTarget {
  sqlite: Sqlite.Database;
  ring: KeyRing;
  /** Folder of the kept files. */
  files: string;
}

type NamedCheck = [name: string, kind: Check["kind"], check: (at: VerifyTarget) => CheckResult];

/** All invariants of a database, checked on one snapshot; the server may be running. */
const CHECKS: NamedCheck[] = [
  ["integrity", "file", integrity],
  ["references", "content", references],
  ["schema", "file", version],
  ["keys", "keys", (at) => runOn(at, shared.keys(keysOf(at)))],
  ["sealed values", "content", (at) => runOn(at, shared.sealedValues(keysOf(at)))],
  ["lanes", "content", (at) => runOn(at, shared.lanes())],
  ["owners", "content", (at) => runOn(at, shared.owners())],
  ["ledger", "content", (at) => runOn(at, shared.ledger())],
  ["contents", "content", (at) => runOn(at, shared.contents())],
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

export const keysOf = (at: VerifyTarget) => ({ ring: at.ring, search: "instr" as const, columns: sealedIn(at) });

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
