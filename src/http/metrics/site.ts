import { monitorEventLoopDelay } from "node:perf_hooks";
import { sameSecret } from "gangway-messenger/ids";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { stream } from "hono/streaming";
import { balances } from "../../domain/account.ts";
import type { ParkedFigures } from "../../domain/delivery.ts";
import type { Distribution, Labels } from "../../domain/figures.ts";
import type { EventFigures } from "../../domain/vendor.ts";
import type { Log } from "../../log.ts";
import type { AppFigure } from "../../module/channels/app-requests.ts";
import type { ComparedFigure } from "../../module/health/comparing.ts";
import { compressed } from "../serving/assets.ts";
import type { Env, Traffic } from "../serving/request.ts";
import { exposition, type Family, gauge, histogram } from "./exposition.ts";
import { type Checked, channelFamilies, ledgerFamilies } from "./ledger.ts";

type Counts = { labels: Labels; count: number }[];

export interface MetricsParts {
  /** Required bearer token, if set. */
  token?: string;
  /** Whether to expose series per channel. */
  channels?: boolean;
  build: { version: string; node: string; engine: string };
  ledger: {
    look(): Promise<Checked>;
    latest(): Checked | undefined;
  };
  meter(): {
    inFlight: number;
    attempts: Counts;
    delivery: Distribution<Labels>[];
    endToEnd: Distribution<Labels>[];
  };
  traffic: Pick<Traffic, "figures">;
  parked(): Promise<ParkedFigures>;
  /** Events that the vendor's system has not been sent yet. */
  events(): Promise<EventFigures>;
  /** Time of the last `gangway backup`, ms; absent where backups are not made that way. */
  lastBackup?(): Promise<number | undefined>;
  compared(): ComparedFigure[];
  apps(): AppFigure[];
  /** Disk of the database; undefined if the database is on another machine, or not checked yet. */
  disk(): { freeBytes: number; totalBytes: number } | undefined;
  /** Whether a database error is temporary. */
  isAway(error: unknown): boolean;
  log: Log;
  /** Process memory, bytes. */
  memory?(): { rss: number; heapUsed: number };
}

/** Metrics for the operator on a separate port: for loopback, or for clients with the token. */
export function metricsSite(parts: MetricsParts): Hono<Env> {
  const site = new Hono<Env>();
  const lag = eventLoopLag();
  site.use(
    createMiddleware(async (c, next) => {
      const proven =
        parts.token === undefined || sameSecret(c.req.header("authorization") ?? "", `Bearer ${parts.token}`);
      if (!proven) return c.text("METRICS_TOKEN is required as a bearer token", 401, { "www-authenticate": "Bearer" });
      return next();
    }),
  );
  site.use(compressed);
  site.onError((error, c) => {
    parts.log.error("http.failed", { path: c.req.routePath, error: error.message });
    return parts.isAway(error) ? c.text("The database is away", 503) : c.text("This has failed; see the log", 500);
  });
  site.get("/metrics", async (c) => {
    const families = [...(await familiesOf(parts)), ...processFamilies(parts, lag())];
    c.header("content-type", "text/plain; version=0.0.4; charset=utf-8");
    return stream(c, async (out) => {
      for await (const piece of exposition(families)) await out.write(piece);
    });
  });
  site.get("/ledger", async (c) => {
    const { at, rows } = await parts.ledger.look();
    return c.json({ at: new Date(at).toISOString(), balanced: rows.every(balances), lines: rows });
  });
  return site;
}

const counter = (name: string, help: string, counts: Counts): Family => ({
  ...{ name, type: "counter", help },
  samples: counts.map(({ labels, count }) => ({ labels, value: count })),
});

const parkedFamilies = ({ parts, bytes, strangers, dropped }: ParkedFigures): Family[] => [
  gauge("parked_parts", "Parts of requests that no channel could take yet.", parts),
  gauge("parked_bytes", "Their size.", bytes),
  gauge("parked_unknown_parts", "Of them, those whose login no channel has.", strangers),
  counter(
    "parked_dropped_total",
    "Parked parts dropped since the start, by reason.",
    Object.entries(dropped).map(([reason, count]) => ({ labels: { reason }, count })),
  ),
];

const eventFamilies = ({ due, oldestAt }: EventFigures): Family[] => [
  gauge("vendor_events_due", "Events that EVENTS_URL is still to be told.", due),
  gauge(
    "vendor_events_oldest_timestamp_seconds",
    "When the oldest of them was written; 0: none is due.",
    (oldestAt ?? 0) / 1000,
  ),
];

/** A misconfigured app secret shows as a growing `other-secret` count without `proven`. */
const appFamily = (figures: AppFigure[]): Family =>
  counter(
    "app_requests_total",
    "Requests at the doors of the vendor's apps, by result.",
    figures.map(({ kind, result, count }) => ({ labels: { kind, result }, count })),
  );

async function familiesOf(parts: MetricsParts): Promise<Family[]> {
  const checked = parts.ledger.latest() ?? { at: 0, rows: [] };
  const compared = parts.compared();
  return [
    ...ledgerFamilies(checked, compared),
    ...(parts.channels ? channelFamilies(checked, compared) : []),
    ...(await databaseFamilies(parts)),
    appFamily(parts.apps()),
  ];
}

const backupFamily = (at: number | undefined): Family => ({
  ...{ name: "backup_timestamp_seconds", type: "gauge", help: "When gangway backup last made one; none without." },
  samples: at === undefined ? [] : [{ value: at / 1000 }],
});

/** Without a database the other metrics are still served: that is when an operator looks. */
async function databaseFamilies({ parked, events, lastBackup, isAway }: MetricsParts): Promise<Family[]> {
  const up = (value: number) => gauge("database_up", "Whether the database answers: 1, or 0.", value);
  try {
    return [
      ...[up(1), ...parkedFamilies(await parked()), ...eventFamilies(await events())],
      backupFamily(await lastBackup?.()),
    ];
  } catch (error) {
    if (isAway(error)) return [up(0)];
    throw error;
  }
}

function processFamilies({ build, meter, traffic, disk, memory }: MetricsParts, lag: Lag): Family[] {
  const { inFlight, attempts, delivery, endToEnd } = meter();
  const { requests, durations } = traffic.figures();
  const [space, used] = [disk(), memory?.()];
  return [
    { ...gauge("build_info", "Version of the server; always 1.", 1), samples: [{ labels: build, value: 1 }] },
    histogram("delivery_seconds", "From being stored to the other side's answer, since the start.", delivery),
    histogram(
      "end_to_end_seconds",
      "Messages: from being written to the CRM, or from being stored until the agent is told; since the start.",
      endToEnd,
    ),
    gauge("calls_in_flight", "Jobs being executed.", inFlight),
    counter("attempts_total", "Job attempts since the start, by verdict.", attempts),
    counter("http_requests_total", "Requests since the start, by route and status.", requests),
    histogram("http_request_seconds", "From a request's head to its answer's head, since the start.", durations),
    {
      ...{ name: "event_loop_lag_seconds", type: "gauge", help: "Event-loop delay since the last scrape." },
      samples: Object.entries(lag).map(([of, value]) => ({ labels: { of }, value })),
    },
    ...(space
      ? [
          gauge("disk_free_bytes", "Free space where the database is.", space.freeBytes),
          gauge("disk_total_bytes", "All space there.", space.totalBytes),
        ]
      : []),
    ...(used
      ? [
          gauge("memory_rss_bytes", "Resident memory of the process.", used.rss),
          gauge("memory_heap_bytes", "Used heap of the process.", used.heapUsed),
        ]
      : []),
  ];
}

/** Sampling interval of the event loop, ms; the measured delays include it. */
const RESOLUTION_MS = 10;

/** In seconds. */
type Lag = Record<"p50" | "p99" | "max", number>;

function eventLoopLag(): () => Lag {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
  return () => {
    const read = {
      p50: seconds(delay.percentile(50)),
      p99: seconds(delay.percentile(99)),
      max: seconds(delay.max),
    };
    delay.reset();
    return read;
  };
}
