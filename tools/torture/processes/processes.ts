import { becomes, pause } from "gangway-sandbox/demo/waiting";
import { type CrowdResult, crowd, KNOWN_MS } from "../crowd.ts";
import { kept, report } from "../deaths.ts";
import { atMost, type Figure, none } from "../figure.ts";
import { HURRY } from "../hurry.ts";
import { shuffled } from "../pairwise.ts";
import type { CrowdOptions, Scene } from "../scene.ts";
import type { Trial, TrialContext } from "../trial.ts";
import { type Database, openDatabase } from "./database.ts";
import { type Fleet, type FleetOptions, startFleet } from "./fleet.ts";
import {
  answersLost,
  asleep,
  asleepAtStart,
  databaseKilled,
  failover,
  kill,
  type Loss,
  parted,
  replicaAway,
  rowsHeld,
  SIZE,
  slow,
  storm,
} from "./losses.ts";
import { type Rates, watchRates } from "./rates.ts";
import { type Witness, witnessOf } from "./witness.ts";

/** Concurrent calls of a process. */
const CALLS = 8;
/** Slow answers keep calls under way at each loss. */
const SLOW = { broken: 0.5, breaks: ["late" as const] };
/** P24: a lease and a bit, s. */
const MOVED_S = 12;
/** The gateway's limit (spec). */
const PER_SECOND = 30;
const SHORT = { messages: 240, accounts: 4, chats: 6, turnMs: 400 };
const LONG = { messages: 10_000, accounts: 9, chats: 30, turnMs: 1_500 };
const ROUNDS_LONG = 5;
/** How long a process sleeps, s: longer than its lease. */
const ASLEEP_S = { short: 14, long: 180 };
/** Without progress for so long, the rest counts as lost, ms: answers to a lost process's calls are waited for. */
const STILL_MS = { short: 150_000, long: 240_000 };
/** Ten minutes apart, ms. */
const CLOCKS = [0, 600_000, -600_000];

/** Three processes on one PostgreSQL lose each other. */
export const processes = trialOf("three processes", (length) => [
  ...[kill, asleep(ASLEEP_S[length])],
  ...(length === "long" ? [asleepAtStart(ASLEEP_S.short)] : []),
]);
/** They lose the database, or it loses them. */
export const databaseLost = trialOf("PostgreSQL lost", () => [
  ...[databaseKilled, failover, replicaAway, storm, slow, answersLost, rowsHeld, parted(12, false), parted(12, true)],
]);
/** Their machines' clocks differ. */
export const clocksApart = trialOf(
  "clocks apart",
  (length) => [kill, asleep(ASLEEP_S[length])],
  (n) => clockOf(CLOCKS[n] ?? 0),
);

function trialOf(name: string, losses: (length: "short" | "long") => Loss[], own?: FleetOptions["own"]): Trial {
  return {
    name,
    async run(context) {
      const database = await openDatabase();
      try {
        await database.replicate();
        return await play({ context, database, losses: losses(context.short ? "short" : "long"), own });
      } finally {
        await database.stop();
      }
    },
  };
}

/** How several processes live through losses. */
export interface Play {
  context: TrialContext;
  database: Database;
  losses: Loss[];
  own?: FleetOptions["own"];
}

/** What was seen beside the chats. */
interface Seen {
  moves: number[];
  rates: Rates[];
  fleet?: Fleet;
}

export async function play({ context, database, losses, own }: Play): Promise<Figure[]> {
  const { random, env, print, short, folder } = context;
  const witness = witnessOf(database.url);
  const seen: Seen = { moves: [], rates: [] };
  const rounds = Array.from({ length: short ? 1 : ROUNDS_LONG }, () => shuffled(losses, random)).flat();
  const size = short ? SHORT : LONG;
  const options: CrowdOptions = {
    ...{ env, random, print, ...size, ...SLOW, floods: 0, lost: 0, policy: "resend", calls: CALLS },
    ...{ folder: folder(), main: context.program(short ? HURRY : []), stillMs: STILL_MS[short ? "short" : "long"] },
    async serve(start) {
      const url = (port: number) => `postgres://gangway@127.0.0.1:${port}/postgres`;
      const more = { size: SIZE, database: { port: database.port, url }, random, folder, own };
      seen.fleet = await startFleet({ ...start, ...more, prepared: witness.prepare });
      return seen.fleet;
    },
    async during(scene) {
      scene.dying = true;
      seen.rates = scene.crowd.map(({ crm }) => watchRates(crm.sandbox));
      await becomes(
        () => scene.crowd.every(({ crm, chats }) => crm.sandbox.world.chats.size >= chats.length),
        KNOWN_MS,
      );
      for (const loss of rounds) await suffer(scene, loss);
      scene.dying = false;
    },
  };
  const suffer = async (scene: Scene, loss: Loss) => {
    await pause(random() * 2_000);
    print(`  ${loss.name}`);
    const moved = (ms: number) => void seen.moves.push(ms);
    await loss.happen({ fleet: scene.server as Fleet, crowd: scene.crowd, database, witness, random, moved });
    scene.deaths += loss.cuts;
    context.injected(loss.name, 1);
  };
  const result = await crowd(options);
  report(context, result, "processes cut off");
  return [...kept(result, { lost: "P24", duplicates: "P24" }), ...(await figuresOf(seen, result, witness, context))];
}

async function figuresOf(
  { rates, moves, fleet }: Seen,
  { deaths, duplicates }: CrowdResult,
  witness: Witness,
  { print, slack }: TrialContext,
): Promise<Figure[]> {
  const late = await witness.late();
  for (const each of [...late, ...(await witness.live())].slice(0, 20)) print(`  ${JSON.stringify(each)}`);
  const ends = fleet?.members.flatMap(({ name, ends }) => ends().map((how) => `${name} ended by itself: ${how}`)) ?? [];
  for (const each of ends) print(`  ${each}`);
  const worst = Math.max(0, ...rates.map((each) => each.worst()));
  const longest = Math.max(0, ...moves) / 1_000;
  return [
    atMost("P25", `duplicates in chats, ${deaths} times ${CALLS} calls cut off`, duplicates, deaths * CALLS),
    none("P25", "results recorded by a process of what another had taken over", late.length),
    none("P24", "processes that ended by themselves", ends.length),
    atMost("P24", "longest time until others had a lost process's accounts", longest, MOVED_S * slack, " s"),
    atMost("P26", "most requests of a token in one second, over all processes", worst, PER_SECOND),
  ];
}

/** Settings of a process whose clock is ahead. */
function clockOf(ms: number): Record<string, string> {
  const ahead = `const Real = Date; globalThis.Date = class extends Real {
    constructor(...given) { if (given.length > 0) super(...given); else super(Real.now() + ${ms}); }
    static now() { return Real.now() + ${ms}; }
  };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ahead)}` };
}
