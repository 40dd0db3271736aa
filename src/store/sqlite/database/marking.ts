import type Sqlite from "better-sqlite3";
import { missingInWords } from "../../../domain/account/ledger.ts";
import { isDiskFull, lost } from "../../disk/faults.ts";
import { type Counts, markedCounts, writeMarker } from "../../disk/folder.ts";
import { type DatabaseFiles, StoreError } from "../../store.ts";
import { ACCEPTED_ERASED } from "../../tables/accounts/accepted.ts";

// Database and marker both count. SQLite silently drops what follows a damaged byte of its log, even if it was synced; then
// the database has less than the marker. The marker counts only what is committed, so a crash never makes it the greater one.

const STARTS = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'starts'";
const ACCEPTED = `SELECT (SELECT coalesce(sum(accepted), 0) FROM tally)
  + coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = '${ACCEPTED_ERASED}'), 0)`;

function countsIn(sqlite: Sqlite.Database): Counts {
  const count = (query: string) => Number(sqlite.prepare(query).pluck().get() ?? 0);
  return { starts: count(STARTS), accepted: count(ACCEPTED) };
}

/** At least so many accepted events are missing. Reads the marker first: a running server raises both. */
export function missingEvents(sqlite: Sqlite.Database, folder: string): number {
  const { accepted } = markedCounts(folder);
  return Math.max(0, accepted - countsIn(sqlite).accepted);
}

/** The marker then has what the database has. */
export const acceptLoss = (sqlite: Sqlite.Database, folder: string): void => writeMarker(folder, countsIn(sqlite));

export function markNew(folder: string): void {
  mark(folder, { starts: 0, accepted: 0 });
}

/** A full disk must not prevent a start; the next mark tries again. */
function mark(folder: string, counts: Counts): void {
  try {
    writeMarker(folder, counts);
  } catch {}
}

/**
 * A database with fewer starts than the marker has lost its log or is an older copy; one with fewer events has lost the end of
 * its log. The write also proves that the file is writable. Throws StoreError.
 */
export function countStart(sqlite: Sqlite.Database, folder: string): void {
  const [counts, marked] = [countsIn(sqlite), markedCounts(folder)];
  if (counts.starts < marked.starts)
    throw lost(`${sqlite.name} is older than the one that was here, or its log was removed`);
  const missing = marked.accepted - counts.accepted;
  if (missing > 0) throw new StoreError(`${missingInWords(missing)}; see gangway doctor`, "incomplete");
  const starts = counts.starts + 1;
  try {
    sqlite.prepare("UPDATE meta SET value = ? WHERE key = 'starts'").run(String(starts));
    mark(folder, { ...counts, starts });
  } catch (error) {
    // A full disk must not prevent a start; it goes uncounted.
    if (!isDiskFull(error)) throw error;
  }
}

/** No transaction may be open: what is counted must be committed. */
export function createMark(sqlite: Sqlite.Database, folder: string, files?: DatabaseFiles): () => void {
  const changes = sqlite.prepare("SELECT total_changes()").pluck();
  let seen: unknown;
  let marked: number | undefined;
  return () => {
    const current = changes.get();
    if (current === seen) return;
    const counts = countsIn(sqlite);
    // The files at these paths may be another database's by now.
    if (files?.check() !== undefined) return;
    if (counts.accepted !== marked) writeMarker(folder, counts);
    [marked, seen] = [counts.accepted, current];
  };
}
