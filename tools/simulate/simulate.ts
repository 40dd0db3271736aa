import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Judge } from "gangway-sandbox";
import { memoryFolder } from "../memory.ts";
import { ROOT } from "../root.ts";
import type { Patch } from "../torture/copy.ts";
import type { Unsynced } from "../torture/power-cut.ts";
import { type Chance, createChance } from "./chance.ts";
import { comeBack, type Finding, isClosed, judge } from "./judge.ts";
import { createMachine, type Machine } from "./machine.ts";
import { createMerchants } from "./merchants.ts";
import { type Arrival, createNetwork, operationOf } from "./network.ts";
import { createOperators, type Operators } from "./operators.ts";
import { createPeople, type People } from "./people.ts";
import { Gone, type Product } from "./process.ts";
import { bundled, type Program, stillness } from "./program.ts";
import { faultsOf, sandboxesOf, type World } from "./sandboxes.ts";
import { createTime, type Time } from "./time.ts";

/** Programs of the server's threads. */
const THREADS = ["store/sqlite/database/rewrite-file.js", "store/care/find-damage.js"];

/** The two programs of a simulation. */
export interface Programs {
  product: Program<Product>;
  sandbox: Program<World>;
  /** For all runs: compiling the contract takes longer than a short one. */
  contract: Judge;
}

export interface Options {
  seed: number;
  days: number;
  accounts: number;
  /** The kind that the first account has (default: Telegram or WhatsApp). */
  messenger?: string;
  /** Between two messages of a person, on average, ms (default: ten seconds). */
  intervalMs?: number;
  /** The faults that may happen, of those that the seed brings (default: all). */
  only?: ReadonlySet<string>;
  /** How long after all is calm every message may take to settle, ms (default: eight hours). */
  settleMs?: number;
  /** Of this process, if a preload records it: half of the deaths are power cuts then. */
  unsynced?: Unsynced;
  /** Called for every call, commit and death. */
  trace?(line: string): void;
}

export interface Outcome {
  findings: Finding[];
  faults: string[];
  /** Of the trace: the same seed gives the same. */
  hash: string;
  steps: number;
  messages: number;
  deaths: number;
  /** What the server has logged. */
  log: string[];
  /** Of virtual time, ms. */
  ms: number;
}

const ORIGIN = "http://127.0.0.1:3000";
/** What the lives of a run leave, bytes. */
const ROOM = 256 * 1024 ** 2;
const BEGAN = Date.UTC(2026, 0, 5, 8);
const DAY_MS = 24 * 3_600_000;
/** Of each account. */
const CHATS = 3;
/** Between two messages of a person, on average. */
export const INTERVAL_MS = 10_000;
/** Share of disturbed exchanges. */
const STORMY = 0.12;
const SETTLE_MS = 8 * 3_600_000;
/** For a messenger without keys: a doubtful step may have to be repeated. */
const SENDS = /\/telegram\/.*\/(send|copy)|\/whatsapp\/.*\/messages$/;
const sendsOf = (kind: string | undefined) =>
  kind === undefined ? SENDS : new RegExp(`${SENDS.source}|POST .*/${kind}/`);
const POSTS = /POST .*\/transport\/v1\/messages$/;
const ACKS = /POST .*\/transport\/v1\/messages\/ack$/;
const EDITS = /PUT .*\/transport\/v1\/messages$/;
/** How often to check whether everything has settled. */
const LOOK_MS = 30_000;
/** On average one trouble of the machine per this many messages of a person. */
const PER_TROUBLE = 20;
/** Longest time that a disk is full, or a database held by another connection; the clock's steps, ms. */
const MOST_MS = { full: 40_000, busy: 20_000, step: 2 * 3_600_000, restart: 0 };
const TROUBLES = ["full", "busy", "step", "restart"] as const;

/** Bundles what is built; `patches` change the server's compiled modules. Throws PatchMisfit. */
export async function programs(patches: Patch[] = [], messenger?: string): Promise<Programs> {
  const modules = join(ROOT, "dist", "modules");
  const product = `
    export { createProgram } from "./app.js";
    export { readConfig } from "./config.js";
    export { createLog } from "./log.js";
    export { runCommand } from "./operator/run.js";
    export { createClock } from "gangway-messenger/clock";
    export { adapters } from "./messengers.js";`;
  const sandbox = `
    export { createSandbox, contractJudge } from "gangway-sandbox";
    export { createEmulator as whatsapp } from "./sandbox/dist/whatsapp/emulator.js";
    ${messenger ? `export { createEmulator as ${ANY} } from "./sandbox/dist/${messenger}/emulator.js";` : ""}`;
  const [one, world] = await Promise.all([
    bundled<Product>(product, modules, "product.js", { patches, threads: THREADS }),
    bundled<World>(sandbox, ROOT, "sandbox.js"),
  ]);
  const built = { product: one, sandbox: world, contract: world(stillness()).contractJudge() };
  // Fills their caches: the first seed must need the same random numbers as it would as the second.
  await simulate(built, { seed: 0, days: 0, accounts: 2, messenger });
  return built;
}

/** Runs one seed. One at a time: the programs have one machine each. */
export async function simulate(built: Programs, options: Options): Promise<Outcome> {
  const folder = mkdtempSync(foldersOf());
  const { time, chance, network, arrivals, hash, trace } = createSurroundings(options);
  const course = createCourse(time);
  const base = { time, chance, network };
  const world = { count: options.accounts, messenger: options.messenger, moduleUrl: ORIGIN, began: BEGAN };
  const crms = sandboxesOf({ ...base, contract: built.contract }, built.sandbox, world);
  const [first] = crms;
  const env: Record<string, string> = {
    ...{ SANDBOX: "1", PUBLIC_URL: ORIGIN, METRICS_PORT: "9000" },
    ...{ TELEGRAM_API_URL: `${first?.origin}/telegram`, ...first?.crm.env() },
  };
  const machine = createMachine({
    ...{ ...base, product: built.product, folder, origin: ORIGIN, began: BEGAN, trace, failed: course.failed },
    ...{ env, unsynced: options.unsynced, dies: () => network.stormy },
  });
  const stopHearing = hearRejections((error) => {
    if (machine.deaths === 0 || !isOrphans(error)) course.failed(error);
  });
  const faults = faultsOf(crms.map(({ crm }) => crm));
  const findings: Finding[] = [];
  try {
    const { intervalMs = INTERVAL_MS } = options;
    const operators = createOperators({
      ...{ ...base, machine, env, folder: join(folder, "backups"), crms: crms.map(({ origin }) => origin), intervalMs },
    });
    const { messenger } = options;
    const given = { ...base, origin: ORIGIN, crms, chats: CHATS, messenger, intervalMs, failed: course.failed };
    const { people, erased, operated } = await playOut(given, { course, machine, operators, ...options });
    findings.push(...operated, ...comeBack(machine.folder(), erased));
    const { doubtful: count } = network;
    const doubtful = { sends: count(sendsOf(options.messenger)), posts: count(POSTS), edits: count(EDITS) };
    const acks = count(ACKS) + network.late(ACKS);
    const secrets = [...people.secrets(), ...operators.secrets()];
    const seen = { machine, arrivals, faults: faults(), doubtful, acks, struck: chance.faults(), secrets };
    findings.push(...(await course.ended(judge(people, seen))));
  } catch (error) {
    findings.push(`the server failed: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    machine.end();
    for (const { crm } of crms) crm.stop();
    await new Promise(setImmediate);
    stopHearing();
    rmSync(folder, { recursive: true, force: true });
  }
  const messages = crms.reduce((sum, { crm }) => sum + crm.world.messages.length, 0);
  return {
    ...{ findings, faults: chance.faults(), hash: hash.digest("hex"), steps: time.steps() },
    ...{ messages, deaths: machine.deaths, log: machine.lines.map((line) => line.replaceAll(folder, "")) },
    ms: time.now(),
  };
}

/** How the paths of all runs' files begin. */
export const foldersOf = (): string => join(realpathSync(memoryFolder(ROOM) ?? tmpdir()), "gangway-simulated-");

/** The name of a chosen messenger's emulator in the bundle. */
const ANY = "chosen" satisfies keyof World;

/** The command that repeats it. `patch`: the file that it was given. */
export function repeating(
  { seed, days, accounts, messenger, intervalMs = INTERVAL_MS, unsynced }: Options,
  patch?: string,
): string {
  const cuts = unsynced ? ["--power-cuts"] : [];
  const world = ["--seed", seed, "--days", days, "--accounts", accounts, "--interval", intervalMs / 1_000, ...cuts];
  if (messenger) world.push("--messenger", messenger);
  return ["npm run simulate --", ...world, ...(patch === undefined ? [] : ["--patch", patch])].join(" ");
}

/** Findings that belong to no program, and its trace. */
function createSurroundings(options: Options) {
  const time = createTime();
  const chance = createChance(options.seed, options.only);
  const network = createNetwork({ time, chance, share: STORMY });
  const hash = createHash("sha256");
  const trace = (words: string) => {
    const line = `${time.now().toFixed(3)} ${words}`;
    hash.update(line);
    options.trace?.(line);
  };
  const arrivals: Arrival[] = [];
  network.onArrival((arrival) => {
    arrivals.push(arrival);
    trace(operationOf(arrival.method, arrival.url));
  });
  return { time, chance, network, arrivals, hash, trace };
}

/** Whatever is left of a dead process finds its database closed. */
const isOrphans = (error: unknown) =>
  /connection is not open|this process is gone/.test(error instanceof Error ? error.message : "");

/** Alone: other listeners would end this process. The result restores them. */
function hearRejections(hear: (error: unknown) => void): () => void {
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", hear);
  return () => {
    process.off("unhandledRejection", hear);
    for (const other of others) process.on("unhandledRejection", other);
  };
}

interface Course {
  /** The server has failed in a way that it should not. */
  failed(error: unknown): void;
  /** Lets time pass until `done`. Throws what has failed. */
  until(done: () => boolean): Promise<void>;
  /** The same, until the work has ended. */
  ended<T>(work: Promise<T>): Promise<T>;
}

function createCourse(time: Time): Course {
  let failure: unknown;
  const until = async (done: () => boolean) => {
    await time.run(() => failure !== undefined || done());
    if (failure) throw failure;
  };
  return {
    failed(error) {
      if (!(error instanceof Gone)) failure ??= error;
    },
    until,
    async ended(work) {
      let isOver = false;
      const seen = work.finally(() => {
        isOver = true;
      });
      seen.catch(() => {});
      await until(() => isOver);
      return seen;
    },
  };
}

/** Set-up, storm and calm; then everybody writes once more. */
async function playOut(
  parts: Parameters<typeof createPeople>[0],
  {
    course,
    machine,
    operators,
    days,
    settleMs = SETTLE_MS,
  }: { course: Course; machine: Machine; operators: Operators } & Options,
): Promise<{ people: People; erased: string[]; operated: Finding[] }> {
  const { time, network } = parts;
  const settled = async (people: People) => {
    const latest = time.now() + settleMs;
    const isSettled = async () => machine.isReady() && people.isSettled() && (await isClosed(machine));
    while (time.now() < latest && !(await course.ended(isSettled()))) {
      const next = time.now() + LOOK_MS;
      await course.until(() => time.now() >= next);
    }
  };
  machine.start();
  await course.until(machine.isReady);
  const people = await course.ended(createPeople(parts));
  network.stormy = true;
  const end = time.now() + days * DAY_MS;
  people.talk(end);
  const merchants = createMerchants({ ...parts, accounts: people.accounts });
  merchants.act(end);
  operators.act(end);
  troubles({ ...parts, machine }, end);
  await course.until(() => time.now() >= end);
  network.stormy = false;
  machine.kill("before the calm");
  await course.ended(merchants.settle());
  await settled(people);
  await course.ended(people.sayFarewell());
  await settled(people);
  const operated = await course.ended(operators.settle());
  // Meanwhile a messenger's list may have been compared again.
  await settled(people);
  return { people, erased: merchants.erased(), operated };
}

/** The machine's, as the seed has them. */
function troubles(
  { time, chance, machine, intervalMs }: { time: Time; chance: Chance; machine: Machine; intervalMs: number },
  end: number,
): void {
  const strike = () => {
    const kind = chance.pick("trouble's kind", TROUBLES);
    const ms = chance.draw("trouble's size") * MOST_MS[kind];
    const isBack = chance.draw("trouble's direction") < 0.5;
    if (!chance.strikes("trouble", 1, `${kind} ${Math.round(isBack && kind === "step" ? -ms : ms)} ms`)) return;
    if (kind === "step") return machine.stepClock(isBack ? -ms : ms);
    if (kind === "restart") return machine.restart();
    machine.disk[kind] += 1;
    time.after(ms, () => {
      machine.disk[kind] -= 1;
    });
  };
  const next = () => {
    const wait = chance.wait("trouble", PER_TROUBLE * intervalMs);
    if (time.now() + wait > end) return;
    time.after(wait, () => {
      strike();
      next();
    });
  };
  next();
}
