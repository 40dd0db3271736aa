import type { PostgresFigures } from "../store/care.ts";
import type { Finding } from "./remedies.ts";
import { ageInWords, bytesInWords, when } from "./table.ts";

/** Warn when this share of the connections is used. */
const MAX_USED = 0.8;
/** Warn when a replica is this far behind, ms. */
const FAR_BEHIND_MS = 30_000;
/** Warn above this share of dead rows, unless there are few. */
const [DEAD_SHARE, FEW_ROWS] = [0.4, 50_000];
/** PostgreSQL stops writes near 2^31 transactions; vacuum_failsafe_age is the second value. Warn, and fail. */
const [OLD_AGE, LAST_AGE] = [1_000_000_000, 1_600_000_000];
/** Clock difference to warn about, and to fail on, ms. */
const [OFF_MS, FAR_OFF_MS] = [30_000, 300_000];
const MAY_SEE = "GRANT pg_monitor to the user of DATABASE_URL to see them";

/** The database server's state, with remedies. */
export const postgresFindings = (figures: PostgresFigures): Finding[] => [
  database(figures),
  ...holders(figures),
  connections(figures),
  failOver(figures),
  ...lag(figures),
  transactions(figures),
  deadRows(figures),
  age(figures),
  clock(figures),
];

function database({ version, bytes, members }: PostgresFigures): Finding {
  const runs = members.length === 0 ? "no server runs on it" : `processes of Gangway on it: ${members.length}`;
  const seen = `PostgreSQL ${version}, ${bytesInWords(bytes)}; ${runs}`;
  if (members.length > 0) return { state: "ok", about: "database", seen };
  return { state: "warn", about: "database", seen, todo: "start the server" };
}

function holders({ members, unheld }: PostgresFigures): Finding[] {
  if (members.length === 0) return [];
  const about = "accounts of each process";
  const seen = members.map(({ owner, accounts }) => `${owner}: ${accounts}`).join(", ");
  if (unheld === 0) return [{ state: "ok", about, seen }];
  const todo = "look again in a minute: a process that starts or ends leaves them to the others; then see its log";
  return [{ state: "warn", about, seen: `${seen}; nobody works for ${unheld}`, todo }];
}

function connections({ connections: { used, own, max } }: PostgresFigures): Finding {
  const about = "connections";
  const seen = `${used} of ${max} used, ${own} by Gangway on this database`;
  if (used < max * MAX_USED) return { state: "ok", about, seen };
  const todo = "raise max_connections, or end other programs' connections: a process without one answers 503";
  return { state: "warn", about, seen, todo };
}

/** Whether a confirmed message survives the loss of the database server. */
function failOver({ replicas, commits }: PostgresFigures): Finding {
  const about = "fail-over";
  const { all, synchronous } = replicas;
  const waits = commits.standbys !== "" && commits.synchronous !== "local";
  if (waits && synchronous === 0)
    return {
      ...{ state: "fail", about, seen: "a commit waits for a synchronous replica, and none is connected" },
      todo: "start the replica that synchronous_standby_names names, or take it from there: until then nothing is stored",
    };
  if (all === 0)
    return { state: "ok", about, seen: "no replica: only a backup survives the loss of the server's disk" };
  if (waits) return { state: "ok", about, seen: `replicas: ${all}; a commit waits for a synchronous one` };
  return {
    ...{ state: "warn", about },
    seen: `replicas: ${all}, all asynchronous: a fail-over to one may lose messages that were confirmed`,
    todo: "to rule that out, set synchronous_standby_names (for example ANY 1 (*)) and leave synchronous_commit on",
  };
}

function lag({ replicas: { all, lagMs } }: PostgresFigures): Finding[] {
  const about = "replicas";
  if (all === 0) return [];
  if (lagMs === undefined) return [{ state: "warn", about, seen: "their lag cannot be seen", todo: MAY_SEE }];
  const seen = `the slowest is ${Math.round(lagMs / 1000)} s behind`;
  if (lagMs < FAR_BEHIND_MS) return [{ state: "ok", about, seen }];
  return [
    { state: "warn", about, seen, todo: "look at the replica's disk and network: a fail-over now would go back" },
  ];
}

function transactions({ long }: PostgresFigures): Finding {
  const about = "long transactions";
  if (!long) return { state: "warn", about, seen: "those of other users cannot be seen", todo: MAY_SEE };
  if (long.length === 0) return { state: "ok", about, seen: "none" };
  const seen = long.map(({ who, ms }) => `${who}, for ${ageInWords(ms)}`).join("; ");
  const todo =
    "end them (pg_terminate_backend, ROLLBACK PREPARED): meanwhile vacuum removes no row, and all gets slower";
  return { state: "warn", about, seen, todo };
}

function deadRows({ messages: { live, dead, vacuumedAt } }: PostgresFigures): Finding {
  const about = "dead rows of messages";
  const last = vacuumedAt === undefined ? "never vacuumed" : `vacuumed last ${when(vacuumedAt)}`;
  const seen = `${dead} beside ${live} rows, ${last}`;
  if (dead < FEW_ROWS || dead < live * DEAD_SHARE) return { state: "ok", about, seen };
  const todo = "see that autovacuum is on and long transactions are none; then VACUUM message";
  return { state: "warn", about, seen, todo };
}

function age({ age: { now, freeze } }: PostgresFigures): Finding {
  const about = "age of transactions";
  const seen = `${now}; autovacuum freezes from ${freeze} on`;
  if (now < OLD_AGE) return { state: "ok", about, seen };
  const todo =
    "run VACUUM (FREEZE) on the whole database, and look for what holds it up: long transactions, replication slots";
  return { state: now < LAST_AGE ? "warn" : "fail", about, seen, todo };
}

function clock({ aheadMs }: PostgresFigures): Finding {
  const about = "database's clock";
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const seen =
    seconds === 0 ? "as this machine's" : `${seconds} s ${aheadMs < 0 ? "behind" : "ahead of"} this machine's`;
  if (Math.abs(aheadMs) < OFF_MS) return { state: "ok", about, seen };
  const todo = "synchronize the clocks of both machines with NTP";
  return { state: Math.abs(aheadMs) < FAR_OFF_MS ? "warn" : "fail", about, seen, todo };
}
