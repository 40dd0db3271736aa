import { becomes, pause } from "gangway-sandbox/demo/waiting";
import { Client } from "pg";
import type { CrowdAccount } from "../scene.ts";
import type { Database } from "./database.ts";
import type { Fleet, Member } from "./fleet.ts";
import type { Witness } from "./witness.ts";

/** What a loss happens to. */
export interface Stage {
  fleet: Fleet;
  crowd: CrowdAccount[];
  database: Database;
  witness: Witness;
  random(): number;
  /** Others have a lost process's accounts, so long after the loss, ms. */
  moved(ms: number): void;
}

/** Something that ends work in the middle. */
export interface Loss {
  name: string;
  /** Processes whose calls it may cut off. */
  cuts: number;
  /** Resolves when all is as before. */
  happen(stage: Stage): Promise<void>;
}

/** Processes. */
export const SIZE = 3;
/** The others take a lost process's accounts after so long, ms. */
const LEASE_MS = 10_000;
/** Twenty times the bound, for a slow machine. */
const GIVE_UP_MS = 240_000;
/** A balancer notices a process that does not answer, ms. */
const NOTICE_MS = 200;
/** Work begins within this time after a start, ms. */
const START_MS = 60;

const anyOf = ({ fleet, random }: Stage): Member =>
  fleet.members[Math.floor(random() * fleet.members.length)] as Member;

/** Loses a process until `back` resolves, and waits until others have what it had. */
async function lose(stage: Stage, member: Member, away: () => Promise<void>, back: () => Promise<void>): Promise<void> {
  const { witness, fleet, moved } = stage;
  const owners = await witness.ownersOf(member.name);
  const at = Date.now();
  await away();
  await pause(NOTICE_MS);
  fleet.admit(member, false);
  const returns = async () => {
    await back();
    fleet.admit(member, true);
  };
  const moves = async () => {
    const others = await becomes(async () => (await witness.heldBy(owners)) === 0, GIVE_UP_MS);
    moved(others ? Date.now() - at : Number.POSITIVE_INFINITY);
  };
  await Promise.all([returns(), moves()]);
}

export const kill: Loss = {
  name: "kill -9 of a process",
  cuts: 1,
  happen(stage) {
    const member = anyOf(stage);
    // It comes back before or after the others have its accounts.
    const back = () => pause(stage.random() * LEASE_MS * 2).then(member.start);
    return lose(stage, member, () => member.kill("SIGKILL"), back);
  },
};

/** Its connections stay open. */
export const asleep = (seconds: number): Loss => ({
  name: `a process stopped for ${seconds} s (SIGSTOP, SIGCONT)`,
  cuts: 1,
  happen(stage) {
    const member = anyOf(stage);
    const back = () => pause(seconds * 1_000).then(() => member.send("SIGCONT"));
    return lose(stage, member, async () => member.send("SIGSTOP"), back);
  },
});

/** It has told that it is ready, and has not begun to work. */
export const asleepAtStart = (seconds: number): Loss => ({
  name: `a process stopped for ${seconds} s while it starts`,
  cuts: 1,
  happen(stage) {
    const member = anyOf(stage);
    const back = async () => {
      await member.start();
      await pause(stage.random() * START_MS);
      member.send("SIGSTOP");
      await pause(seconds * 1_000);
      member.send("SIGCONT");
    };
    return lose(stage, member, () => member.kill("SIGKILL"), back);
  },
});

/** Nothing passes between a process and the database; `silent`: nobody is told. */
export const parted = (seconds: number, silent: boolean): Loss => ({
  name: `${seconds} s without the database, ${silent ? "in silence" : "refused"}`,
  cuts: 1,
  async happen(stage) {
    const { link } = anyOf(stage);
    const to = stage.database.port;
    if (silent) link.silence(true);
    else link.target(() => undefined);
    if (!silent) link.cut();
    await pause(seconds * 1_000);
    link.target(to);
    link.silence(false);
  },
});

export const databaseKilled: Loss = {
  name: "kill -9 of PostgreSQL",
  cuts: SIZE,
  async happen({ database, random }) {
    await database.primary().kill();
    await pause(random() * LEASE_MS);
    await database.primary().restart();
    await pause(LEASE_MS);
  },
};

/** The replica has all that was confirmed. */
export const failover: Loss = {
  name: "failover to the replica",
  cuts: SIZE,
  async happen({ fleet, database, random }) {
    await database.primary().kill();
    await pause(random() * LEASE_MS);
    for (const { link } of fleet.members) link.cut();
    await database.promote();
    await pause(LEASE_MS);
    await database.replicate();
  },
};

/** Commits wait for the replica. */
export const replicaAway: Loss = {
  name: "kill -9 of the replica",
  cuts: SIZE,
  async happen({ database, random }) {
    await database.replica().kill();
    await pause(random() * LEASE_MS * 2);
    await database.replica().restart();
    await pause(LEASE_MS);
  },
};

const STORM_MS = 6_000;

export const storm: Loss = {
  name: "all connections cut, again and again",
  cuts: SIZE,
  async happen({ fleet, random }) {
    for (const end = Date.now() + STORM_MS; Date.now() < end; await pause(100 + random() * 400))
      for (const { link } of fleet.members) link.cut();
  },
};

export const slow: Loss = {
  name: "each statement 300 ms late",
  cuts: 0,
  async happen({ fleet }) {
    for (const { link } of fleet.members) link.delay(300);
    await pause(LEASE_MS);
    for (const { link } of fleet.members) link.delay(0);
  },
};

/** Of one account: its live messages. */
const HOLD = `SELECT FROM message WHERE account_id = (
    SELECT account_id FROM message WHERE state IN ('ready','sending') ORDER BY random() LIMIT 1)
  AND state IN ('ready','sending','waiting') FOR UPDATE`;

export const rowsHeld: Loss = {
  name: "an account's rows held by a console",
  cuts: 0,
  async happen({ database }) {
    const console = new Client({ connectionString: database.url() });
    await console.connect();
    // Of two that wait for each other, the server is the one that repeats.
    await console.query("SET deadlock_timeout = '10min'");
    await console.query("BEGIN");
    await console.query(HOLD);
    await pause(LEASE_MS);
    await console.end();
  },
};

/** In what marks messages as under way. */
const CLAIM = '"ack":';
/** Share of commits whose answer is lost. */
const LOST = 0.2;

export const answersLost: Loss = {
  name: "answers to commits and claims lost",
  cuts: SIZE,
  async happen({ fleet, random }) {
    for (const { link } of fleet.members)
      link.loseAnswers((chunk) => (chunk.includes("COMMIT") || chunk.includes(CLAIM)) && random() < LOST);
    await pause(LEASE_MS);
    for (const { link } of fleet.members) link.loseAnswers(() => false);
  },
};
