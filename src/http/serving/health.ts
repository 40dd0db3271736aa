import { type Context, Hono } from "hono";
import { type Bound, Overload } from "../../domain/delivery.ts";
import type { Log } from "../../log.ts";
import { type Env, laterAnswer } from "./request.ts";

export interface HealthParts {
  ping(): Promise<void>;
  draining(): boolean;
}

/** Readiness deadline for syncing one row to the database, ms. */
const MAX_PING_MS = 2_000;

export const live = (c: Context<Env>) => c.json({ status: "live" });

/** 503 while stopping, or while the database accepts no writes. */
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

/** Why the database is currently closed. */
export interface Closed {
  fault: string;
  bound: Bound;
}

/** The site while the database cannot be opened: live but not ready, with 503 for every other request. */
export function closedSite(log: Log, why: () => Closed): Hono<Env> {
  const site = new Hono<Env>();
  let count = 0;
  site.get("/health/live", live);
  site.get("/health/ready", (c) => c.json({ status: "not ready", fault: why().fault }, 503));
  site.all("*", (c) => {
    count += 1;
    return laterAnswer(c, new Overload(why().bound, count), log, {});
  });
  return site;
}
