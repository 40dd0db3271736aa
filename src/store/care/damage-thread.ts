import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { DATABASE } from "../disk/folder.ts";

/** Looks for damage in a thread with a connection of its own. An abort ends it with undefined. */
export const findDamageIn = (folder: string) => async (signal: AbortSignal) => {
  const thread = new Worker(new URL("./find-damage.js", import.meta.url), {
    workerData: { database: join(folder, DATABASE) },
    resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
  });
  thread.unref();
  signal.addEventListener("abort", () => void thread.terminate());
  return await new Promise<string | undefined>((resolve, reject) => {
    let found: string | undefined;
    thread.on("message", (message) => {
      found = message;
    });
    thread.on("error", reject);
    // After its connection is closed.
    thread.on("exit", () => resolve(found));
  });
};
