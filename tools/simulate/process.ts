import fs from "node:fs";
import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import type { Config } from "#product/config";
import type { Unsynced } from "../torture/power-cut.ts";
import type { Chance } from "./chance.ts";
import { createDisk, type Disk } from "./disk.ts";
import type { Network } from "./network.ts";
import type { Program } from "./program.ts";
import type { Time } from "./time.ts";

/** What the built server exports to the simulation. */
export interface Product {
  createProgram(
    config: Config,
    parts: { log: unknown; call: Call; clock: Clock; lost(why: string): void },
  ): {
    fetch(request: Request, env: object): Response | Promise<Response>;
    metrics(request: Request, env: object): Response | Promise<Response>;
    open(): Promise<void>;
    start(): Promise<void>;
    drain(): Promise<void>;
    close(): Promise<void>;
  };
  readConfig(env: Record<string, string>, adapters: unknown[]): Config;
  createClock(wall: () => number): Clock;
  runCommand(
    args: string[],
    terminal: { env: Record<string, string>; write(text: string): void; complain(text: string): void },
  ): Promise<number>;
  createLog(options: { level: string; write(lines: string): void }): { hide(secret: string): void };
  adapters: unknown[];
}

/** What remains when a process ends. */
export interface Surroundings {
  time: Time;
  chance: Chance;
  network: Network;
  product: Program<Product>;
  env: Record<string, string>;
  /** Unix time, ms. */
  wall(): number;
  /** Number of reasons why the disk has no space, and why another connection holds the database. */
  disk: { full: number; busy: number };
  /** Records this process's writes, if enabled: some deaths are power cuts then. */
  unsynced?: Unsynced;
  /** Whether a process may die by itself. */
  dies(): boolean;
  log(line: string): void;
  trace(line: string): void;
  failed(error: unknown): void;
}

/** The result of a command. */
export interface Ran {
  code: number;
  said: string;
}

/** One life of the server's process. */
export interface ServerProcess {
  is: "opening" | "listening" | "ready";
  program: ReturnType<Product["createProgram"]>;
  /** Opens and starts the server. */
  run(): Promise<void>;
  /** As `kill -9` does. */
  kill(why: string): void;
  /** As SIGTERM does, once it is ready. */
  terminate(): Promise<void>;
  /** Runs `gangway <args>` on its files; does not end when the process does. */
  command(args: string[]): Promise<Ran>;
}

interface Life {
  /** Counts the lives. */
  n: number;
  folder: string;
  /** Called once, when the process has ended. */
  ended(how: "killed" | "stopped"): void;
  /** For the files that it leaves. */
  nextFolder: string;
}

/** The process is gone: what is left of it must do nothing. */
export class Gone extends Error {
  constructor() {
    super("this process is gone");
    this.name = "Gone";
  }
}

/** Average number of operations in a process's life. */
const LIFE = 6_000;
const DISK_MS = 1;
/** Share of deaths. */
const POWER_CUTS = 0.5;

interface Mortal {
  operation(what: string): void;
  isGone(): boolean;
}

/** Called before each operation that the machine carries out for the process, which may die of it. */
function createOperation(
  { chance, network, dies, trace }: Surroundings,
  isGone: () => boolean,
  kill: (why: string) => void,
) {
  const draw = () => Math.ceil(chance.wait("life", LIFE));
  let left: number | undefined;
  return (what: string) => {
    if (isGone()) throw new Gone();
    if (what === "committed") {
      trace(what);
      network.recorded();
    }
    if (!dies()) return;
    left = (left ?? draw()) - 1;
    if (left > 0) return;
    left = undefined;
    if (!chance.strikes("death", 1, `at ${what}`)) return;
    kill(`at ${what}`);
    throw new Gone();
  };
}

/** The program as the product's `server.ts` composes it, on a simulated host. */
function serverOn(around: Surroundings, { operation, isGone }: Mortal, disk: Disk, n: number) {
  const { time, chance, network, wall, failed, trace } = around;
  const { readConfig, createLog, createClock, createProgram, runCommand, adapters } = around.product({
    ...{ time, startedAt: time.now(), operation, isGone, wall, modules: disk.modules },
    random: chance.stream(`process ${n}`),
    fetch: async () => {
      throw new Error("the server calls nobody but by its Call");
    },
  });
  const write = (lines: string) => {
    if (!isGone()) for (const line of lines.trimEnd().split("\n")) around.log(line);
  };
  const call = network.callFrom(isGone);
  const guarded: Call = async (request) => {
    operation("call");
    return call(request);
  };
  const lost = (why: string) => {
    if (!isGone()) failed(new Error(`the database is lost: ${why}`));
  };
  const config = readConfig({ ...around.env, DATA_FOLDER: disk.folder }, adapters);
  const log = createLog({ level: "info", write });
  const command = async (args: string[]): Promise<Ran> => {
    let said = "";
    const hear = (text: string) => {
      said += text;
    };
    const env = { ...around.env, DATA_FOLDER: disk.folder };
    const code = await runCommand(args, { env, write: hear, complain: hear });
    trace(`gangway ${args[0]}: ${code}`);
    return { code, said };
  };
  const program = createProgram(config, { log, call: guarded, clock: createClock(() => Math.floor(wall())), lost });
  return { program, command };
}

export function createProcess(around: Surroundings, life: Life): ServerProcess {
  let [gone, isStopping] = [false, false];
  const isGone = () => gone;
  const end = (how: "killed" | "stopped", isCut = false) => {
    gone = true;
    disk.leave(life.nextFolder, isCut);
    life.ended(how);
  };
  const kill = (why: string) => {
    const isCut = around.unsynced !== undefined && around.chance.draw("power") < POWER_CUTS;
    around.network.doubtUnrecorded();
    around.trace(`${isCut ? "power cut" : "death"} ${why}`);
    end("killed", isCut);
  };
  const operation = createOperation(around, isGone, kill);
  fs.mkdirSync(life.folder, { recursive: true });
  const disk = createDisk({
    ...{ folder: life.folder, operation, unsynced: around.unsynced },
    later: (run) => void around.time.after(DISK_MS, () => !gone && run()),
    isFull: () => around.disk.full > 0,
    isBusy: () => around.disk.busy > 0,
    isCommands: () => commands > 0,
  });
  const { program, command } = serverOn(around, { operation, isGone }, disk, life.n);
  let commands = 0;
  /** Does nothing more once the process is gone. */
  const whileAlive = async (act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      if (!gone) throw error;
    }
  };
  const own: ServerProcess = {
    is: "opening",
    program,
    kill,
    async command(args) {
      commands += 1;
      return command(args).finally(() => {
        commands -= 1;
      });
    },
    run: () =>
      whileAlive(async () => {
        await program.open();
        own.is = "listening";
        await program.start();
        own.is = "ready";
      }),
    async terminate() {
      if (own.is !== "ready" || isStopping) return;
      isStopping = true;
      around.trace("stopping");
      // What fails then is logged, as on a full disk, and the process ends.
      const anyhow = (act: () => Promise<void>) => whileAlive(() => act().catch(() => undefined));
      await anyhow(program.drain);
      own.is = "opening";
      await anyhow(program.close);
      if (gone) return;
      // What a full disk did not store is unknown to the next process.
      if (around.disk.full + around.disk.busy > 0) around.network.doubtUnrecorded();
      end("stopped");
    },
  };
  return own;
}
