import fs from "node:fs";
import { join } from "node:path";
import type { Config } from "#product/config";
import type { Call } from "#product/domain/call";
import type { Chance } from "./chance.ts";
import { createDisk, type Disk } from "./disk.ts";
import { createHost } from "./host.ts";
import type { Network } from "./network.ts";
import type { Program } from "./program.ts";
import type { Time } from "./time.ts";

/** What the built server exports to the simulation. */
export interface Product {
  createProgram(
    config: Config,
    parts: { log: unknown; call: Call; lost(why: string): void },
  ): {
    fetch(request: Request, env: object): Response | Promise<Response>;
    metrics(request: Request, env: object): Response | Promise<Response>;
    open(): Promise<void>;
    start(): Promise<void>;
    drain(): Promise<void>;
    close(): Promise<void>;
  };
  readConfig(env: Record<string, string>, adapters: unknown[]): Config;
  createLog(options: { level: string; write(lines: string): void }): { hide(secret: string): void };
  adapters: unknown[];
}

/** The server's machine: the process on it dies and starts again, its disk stays. */
export interface Machine {
  start(): void;
  /** Ends the process as `kill -9` does, if there is one. */
  kill(why: string): void;
  /** Whether it has started. */
  isReady(): boolean;
  /** What the metrics port answers. */
  metrics(path: string): Promise<Response>;
  /** Sets the wall clock on by so much, or back. */
  stepClock(ms: number): void;
  /** There is no space on the disk; another connection holds the database. */
  disk: { full: boolean; busy: boolean };
  deaths: number;
  lines: string[];
}

interface Parts {
  time: Time;
  chance: Chance;
  network: Network;
  product: Program<Product>;
  folder: string;
  env: Record<string, string>;
  origin: string;
  /** Unix time of the simulation's beginning, ms. */
  began: number;
  /** Whether a process may still die by itself. */
  dies(): boolean;
  trace(line: string): void;
  failed(error: unknown): void;
}

/** The process is gone: what is left of it must do nothing. */
export class Gone extends Error {
  constructor() {
    super("this process is gone");
    this.name = "Gone";
  }
}

/** Operations of a process's life, on average, until it dies. */
const LIFE = 6_000;
const DOWN_MS = { least: 200, more: 20_000 };
const DISK_MS = 1;

/** As undici words it. */
const lostConnection = (code: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });

/** Operations until a process dies. */
function lifeOf(chance: Chance): number {
  const operations = Math.ceil(-Math.log(1 - chance.draw("life")) * LIFE);
  return chance.strikes("death", 1, `after ${operations} operations`) ? operations : Number.POSITIVE_INFINITY;
}

export function createMachine(parts: Parts): Machine {
  const { time, chance, network, trace } = parts;
  let [life, step] = [0, 0];
  let running:
    | { stop(why: string): void; program: ReturnType<Product["createProgram"]>; is: "opening" | "listening" | "ready" }
    | undefined;
  const waiting = new Set<(error: Error) => void>();
  const folderOf = (n: number) => join(parts.folder, String(n));
  const machine: Machine = {
    start: () => void launch().catch(parts.failed),
    kill: (why) => running?.stop(why),
    isReady: () => running?.is === "ready",
    async metrics(path) {
      if (!running) throw new Error("the server is down");
      return running.program.metrics(new Request(`${parts.origin}${path}`), {});
    },
    stepClock(ms) {
      step += ms;
    },
    disk: { full: false, busy: false },
    deaths: 0,
    lines: [],
  };
  /** One life of the process. */
  const launch = async () => {
    life += 1;
    let gone = false;
    let left: number | undefined;
    const operation = (what: string) => {
      if (gone) throw new Gone();
      if (what === "committed") trace(what);
      if (!parts.dies()) return;
      left ??= lifeOf(chance);
      left -= 1;
      if (left > 0) return;
      stop(`at ${what}`);
      throw new Gone();
    };
    const disk: Disk = createDisk({
      folder: folderOf(life),
      operation,
      later: (run) => void time.after(DISK_MS, () => !gone && run()),
      isFull: () => machine.disk.full,
      isBusy: () => machine.disk.busy,
    });
    fs.mkdirSync(disk.folder, { recursive: true });
    const stop = (why: string) => {
      gone = true;
      running = undefined;
      machine.deaths += 1;
      trace(`death ${why}`);
      disk.leave(folderOf(life + 1));
      for (const reject of waiting) reject(lostConnection("ECONNRESET"));
      waiting.clear();
      time.after(DOWN_MS.least + chance.draw("down") * DOWN_MS.more, machine.start);
    };
    const host = createHost({
      ...{ time, operation, isGone: () => gone, modules: disk.modules },
      wall: () => parts.began + time.now() + step,
      random: chance.stream(`process ${life}`),
      fetch: async () => {
        throw new Error("the server calls nobody but by its Call");
      },
    });
    const product = parts.product(host);
    const config = product.readConfig({ ...parts.env, DATA_FOLDER: disk.folder }, product.adapters);
    const write = (lines: string) => {
      if (!gone) machine.lines.push(...lines.trimEnd().split("\n"));
    };
    const log = product.createLog({ level: "info", write });
    const call = network.callFrom(() => gone);
    const guarded: Call = async (request) => {
      operation("call");
      return call(request);
    };
    const lost = (why: string) => {
      if (!gone) parts.failed(new Error(`the database is lost: ${why}`));
    };
    const program = product.createProgram(config, { log, call: guarded, lost });
    const own: NonNullable<typeof running> = { stop, program, is: "opening" };
    running = own;
    trace(`start ${life}`);
    try {
      await program.open();
      own.is = "listening";
      await program.start();
      own.is = "ready";
    } catch (error) {
      if (!gone) throw error;
    }
  };
  network.serve(parts.origin, (request) => {
    if (!running || running.is === "opening") throw lostConnection("ECONNREFUSED");
    const { program } = running;
    return new Promise((resolve, reject) => {
      waiting.add(reject);
      const end = (act: () => void) => {
        if (waiting.delete(reject)) act();
      };
      Promise.resolve(program.fetch(request, {})).then(
        (response) => end(() => resolve(response)),
        (error) => end(() => reject(error)),
      );
    });
  });
  return machine;
}
