import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ask } from "./ask.ts";

/** The server in a process of its own, to be killed like in a crash. */
export interface Server {
  origin: string;
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Stops it where it is, and lets it go on: its machine sleeps, or has no time for it. SIGUSR2 is for preloaded scripts. */
  send(signal: "SIGSTOP" | "SIGCONT" | "SIGUSR2"): void;
  start(): Promise<void>;
  launch(): void;
  /** Throws if it exits or takes too long. */
  ready(): Promise<void>;
  /** Resolves once it has exited, with how, and with its last words on standard error. */
  ended(): Promise<string>;
  lines: string[];
}

const SERVER = "gangway-server";
const READY_MS = 60_000;
/** Log lines shown when the server does not start. */
const SHOWN_LINES = 10;
/** Limit for a graceful shutdown; then SIGKILL. */
const END_MS = 60_000;

export interface ServerOptions {
  port: number;
  dataFolder: string;
  env: Record<string, string>;
  /** Default: its port on localhost. */
  publicUrl?: string;
  /** The entry file (default: `builtServer`). */
  main?: string;
  /** Most files and sockets that it may have open (default: the machine's). */
  openFiles?: number;
}

/** Entry file of the server: of the checkout that this file lies in, or of the package in `folder`. Throws if there is none. */
export function builtServer(folder = process.cwd()): string {
  const of = (root: string) => join(root, "dist", "main.js");
  for (let root = import.meta.dirname; dirname(root) !== root; root = dirname(root)) {
    const manifest = join(root, "package.json");
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).name === SERVER) return of(root);
  }
  for (const from of [join(folder, "package.json"), import.meta.url])
    try {
      return of(dirname(createRequire(from).resolve(`${SERVER}/package.json`)));
    } catch {
      // Perhaps beside the sandbox.
    }
  throw new Error(`${SERVER} is not installed in ${folder}`);
}

export async function startServer(options: ServerOptions): Promise<Server> {
  const origin = `http://127.0.0.1:${options.port}`;
  const lines: string[] = [];
  const errors: string[] = [];
  let child: ChildProcess | undefined;
  const launch = () => {
    const settings = {
      SANDBOX: "1",
      HOST: "127.0.0.1",
      PORT: String(options.port),
      PUBLIC_URL: options.publicUrl ?? origin,
      DATA_FOLDER: options.dataFolder,
    };
    const command = [process.execPath, options.main ?? builtServer()];
    const limited = ["sh", "-c", `ulimit -n ${options.openFiles} && exec "$@"`, "sh", ...command];
    const [file = "", ...args] = options.openFiles ? limited : command;
    child = spawn(file, args, {
      env: { ...options.env, ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors.push(text.trimEnd());
      process.stderr.write(text);
    });
    child.stdout?.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trimEnd().split("\n")));
  };
  const isReady = async () => {
    const running = child;
    if (!running) throw new Error("the server was not started");
    await ready(origin, running).catch((error: Error) => {
      // The caller has no handle to kill it yet.
      running.kill("SIGKILL");
      throw new Error([error.message, ...lines.slice(-SHOWN_LINES), ...errors.slice(-SHOWN_LINES)].join("\n  "));
    });
  };
  const start = () => {
    launch();
    return isReady();
  };
  const kill = (signal: "SIGKILL" | "SIGTERM") =>
    new Promise<void>((resolve) => {
      const running = child;
      if (!running || running.exitCode !== null || running.signalCode !== null) return resolve();
      // A spinning process cannot handle SIGTERM.
      const late = setTimeout(() => running.kill("SIGKILL"), END_MS);
      running.once("exit", () => {
        clearTimeout(late);
        resolve();
      });
      running.kill(signal);
    });
  const ended = async () => [child ? await endOf(child) : "not started", ...errors.slice(-SHOWN_LINES)].join("\n  ");
  await start();
  const send: Server["send"] = (signal) => void child?.kill(signal);
  return { origin, kill, send, start, launch, ready: isReady, ended, lines };
}

async function endOf(child: ChildProcess): Promise<string> {
  // Its output is read to the end then.
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  return child.signalCode ?? `exit code ${child.exitCode}`;
}

async function ready(origin: string, child: ChildProcess): Promise<void> {
  const until = Date.now() + READY_MS;
  // It is asked once more after the end: whoever asks may have stood still.
  for (let isOver = false; !isOver; ) {
    isOver = Date.now() >= until;
    if (child.exitCode !== null) throw new Error(`the server exited with code ${child.exitCode} during startup`);
    if (child.signalCode !== null) throw new Error(`the server was killed by ${child.signalCode} during startup`);
    const answer = await ask(`${origin}/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the server did not become ready");
}
