import type { Context } from "hono";
import type { Env } from "./env.ts";

export interface HealthParts {
  ping(): Promise<void>;
  draining(): boolean;
}

/** A database that takes longer than this to sync one row is no place to send traffic to, ms. */
const SLOWEST_PING_MS = 2_000;

export const live = (c: Context<Env>) => c.json({ status: "live" });

/** 503 while stopping, or while the disk does not take writes. */
export function ready({ ping, draining }: HealthParts) {
  return async (c: Context<Env>): Promise<Response> => {
    if (draining()) return c.json({ status: "stopping" }, 503);
    let timer: NodeJS.Timeout | undefined;
    const slow = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, SLOWEST_PING_MS, "the database does not answer");
    });
    const fault = await Promise.race([
      ping().then(
        () => "",
        () => "the database takes no writes",
      ),
      slow,
    ]);
    clearTimeout(timer);
    return fault ? c.json({ status: "not ready", fault }, 503) : c.json({ status: "ready" });
  };
}
