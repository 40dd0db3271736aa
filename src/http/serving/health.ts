import type { Context } from "hono";
import type { Env } from "./env.ts";

export interface HealthParts {
  ping(): Promise<void>;
  draining(): boolean;
}

/** Not ready when syncing one row to the database takes longer, ms. */
const MAX_PING_MS = 2_000;

export const live = (c: Context<Env>) => c.json({ status: "live" });

/** 503 while stopping, or while the database does not take writes. */
export function ready({ ping, draining }: HealthParts) {
  return async (c: Context<Env>): Promise<Response> => {
    if (draining()) return c.json({ status: "stopping" }, 503);
    let timer: NodeJS.Timeout | undefined;
    const slow = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, MAX_PING_MS, "the database does not answer");
    });
    const fault = await Promise.race([
      ping().then(
        () => "",
        () => "the database does not take writes",
      ),
      slow,
    ]);
    clearTimeout(timer);
    return fault ? c.json({ status: "not ready", fault }, 503) : c.json({ status: "ready" });
  };
}
