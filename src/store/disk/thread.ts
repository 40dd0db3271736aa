import { Worker } from "node:worker_threads";

/**
 * Runs a program in a thread; resolves with its last message once it has ended, and with undefined if it sent none. An abort
 * ends it.
 */
export function inThread<T>(program: URL, workerData: object, signal?: AbortSignal): Promise<T | undefined> {
  const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };
  const thread = new Worker(program, { workerData, resourceLimits });
  thread.unref();
  signal?.addEventListener("abort", () => void thread.terminate());
  return new Promise((resolve, reject) => {
    let said: T | undefined;
    thread.on("message", (message) => {
      said = message;
    });
    thread.on("error", reject);
    // After its connection is closed.
    thread.on("exit", () => resolve(said));
  });
}
