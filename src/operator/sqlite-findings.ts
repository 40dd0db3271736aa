import { missingInWords } from "../domain/account.ts";
import type { SqliteFigures } from "../store/care.ts";
import { DAMAGED, type Finding, INCOMPLETE } from "./remedies.ts";
import { bytesInWords } from "./table.ts";

const [GIB, MIB] = [1024 ** 3, 1024 ** 2];
/** Warn below this share of the disk or these bytes; fail below the last value: the next write may not fit. */
const [MIN_SHARE, MIN_FREE, NEARLY_FULL] = [0.15, GIB, 100 * MIB];
/** The write-ahead log is truncated to 64 MiB; only a reader keeps a much longer one. */
const LONG_LOG = 256 * MIB;
/** Suggest VACUUM above this share of free pages. */
const MOSTLY_FREE = 0.5;

export const sqliteFindings = (figures: SqliteFigures): Finding[] => [database(figures), pages(figures), disk(figures)];

function database({ quickCheck, served, missing }: SqliteFigures): Finding {
  const runs = typeof served === "string" ? served : served ? "a server runs on it" : "no server runs on it";
  const seen = `${quickCheck}; ${runs}`;
  if (quickCheck !== "ok") return { state: "fail", about: "database", seen, todo: DAMAGED };
  if (missing > 0) return { state: "fail", about: "database", seen: missingInWords(missing), todo: INCOMPLETE };
  if (typeof served === "string")
    return {
      state: "fail",
      about: "database",
      seen,
      todo: "until this is solved, the server does not start again and keys rotate is refused",
    };
  return { state: served ? "ok" : "warn", about: "database", seen, todo: served ? undefined : "start the server" };
}

function pages({ bytes }: SqliteFigures): Finding {
  const seen = `${bytesInWords(bytes.database)}, ${bytesInWords(bytes.free)} of it free, log ${bytesInWords(bytes.log)}`;
  const about = "database size";
  if (bytes.log > LONG_LOG)
    return {
      state: "warn",
      about,
      seen,
      todo: "stop other programs that read the database; the log then shrinks by itself",
    };
  if (bytes.free > GIB && bytes.free > bytes.database * MOSTLY_FREE)
    return {
      state: "warn",
      about,
      seen,
      todo: "to shrink the database, stop the server and run VACUUM with sqlite3",
    };
  return { state: "ok", about, seen };
}

function disk({ disk: { free, all } }: SqliteFigures): Finding {
  const share = all === 0 ? 1 : free / all;
  const seen = `${bytesInWords(free)} free of ${bytesInWords(all)} (${Math.floor(share * 100)} %)`;
  const todo = "free disk space: on a full disk webhooks get 503 and are repeated later";
  if (free < NEARLY_FULL) return { state: "fail", about: "disk", seen, todo };
  if (share < MIN_SHARE || free < MIN_FREE) return { state: "warn", about: "disk", seen, todo };
  return { state: "ok", about: "disk", seen };
}
