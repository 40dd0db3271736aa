import { Hono } from "hono";
import { type Bound, Overload } from "../../domain/delivery/overload.ts";
import type { Log } from "../../log.ts";
import { laterAnswer } from "../doors/overload.ts";
import type { Env } from "./env.ts";
import { live } from "./health.ts";

/** Why the database is not open for now. */
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
