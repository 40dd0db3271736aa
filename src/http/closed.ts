import { Hono } from "hono";
import { Overload } from "../domain/overload.ts";
import type { Log } from "../log.ts";
import type { Env } from "./env.ts";
import { live } from "./health.ts";
import { laterAnswer } from "./overload.ts";

/** The site while the disk is too full to open the database: live but not ready, with 503 for every other request. */
export function closedSite(log: Log): Hono<Env> {
  const site = new Hono<Env>();
  let count = 0;
  site.get("/health/live", live);
  site.get("/health/ready", (c) => c.json({ status: "not ready", fault: "the disk is full" }, 503));
  site.all("*", (c) => {
    count += 1;
    return laterAnswer(c, new Overload("disk", count), log, {});
  });
  return site;
}
