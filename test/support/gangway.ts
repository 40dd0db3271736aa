import { spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
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

/** Starts the built command. */
export function gangwayProcess(folder: string, args: string[], env: Record<string, string> = {}) {
  const settings = {
    SANDBOX: "1",
    DATA_FOLDER: folder,
    SECRET_KEYS: KEYS.test,
    PATH: process.env.PATH ?? "",
    ...env,
  };
  const child = spawn(process.execPath, [CLI, ...args], { env: settings });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs the built command, on the engine in use. */
export async function gangway(folder: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const database = await databaseEnv(folder);
  return new Promise((resolve, reject) => {
    const child = gangwayProcess(folder, args, { ...database, ...env });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.on("error", reject);
    child.on("close", (code) => {
      recordOutput(folder, [out, err]);
      resolve({ code, out, err, json: () => JSON.parse(out) });
    });
  });
}
