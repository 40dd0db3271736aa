import type { Clock } from "gangway-messenger/clock";
import type { MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { type Counter, createCounter, createHistogram, type Distribution } from "../../domain/figures.ts";
import type { Log } from "../../log.ts";
import type { Env } from "./request.ts";

type Answered = { method: string; route: string; status: string };

/** Counts what the site answers. A route is a path as the site names it, so that no secret of a path is shown. */
export interface Traffic {
  /** Middleware of a router. `unknown`: the route of what it does not know; without it that is left to the next router. */
  counted(unknown?: string): MiddlewareHandler<Env>;
  figures(): { requests: ReturnType<Counter<Answered>["read"]>; durations: Distribution<{ door: string }>[] };
}

interface Parts {
  clock: Pick<Clock, "monotonic">;
  /** Absent: requests are not logged. */
  log?: Log;
}

/** The doors that others wait at, by the head of their paths. */
const DOORS: [head: string, door: string][] = [
  ["/gateway/", "gateway"],
  ["/m/", "messenger"],
  ["/apps/", "app"],
  ["/actions/", "crm"],
  ["/health/", "health"],
];

/** Anybody may send any other. */
const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

export function createTraffic({ clock, log }: Parts): Traffic {
  const requests = createCounter<Answered>();
  const durations = createHistogram<{ door: string }>();
  return {
    counted: (unknown) => async (c, next) => {
      const began = clock.monotonic();
      await next();
      const route = matchedRoutes(c).findLast(({ path }) => path !== "/*")?.path ?? unknown;
      if (route === undefined) return;
      const ms = clock.monotonic() - began;
      const method = METHODS.has(c.req.method) ? c.req.method : "other";
      requests.add({ method, route, status: `${c.res.status}` });
      durations.observe({ door: DOORS.find(([head]) => route.startsWith(head))?.[1] ?? "page" }, ms);
      log?.info("http.answered", { method, route, status: c.res.status, ms });
    },
    figures: () => ({ requests: requests.read(), durations: durations.read() }),
  };
}
