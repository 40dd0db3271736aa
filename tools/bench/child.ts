import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A child process that answers requests, so that measuring and measured code share no event loop. */
export interface Child {
  ask<Answer>(verb: string, params?: unknown): Promise<Answer>;
  stop(signal?: "SIGKILL" | "SIGTERM"): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export const built = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export function startChild(args: string[], env: Record<string, string> = {}): Child {
  const stdio: ("ignore" | "inherit" | "ipc")[] = ["ignore", "ignore", "inherit", "ipc"];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env }, stdio });
  running.add(child);
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  child.once("exit", () => {
    running.delete(child);
    for (const { reject } of waiting.values()) reject(new Error(`${args.at(-1)} exited`));
  });
  child.on("message", ({ id, result, error }: { id: number; result: never; error?: string }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error));
  });
  let last = 0;
  return {
    ask: (verb, params) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        child.send({ id: last, verb, params });
      }),
    stop: (signal = "SIGKILL") =>
      new Promise((resolve) => {
        if (!running.has(child)) return resolve();
        child.once("exit", () => resolve());
        child.kill(signal);
      }),
  };
}

/** User and system time of this process since its start, ms. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export type Verbs = Record<string, (params: never) => unknown>;

/** The child's end of `ask`. */
export function answer(verbs: Verbs): void {
  process.on("message", async ({ id, verb, params }: { id: number; verb: string; params: never }) => {
    try {
      const result = await verbs[verb]?.(params);
      process.send?.({ id, result });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}

/** Milliseconds of the machine's monotonic clock, which all processes share. */
export const instant = (): number => Number(process.hrtime.bigint()) / 1e6;
