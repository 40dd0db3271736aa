import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SANDBOX_KEY, type Sandbox } from "gangway-sandbox";
import { ROOT } from "../root.ts";
import type { Patch } from "../torture/copy.ts";
import { createChance } from "./chance.ts";
import { createHost } from "./host.ts";
import { type Finding, judge } from "./judge.ts";
import { createMachine, Gone, type Product } from "./machine.ts";
import { type Arrival, createNetwork, operationOf } from "./network.ts";
import { createPeople } from "./people.ts";
import { bundled, type Program } from "./program.ts";
import { createTime } from "./time.ts";

export interface World {
  createSandbox(options: object): Sandbox;
}
/** The two programs that meet in a simulation. */
export interface Programs {
  product: Program<Product>;
  sandbox: Program<World>;
}

export interface Options {
  seed: number;
  days: number;
  accounts: number;
  /** The faults that may happen, of those that the seed brings (default: all). */
  only?: ReadonlySet<string>;
  /** Hears of every call, commit and death. */
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
const BEGAN = Date.UTC(2026, 0, 5, 8);
const DAY_MS = 24 * 3_600_000;
/** Of each account. */
const CHATS = 3;
const INTERVAL_MS = 60_000;
/** Share of exchanges that meet some weather. */
const STORMY = 0.12;
/** How long, once all is calm, until every message has its end, ms. */
const SETTLE_MS = 8 * 3_600_000;
/** Operations of a messenger without keys: a doubtful one may have to be repeated. */
const MESSENGER = /\/telegram\//;
/** Nothing more may happen for so long. */
const QUIET_MS = 120_000;
/** Once in so long, on average, the machine has some trouble, ms. */
const TROUBLE_MS = 3_600_000;
/** How long a disk is full, or a database held by another connection, at most; how far the clock steps, ms. */
const MOST_MS = { full: 40_000, busy: 4_000, step: 2 * 3_600_000 };

/** Bundles what is built; `patches` change the server's compiled modules. Throws PatchMisfit. */
export async function programs(patches: Patch[] = []): Promise<Programs> {
  const modules = join(ROOT, "dist", "modules");
  const product = `
    export { createProgram } from "./program.js";
    export { readConfig } from "./config.js";
    export { createLog } from "./log.js";
    export { adapters } from "./channels/registry.js";`;
  const sandbox = `export { createSandbox } from "gangway-sandbox";`;
  const [one, other] = [
    bundled<Product>(product, modules, "product.js", patches),
    bundled<World>(sandbox, ROOT, "sandbox.js"),
  ];
  return { product: await one, sandbox: await other };
}

/** Runs one seed. */
export async function simulate({ product, sandbox }: Programs, options: Options): Promise<Outcome> {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "gangway-simulated-"));
  const time = createTime();
  const chance = createChance(options.seed, options.only);
  const hash = createHash("sha256");
  const trace = (words: string) => {
    const line = `${time.now().toFixed(3)} ${words}`;
    hash.update(line);
    options.trace?.(line);
  };
  let failure: unknown;
  const failed = (error: unknown) => {
    if (!(error instanceof Gone)) failure ??= error;
  };
  const network = createNetwork({ time, chance, share: STORMY });
  const arrivals: Arrival[] = [];
  network.onArrival((arrival) => {
    arrivals.push(arrival);
    trace(operationOf(arrival.method, arrival.url));
  });
  const crms = sandboxes(sandbox, { time, chance, network }, options.accounts);
  const machine = createMachine({
    ...{ time, chance, network, product, folder, origin: ORIGIN, began: BEGAN, trace, failed },
    env: {
      SANDBOX: "1",
      PUBLIC_URL: ORIGIN,
      TELEGRAM_API_URL: `${crms[0]?.origin}/telegram`,
      METRICS_PORT: "9000",
      DISK_FLOOR_MIB: "0",
    },
    dies: () => network.stormy,
  });
  const orphan = (error: unknown) => {
    const isOrphan = machine.deaths > 0 && /not open|is gone/.test(error instanceof Error ? error.message : "");
    if (!isOrphan) failed(error);
  };
  process.on("unhandledRejection", orphan);
  const untilOrFailed = (done: () => boolean) => time.run(() => failure !== undefined || done());
  const ended = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const seen = work.finally(() => {
      isOver = true;
    });
    seen.catch(() => {});
    await untilOrFailed(() => isOver);
    if (failure) throw failure;
    return seen;
  };
  try {
    machine.start();
    await untilOrFailed(() => machine.isReady());
    const people = await ended(
      createPeople({ time, chance, network, origin: ORIGIN, crms, chats: CHATS, intervalMs: INTERVAL_MS, failed }),
    );
    network.stormy = true;
    const end = time.now() + options.days * DAY_MS;
    people.talk(end);
    troubles({ time, chance, machine }, end);
    await untilOrFailed(() => time.now() >= end);
    network.stormy = false;
    machine.kill("before the end");
    const latest = time.now() + SETTLE_MS;
    await untilOrFailed(
      () => time.now() >= latest || (time.now() > end + QUIET_MS && machine.isReady() && people.isSettled()),
    );
    const quiet = time.now() + QUIET_MS;
    await untilOrFailed(() => time.now() >= quiet);
    const doubtful = [...network.doubtful].reduce((sum, [of, count]) => sum + (MESSENGER.test(of) ? count : 0), 0);
    const secrets = [SANDBOX_KEY];
    const findings = failure ? [] : await ended(judge(people, { machine, doubtful, arrivals, secrets }));
    if (failure) findings.push(`the server failed: ${failure instanceof Error ? failure.stack : String(failure)}`);
    const messages = people.accounts.reduce((sum, { crm }) => sum + crm.world.messages.length, 0);
    return {
      ...{ findings, faults: chance.faults(), hash: hash.digest("hex"), steps: time.steps() },
      ...{ messages, deaths: machine.deaths, log: machine.lines, ms: time.now() },
    };
  } finally {
    process.off("unhandledRejection", orphan);
    for (const { crm } of crms) crm.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Base = Pick<Parameters<typeof createMachine>[0], "time" | "chance" | "network">;

/** One for each account; they never die and forget nothing. */
function sandboxes(program: Program<World>, { time, chance, network }: Base, count: number) {
  const wall = () => BEGAN + time.now();
  const host = createHost({
    ...{ time, wall, random: chance.stream("world"), fetch: network.fetch },
    ...{ operation: () => {}, isGone: () => false },
  });
  const { createSandbox } = program(host);
  return Array.from({ length: count }, (_, n) => {
    const origin = `http://127.0.0.1:${7001 + n}`;
    const crm = createSandbox({ origin: () => origin, moduleUrl: ORIGIN });
    network.serve(origin, async (request) => crm.fetch(request, {} as never));
    return { origin, crm };
  });
}

/** The machine's, as the seed has them. */
function troubles(
  { time, chance, machine }: Pick<Base, "time" | "chance"> & { machine: ReturnType<typeof createMachine> },
  end: number,
): void {
  const strike = () => {
    const kind = (["full", "busy", "step"] as const)[Math.floor(chance.draw("trouble's kind") * 3)] ?? "full";
    const ms = chance.draw("trouble's size") * MOST_MS[kind];
    const isBack = chance.draw("trouble's direction") < 0.5;
    if (!chance.strikes("trouble", 1, `${kind} ${Math.round(isBack && kind === "step" ? -ms : ms)} ms`)) return;
    if (kind === "step") return machine.stepClock(isBack ? -ms : ms);
    machine.disk[kind] = true;
    time.after(ms, () => {
      machine.disk[kind] = false;
    });
  };
  const next = () => {
    const wait = -Math.log(1 - chance.draw("trouble")) * TROUBLE_MS;
    if (time.now() + wait > end) return;
    time.after(wait, () => {
      strike();
      next();
    });
  };
  next();
}
