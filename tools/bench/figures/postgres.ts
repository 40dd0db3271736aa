import { readdirSync, readFileSync } from "node:fs";
import { pause } from "gangway-sandbox/demo/waiting";
import { Client } from "pg";
import { type PostgresServer, startPostgres } from "../../postgres-server.ts";
import type { Summary } from "../profile.ts";
import { figureOf } from "../rounds.ts";
import { bounded, type Measure, type Row, type Scale } from "./figure.ts";
import { type Carried, CROWD, openBuild, type Rig, ratioOf, warmUp } from "./rig.ts";

const ROUND: Record<Scale, { rounds: number; count: number }> = {
  quick: { rounds: 3, count: 2_000 },
  usual: { rounds: 7, count: 4_000 },
  long: { rounds: 9, count: 12_000 },
};
const PROCESSES = [1, 2, 4];
/** What each process gets when all get the same: four of them are far from full on two cores. */
const PACE = { perSecond: 50, ms: 8_000 };
/** Between two looks whether all accounts have their holder. */
const SHARED_MS = 2_000;
/** PostgreSQL counts a process's transactions once it has been idle for a second. */
const COUNTED_MS = 1_500;
/** Clock ticks a second, of the times in /proc. */
const TICKS = 100;

/** What PostgreSQL itself spends on a message. */
interface Spent {
  cpuMs: number;
  transactions: number;
  /** Of the log that is written ahead. */
  logBytes: number;
  bytes: number;
}
interface Side {
  rig: Rig;
  postgres?: PostgresServer;
  carried: Carried[];
  paced: Carried[];
  spent: Spent[];
}

/** The same load as end-to-end: on SQLite, and on PostgreSQL with one, two and four processes, all in turn. */
export const onPostgres: Measure = async (scale): Promise<Row[]> => {
  const { rounds, count } = ROUND[scale];
  const sqlite: Side = { rig: await openBuild(), carried: [], paced: [], spent: [] };
  const several: Side[] = [];
  for (const processes of PROCESSES) several.push(await openSide(processes));
  const sides = [sqlite, ...several];
  for (const { rig } of sides) await warmUp(rig, count / 2);
  for (let n = 0; n < rounds; n++) for (const side of sides) await round(side, count);
  for (let n = 0; n < rounds; n++)
    for (const { rig, paced } of several) paced.push(await rig.pace(PACE.perSecond, PACE.ms));
  const [one] = several as [Side];
  await one.rig.server.ask("profile");
  await one.rig.carry(count);
  const profile = await one.rig.server.ask<Summary>("profiled");
  for (const { rig, postgres } of sides) {
    await rig.stop();
    await postgres?.stop();
  }
  return [...costRows(sqlite, several, profile), ...spentRows(one)];
};

async function openSide(processes: number): Promise<Side> {
  const postgres = await startPostgres();
  const rig = await openBuild(undefined, CROWD, [], { databaseUrl: postgres.url, processes });
  await pause(SHARED_MS);
  return { rig, postgres, carried: [], paced: [], spent: [] };
}

async function round({ rig, postgres, carried, spent }: Side, count: number): Promise<void> {
  const before = postgres && (await spentBy(postgres));
  carried.push(await rig.carry(count));
  if (!postgres || !before) return;
  await pause(COUNTED_MS);
  const after = await spentBy(postgres);
  const each = (key: keyof Spent) => (after[key] - before[key]) / count;
  spent.push({
    ...{ cpuMs: each("cpuMs"), transactions: each("transactions") },
    ...{ logBytes: each("logBytes"), bytes: each("bytes") },
  });
}

const SPENT = `SELECT (SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database())::float8
    AS transactions, (pg_current_wal_lsn() - '0/0')::float8 AS "logBytes",
  pg_database_size(current_database())::float8 AS bytes`;

async function spentBy({ url, pid }: PostgresServer): Promise<Spent> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(SPENT).finally(() => client.end());
  return { ...rows[0], cpuMs: cpuMsOf(pid) };
}

/** User and system time of a process and its children, those that have ended included, ms. */
function cpuMsOf(pid: number): number {
  const own = timesOf(pid);
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter(({ parent }) => parent === pid);
  const ticks = own.used + own.ended + children.reduce((sum, { used }) => sum + used, 0);
  return (ticks * 1000) / TICKS;
}

/** From /proc/<pid>/stat, in ticks: `ended` is of children that have been waited for. */
function timesOf(pid: number): { parent: number; used: number; ended: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, used: user + system, ended: endedUser + endedSystem };
  } catch {
    // It has ended meanwhile.
    return { parent: 0, used: 0, ended: 0 };
  }
}

const MOST = { ofSqlite: 1.67, ofOne: 1.15 };

function costRows(sqlite: Side, several: Side[], profile: Summary): Row[] {
  const [one, ...more] = several as [Side, ...Side[]];
  const cpuMs = ({ carried }: Side) => figureOf(carried.map((each) => each.cpuMs));
  const rate = ({ carried }: Side) => figureOf(carried.map(({ perSecond }) => perSecond));
  return [
    bounded({
      name: "postgres-cpu",
      what: "CPU a message on PostgreSQL ÷ on SQLite, without PostgreSQL's own",
      figure: ratioOf(one.carried, sqlite.carried, "cpuMs"),
      unit: "",
      atMost: MOST.ofSqlite,
      detail: { cpuMs: cpuMs(one), sqliteCpuMs: cpuMs(sqlite), perSecond: rate(one), ...profile },
    }),
    ...more.map((side, n) =>
      bounded({
        name: `postgres-paced-${PROCESSES[n + 1]}`,
        what: `CPU a message of ${PROCESSES[n + 1]} processes on one PostgreSQL ÷ of one, each with ${PACE.perSecond} messages a second`,
        figure: ratioOf(side.paced, one.paced, "cpuMs"),
        unit: "",
        atMost: MOST.ofOne,
        detail: { cpuMs: figureOf(side.paced.map((each) => each.cpuMs)) },
      }),
    ),
    ...more.map(
      (side, n): Row => ({
        name: `postgres-cpu-${PROCESSES[n + 1]}`,
        what: `CPU a message of ${PROCESSES[n + 1]} processes at full load on two cores, where batches are smaller, ÷ of one`,
        figure: ratioOf(side.carried, one.carried, "cpuMs"),
        unit: "",
        detail: { cpuMs: cpuMs(side), perSecond: rate(side), postgres: figureOf(side.spent.map((each) => each.cpuMs)) },
      }),
    ),
  ];
}

function spentRows({ spent }: Side): Row[] {
  const row = (key: keyof Spent, what: string, unit: string): Row => ({
    name: `postgres-${key}`,
    what,
    figure: figureOf(spent.map((each) => each[key])),
    unit,
  });
  return [
    row("cpuMs", "CPU of PostgreSQL itself a message, one process", " ms"),
    row("transactions", "transactions of PostgreSQL a message", ""),
    row("logBytes", "bytes of PostgreSQL's write-ahead log a message", " B"),
    row("bytes", "bytes of PostgreSQL's database a message, raw webhooks and indexes included", " B"),
  ];
}
