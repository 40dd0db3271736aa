import { type Account, works } from "../domain/account.ts";
import type { LedgerRow } from "../domain/ledger.ts";
import { holeInWords } from "../store/care/verify.ts";
import type { Figures } from "../store/care.ts";
import { DAMAGED, type Finding, remedyOf } from "./remedies.ts";
import { ageInWords, bytesInWords, when } from "./table.ts";

// What the doctor makes of the figures of database and disk.

const [GIB, MIB] = [1024 ** 3, 1024 ** 2];
/** Least free space: a share of the disk, and bytes. Below the last the next write may fail. */
const [LEAST_SHARE, LEAST_FREE, NEARLY_FULL] = [0.15, GIB, 100 * MIB];
/** The log is cut back to 64 MiB; one that is much longer has been held open by a reader. */
const LONG_LOG = 256 * MIB;
/** A database that is mostly empty pages may be made smaller. */
const MOSTLY_FREE = 0.5;
/** Work that waits longer, ms. */
const LONG_WAIT_MS = 600_000;
/** A row may be this much newer than now, ms. */
const AHEAD_MS = 60_000;

export function look(figures: Figures, accounts: Account[], now: number): Finding[] {
  return [
    database(figures),
    pages(figures),
    disk(figures),
    rows(figures, now),
    waiting(figures, now),
    ended(figures, "dead"),
    ended(figures, "held"),
    sealed(figures),
    ...accounts.flatMap(trouble),
    ...channels(figures),
  ];
}

function database({ quickCheck, served }: Figures): Finding {
  const runs = typeof served === "string" ? served : served ? "a server runs on it" : "no server runs on it";
  const seen = `${quickCheck}; ${runs}`;
  if (quickCheck !== "ok") return { state: "fail", about: "database", seen, todo: DAMAGED };
  if (typeof served === "string")
    return { state: "fail", about: "database", seen, todo: "the next start and keys rotate are refused until then" };
  return { state: served ? "ok" : "warn", about: "database", seen, todo: served ? undefined : "start the server" };
}

function pages({ bytes }: Figures): Finding {
  const seen = `${bytesInWords(bytes.database)}, ${bytesInWords(bytes.free)} of it free, log ${bytesInWords(bytes.log)}`;
  const about = "database size";
  if (bytes.log > LONG_LOG)
    return { state: "warn", about, seen, todo: "end other programs that read the database; it shrinks by itself then" };
  if (bytes.free > GIB && bytes.free > bytes.database * MOSTLY_FREE)
    return {
      state: "warn",
      about,
      seen,
      todo: "stopped, the server's database can be made smaller: VACUUM with sqlite3",
    };
  return { state: "ok", about, seen };
}

function disk({ disk: { free, all } }: Figures): Finding {
  const share = all === 0 ? 1 : free / all;
  const seen = `${bytesInWords(free)} free of ${bytesInWords(all)} (${Math.floor(share * 100)} %)`;
  const todo = "make room: when the disk is full, webhooks are answered with 503 and repeated later";
  if (free < NEARLY_FULL) return { state: "fail", about: "disk", seen, todo };
  if (share < LEAST_SHARE || free < LEAST_FREE) return { state: "warn", about: "disk", seen, todo };
  return { state: "ok", about: "disk", seen };
}

function rows({ newest }: Figures, now: number): Finding {
  const about = "time in the database";
  if (newest === undefined) return { state: "ok", about, seen: "nothing is in it yet" };
  const seen = `newest row of ${when(newest)}`;
  const todo = "this machine's clock was ahead, or is behind now: set it by NTP";
  return newest > now + AHEAD_MS ? { state: "fail", about, seen, todo } : { state: "ok", about, seen };
}

function waiting({ jobs, oldestWaiting }: Figures, now: number): Finding {
  const age = oldestWaiting === undefined ? 0 : now - oldestWaiting;
  const seen = `${jobs.waiting}${jobs.waiting > 0 ? `, the oldest for ${ageInWords(age)}` : ""}`;
  if (age < LONG_WAIT_MS) return { state: "ok", about: "waiting messages", seen };
  const todo = "see accounts and channels with trouble, accounts that are off, and the log's delivery.attempted";
  return { state: "warn", about: "waiting messages", seen, todo };
}

function ended({ jobs }: Figures, state: "dead" | "held"): Finding {
  const about = `${state} messages`;
  if (jobs[state] === 0) return { state: "ok", about, seen: "0" };
  const option = state === "held" ? " --held" : "";
  const todo = `see gangway dead list${option}, then dead replay${option} or dead drop${option}`;
  return { state: "warn", about, seen: String(jobs[state]), todo };
}

function sealed({ unopened }: Figures): Finding {
  const about = "sealed values";
  if (unopened.length === 0) return { state: "ok", about, seen: "those of accounts and channels open" };
  return { state: "fail", about, seen: unopened.join("; "), todo: remedyOf(about) };
}

/** Whether all that was accepted has been delivered or refused, or waits. */
export function books(lines: LedgerRow[]): Finding {
  const about = "ledger";
  const holes = lines.flatMap(({ channelId, hole, acks }) => [
    ...(hole === 0 ? [] : [holeInWords(channelId, hole)]),
    ...(acks.hole === 0 ? [] : [holeInWords(channelId, acks.hole, "ack")]),
  ]);
  if (holes.length === 0) return { state: "ok", about, seen: "without a hole" };
  const seen = holes.join("; ");
  return { state: "fail", about, seen, todo: remedyOf(about) };
}

/** What one of the accounts suffers is for its user to mend: the server works, and so it is no failure. */
function trouble(account: Account): Finding[] {
  const about = `account ${account.crmUrl}`;
  if (account.trouble)
    return [{ state: "warn", about, seen: account.trouble, todo: "its user connects again with a key that works" }];
  const seen = account.frozen ? "frozen by the CRM" : "switched off";
  if (!works(account)) return [{ state: "warn", about, seen, todo: "its messages wait until it is on again" }];
  return [];
}

const channels = ({ troubled }: Figures): Finding[] =>
  troubled.map(({ id, name, state, trouble: words }) => ({
    state: "warn" as const,
    about: `channel ${id} (${name})`,
    seen: `${state}${words && `: ${words}`}`,
    todo: "its account's user mends it on the account page",
  }));
