import { type Account, holeInWords, isSlow, type LedgerRow, works } from "../domain/account.ts";
import type { ContentFigures, Figures } from "../store/care.ts";
import { ifOpens } from "../store/secrets.ts";
import { postgresFindings } from "./postgres-findings.ts";
import { type Finding, remedyOf } from "./remedies.ts";
import { sqliteFindings } from "./sqlite-findings.ts";
import { ageInWords, when } from "./table.ts";

/** Warn if a job waits longer than this, ms. */
const LONG_WAIT_MS = 600_000;
/** Warn if the newest backup is older than this, ms. */
const BACKUP_MS = 2 * 86_400_000;
/** Tolerated clock difference of the newest row, ms. */
const AHEAD_MS = 60_000;

export function findingsOf(figures: Figures, accounts: Account[], now: number): Finding[] {
  return [
    ...(figures.engine === "SQLite" ? sqliteFindings(figures) : postgresFindings(figures)),
    rows(figures, now),
    waiting(figures, now),
    ended(figures, "dead"),
    ended(figures, "held"),
    ...parked(figures),
    sealed(figures),
    ...accounts.flatMap(trouble),
    ...sharedTokens(accounts),
    ...channels(figures),
  ];
}

/** For a database that has accounts. `at`: time of the last `gangway backup`, ms. */
export function backupFinding(at: number | undefined, now: number): Finding {
  const about = "newest backup";
  const todo = "gangway backup <file>; deploy/systemd has a timer for it";
  if (at === undefined) return { state: "warn", about, seen: "gangway backup has made none", todo };
  const seen = `made ${ageInWords(now - at)} ago`;
  return now - at > BACKUP_MS ? { state: "warn", about, seen, todo } : { state: "ok", about, seen };
}

function rows({ newest }: ContentFigures, now: number): Finding {
  const about = "time in the database";
  if (newest === undefined) return { state: "ok", about, seen: "no rows yet" };
  const seen = `newest row from ${when(newest)}`;
  const todo = "this machine's clock was ahead or is behind now: synchronize it with NTP";
  return newest > now + AHEAD_MS ? { state: "fail", about, seen, todo } : { state: "ok", about, seen };
}

function waiting({ jobs, oldestWaiting }: ContentFigures, now: number): Finding {
  const age = oldestWaiting === undefined ? 0 : now - oldestWaiting;
  const seen = `${jobs.waiting}${jobs.waiting > 0 ? `, the oldest for ${ageInWords(age)}` : ""}`;
  if (age < LONG_WAIT_MS) return { state: "ok", about: "waiting messages", seen };
  const todo = "look for accounts and channels with trouble, accounts that are off, and delivery.attempted in the log";
  return { state: "warn", about: "waiting messages", seen, todo };
}

function ended({ jobs }: ContentFigures, state: "dead" | "held"): Finding {
  const about = `${state} messages`;
  if (jobs[state] === 0) return { state: "ok", about, seen: "0" };
  const option = state === "held" ? " --held" : "";
  const todo = `see gangway dead list${option}, then dead replay${option} or dead drop${option}`;
  return { state: "warn", about, seen: String(jobs[state]), todo };
}

function parked({ parked: { ofChannels, strangers } }: ContentFigures): Finding[] {
  const about = "parked requests";
  if (ofChannels > 0)
    return [
      {
        ...{ state: "warn", about, seen: `${ofChannels} for channels that cannot take them now` },
        todo: "look for channels that are stopped or over their quota; they read them once they can, within 7 days",
      },
    ];
  return strangers > 0 ? [{ state: "ok", about, seen: `${strangers} for logins that no channel has` }] : [];
}

function sealed({ unopened }: ContentFigures): Finding {
  const about = "sealed values";
  if (unopened.length === 0) return { state: "ok", about, seen: "accounts and channels can be opened" };
  return { state: "fail", about, seen: unopened.join("; "), todo: remedyOf(about) };
}

/** Whether every accepted event is delivered, refused or waiting. */
export function ledgerFinding(rows: LedgerRow[]): Finding {
  const about = "ledger";
  const holes = rows.flatMap(({ channelId, hole, acks }) => [
    ...(hole === 0 ? [] : [holeInWords(channelId, hole)]),
    ...(acks.hole === 0 ? [] : [holeInWords(channelId, acks.hole, "ack")]),
  ]);
  if (holes.length === 0) return { state: "ok", about, seen: "balanced" };
  const seen = holes.join("; ");
  return { state: "fail", about, seen, todo: remedyOf(about) };
}

/** Maximum number of slow accounts reported individually. */
const MAX_NAMED = 10;

/** When the first slow message of each account was due, ms; accounts without one are absent. */
export function slowSince(rows: LedgerRow[], now: number): Map<string, number> {
  const since = new Map<string, number>();
  for (const { accountId, dueAt } of rows)
    if (isSlow(dueAt, now)) since.set(accountId, Math.min(dueAt, since.get(accountId) ?? dueAt));
  return since;
}

export const slowInWords = (dueAt: number, now: number) => `a message has been due for ${ageInWords(now - dueAt)}`;

/** Accounts with a message that could leave but does not, slowest first. */
export function slowFindings(rows: LedgerRow[], accounts: Account[], now: number): Finding[] {
  const since = slowSince(rows, now);
  const slow = accounts
    .flatMap(({ id, crmUrl }) => {
      const at = since.get(id);
      return at === undefined ? [] : [{ id, crmUrl, at }];
    })
    .sort((one, other) => one.at - other.at);
  const more = slow.length - MAX_NAMED;
  return [
    ...slow.slice(0, MAX_NAMED).map(
      ({ id, crmUrl, at }): Finding => ({
        ...{ state: "warn", about: `account ${crmUrl}`, seen: slowInWords(at, now) },
        todo: `its delivery.attempted and breaker.opened lines in the log name the error; gangway accounts show ${id}`,
      }),
    ),
    ...(more > 0
      ? [
          {
            state: "warn" as const,
            about: "accounts",
            seen: `${more} more with a message that is due`,
            todo: SLOW_TODO,
          },
        ]
      : []),
  ];
}

const SLOW_TODO = "so many at once: look at the server and its network first; gangway accounts list names them";

/** Account trouble is a warning, not a failure: its user has to fix it, and the server works. */
function trouble(account: Account): Finding[] {
  const about = `account ${account.crmUrl}`;
  if (account.trouble)
    return [
      { state: "warn", about, seen: account.trouble, todo: "the account's user has to reconnect with a valid key" },
    ];
  if (account.pauseReason !== undefined)
    return [
      {
        ...{ state: "warn", about, seen: `paused by you: ${account.pauseReason}` },
        todo: `its messages wait until you resume it: gangway accounts resume ${account.id}`,
      },
    ];
  const seen = account.frozen ? "frozen by the CRM" : "switched off";
  if (!works(account)) return [{ state: "warn", about, seen, todo: "its messages wait until it is switched on again" }];
  return [];
}

/** Duplicate accounts of one CRM, from before tokens were compared: together they exceed the gateway's limit. */
function sharedTokens(accounts: Account[]): Finding[] {
  const byToken = new Map<string, string[]>();
  for (const account of accounts) {
    const token = ifOpens(() => account.gatewayToken);
    if (token === undefined) continue;
    const key = `${account.gatewayUrl} ${token}`;
    byToken.set(key, [...(byToken.get(key) ?? []), `${account.id} (${account.crmUrl})`]);
  }
  const shared = [...byToken.values()].filter(({ length }) => length > 1);
  return shared.map((names) => ({
    state: "warn",
    about: "gateway token",
    seen: `accounts ${names.join(" and ")} have the same: they are one CRM's`,
    todo: "add all messengers to the one to keep, connect the CRM under its address, and erase the other: gangway erase account --connected",
  }));
}

const channels = ({ troubled }: ContentFigures): Finding[] =>
  troubled.map(({ id, name, state, trouble: reason }) => ({
    state: "warn" as const,
    about: `channel ${id} (${name})`,
    seen: `${state}${reason && `: ${reason}`}`,
    todo: "the account's user has to fix it on the account page",
  }));
