import { spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { hear } from "./canaries.ts";

const CLI = join(import.meta.dirname, "..", "..", "dist", "cli.js");

export interface Ran {
  code: number | null;
  out: string;
  err: string;
  /** Standard output as JSON; throws when it is not one document. */
  json(): Record<string, never>;
}

/** The key ring of the tests' stores, as the environment says it. */
export const KEYS = {
  test: `test:${Buffer.alloc(32, 7).toString("base64")}`,
  next: `next:${Buffer.alloc(32, 8).toString("base64")}`,
};

/** The built command as a process of its own. */
export function gangway(folder: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const settings = {
      SANDBOX: "1",
      DATA_FOLDER: folder,
      SECRET_KEYS: KEYS.test,
      PATH: process.env.PATH ?? "",
      ...env,
    };
    const child = spawn(process.execPath, [CLI, ...args], { env: settings });
    onTestFinished(() => void child.kill("SIGKILL"));
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.on("error", reject);
    child.on("close", (code) => {
      hear(folder, [out, err]);
      resolve({ code, out, err, json: () => JSON.parse(out) });
    });
  });
}
