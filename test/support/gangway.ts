import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { runCommand } from "../../src/operator/run.ts";
import type { KeyRing } from "../../src/store/secrets.ts";
import { recordOutput } from "./canaries.ts";
import { databaseEnv } from "./engine.ts";
import { KEY_RING, NEXT_RING } from "./store.ts";

const CLI = join(import.meta.dirname, "..", "..", "dist", "cli.js");

export interface Ran {
  code: number | null;
  out: string;
  err: string;
  /** Standard output as JSON. Throws unless it is one document. */
  json(): Record<string, never>;
}

/** The test stores' key rings as settings. */
export const KEYS = { test: settingOf(KEY_RING), next: settingOf(NEXT_RING) };

function settingOf({ keys }: KeyRing): string {
  return keys.map(({ id, key }) => `${id}:${key.toString("base64")}`).join(",");
}

const settingsOf = (folder: string, env: Record<string, string>) => ({
  ...{ SANDBOX: "1", DATA_FOLDER: folder, SECRET_KEYS: KEYS.test },
  ...env,
});

/** Starts the built command. */
export function gangwayProcess(folder: string, args: string[], env: Record<string, string> = {}) {
  const settings = { PATH: process.env.PATH ?? "", ...settingsOf(folder, env) };
  const child = spawn(process.execPath, [CLI, ...args], { env: settings });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

type Run = (folder: string, args: string[], env?: Record<string, string>) => Promise<Ran>;

/** Runs a command in this process, on the engine in use. */
export const gangway: Run = async (folder, args, env = {}) => {
  const database = await databaseEnv(folder);
  let [out, err] = ["", ""];
  const code = await runCommand(args, {
    env: settingsOf(folder, { ...database, ...env }),
    write: (text) => {
      out += text;
    },
    complain: (text) => {
      err += text;
    },
  });
  return ranWith(folder, { code, out, err });
};

/** The same with the built command, in a process of its own. */
export const builtGangway: Run = async (folder, args, env = {}) => {
  const database = await databaseEnv(folder);
  const child = gangwayProcess(folder, args, { ...database, ...env });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return ranWith(folder, { code, out, err });
};

function ranWith(folder: string, { code, out, err }: Omit<Ran, "json">): Ran {
  recordOutput(folder, [out, err]);
  return { code, out, err, json: () => JSON.parse(out) };
}

/** Runs a built file with nothing but these settings; `said`: all that it says. */
export const ranProgram = (file: string, args: string[], env: Record<string, string>) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    execFile(process.execPath, [file, ...args], { env }, (error, out, wrong) =>
      resolve({ code: Number(error?.code ?? 0), said: out + wrong }),
    );
  });
