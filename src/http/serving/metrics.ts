import { monitorEventLoopDelay } from "node:perf_hooks";
import { sameSecret } from "gangway-messenger/ids";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { balances, type LedgerRow } from "../../domain/account.ts";
import type { ParkedFigures } from "../../domain/delivery.ts";
import type { Log } from "../../log.ts";
import type { AppFigure } from "../../module/channels/app-requests.ts";
import type { ComparedFigure } from "../../module/health/comparing.ts";
import { compressed } from "./assets.ts";
import type { Env } from "./request.ts";

export interface MetricsParts {
  /** Required bearer token, if set. */
  token?: string;
  now(): number;
  ledger: {
    look(): Promise<{ at: number; rows: LedgerRow[] }>;
    latest(): { at: number; rows: LedgerRow[] } | undefined;
  };
  meter(): { inFlight: number; attempts: { direction: string; verdict: string; count: number }[] };
  parked(): Promise<ParkedFigures>;
  compared(): ComparedFigure[];
  apps(): AppFigure[];
  /** Whether an error of the database passes by itself. */
  isAway(error: unknown): boolean;
  log: Log;
  /** Process memory, bytes. */
  memory?(): { rss: number; heapUsed: number };
}

/** Metrics for the operator, on their own port: for loopback, or for clients with the token. */
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
    return c.text(text(families), 200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    });
  });
  site.get("/ledger", async (c) => {
    const { at, rows } = await parts.ledger.look();
    return c.json({ at: new Date(at).toISOString(), balanced: rows.every(balances), lines: rows });
  });
  return site;
}

interface Family {
  name: string;
  type: "counter" | "gauge";
  help: string;
  samples: { labels?: Record<string, string>; value: number }[];
}

/** The exposition format of Prometheus, version 0.0.4. */
function text(families: Family[]): string {
  const quoted = (value: string) => `"${value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`;
  const labelled = (labels: Record<string, string> = {}) => {
    const pairs = Object.entries(labels).map(([name, value]) => `${name}=${quoted(value)}`);
    return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
  };
  return families
    .flatMap(({ name, type, help, samples }) => [
      `# HELP gangway_${name} ${help}`,
      `# TYPE gangway_${name} ${type}`,
      ...samples.map(({ labels, value }) => `gangway_${name}${labelled(labels)} ${value}`),
    ])
    .join("\n")
    .concat("\n");
}

function ledgerFamilies({ ledger, now }: MetricsParts): Family[] {
  const { at, rows } = ledger.latest() ?? { at: 0, rows: [] };
  const family = (name: string, type: Family["type"], help: string, of: (row: LedgerRow) => number): Family => ({
    ...{ name, type, help },
    samples: rows.map((row) => ({
      labels: { account: row.accountId, channel: row.channelId },
      value: of(row),
    })),
  });
  return [
    family("events_accepted_total", "counter", "Accepted events.", (row) => row.accepted),
    family("events_recovered_total", "counter", "Accepted events that no webhook brought.", (row) => row.recovered),
    // A gauge: a late failure takes one back.
    family("events_delivered", "gauge", "Accepted events that were delivered.", (row) => row.delivered),
    family("events_refused", "gauge", "Accepted events that ended undelivered, with a reason.", (row) => row.refused),
    family("events_waiting", "gauge", "Accepted events that are waiting.", (row) => row.waiting),
    family("events_held", "gauge", "Waiting events that need a person's decision.", (row) => row.held),
    family(
      "ledger_hole",
      "gauge",
      "Accepted, but neither delivered, refused nor waiting; should be 0.",
      (row) => row.hole,
    ),
    family("acks_owed_total", "counter", "Acks owed for agents' messages.", ({ acks }) => acks.owed),
    family("acks_given_total", "counter", "Owed acks that the gateway accepted.", ({ acks }) => acks.given),
    family("acks_refused", "gauge", "Owed acks that the gateway refused.", ({ acks }) => acks.refused),
    family("acks_waiting", "gauge", "Owed acks that are waiting.", ({ acks }) => acks.waiting),
    family("acks_hole", "gauge", "Owed, but neither given, refused nor waiting; should be 0.", ({ acks }) => acks.hole),
    family("jobs_waiting", "gauge", "Live jobs, including acks.", (row) => row.jobs),
    family("job_oldest_seconds", "gauge", "Age of the oldest live job.", ({ oldestAt }) =>
      oldestAt === undefined ? 0 : Math.max(0, now() - oldestAt) / 1000,
    ),
    gauge("ledger_checked_timestamp_seconds", "Time of the last ledger check.", at / 1000),
  ];
}

const parkedFamilies = ({ parts, bytes, strangers, dropped }: ParkedFigures): Family[] => [
  gauge("parked_parts", "Parts of requests that no channel could take yet.", parts),
  gauge("parked_bytes", "Their size.", bytes),
  gauge("parked_unknown_parts", "Of them, those whose login no channel has.", strangers),
  {
    ...{ name: "parked_dropped_total", type: "counter", help: "Parked parts dropped since the start, by reason." },
    samples: Object.entries(dropped).map(([reason, value]) => ({ labels: { reason }, value })),
  },
];

/** A wrong secret of an app shows as `other-secret` without `proven`. */
const appFamily = (figures: AppFigure[]): Family => ({
  ...{ name: "app_requests_total", type: "counter", help: "Requests at the doors of the vendor's apps, by result." },
  samples: figures.map(({ kind, result, count }) => ({ labels: { kind, result }, value: count })),
});

/** A lag shows as a time that stays behind. */
const comparedFamily = (figures: ComparedFigure[]): Family => ({
  ...{ name: "list_compared_timestamp_seconds", type: "gauge" },
  help: "Until when what came is compared with the messenger's list.",
  samples: figures.map(({ accountId: account, channelId: channel, upTo }) => ({
    labels: { account, channel },
    value: upTo / 1000,
  })),
});

const familiesOf = async (parts: MetricsParts): Promise<Family[]> => [
  ...ledgerFamilies(parts),
  ...(await databaseFamilies(parts)),
  comparedFamily(parts.compared()),
  appFamily(parts.apps()),
];

/** Without a database the rest is shown all the same: it is when an operator looks. */
async function databaseFamilies({ parked, isAway }: MetricsParts): Promise<Family[]> {
  const up = (value: number) => gauge("database_up", "Whether the database answers: 1, or 0.", value);
  try {
    return [up(1), ...parkedFamilies(await parked())];
  } catch (error) {
    if (isAway(error)) return [up(0)];
    throw error;
  }
}

const gauge = (name: string, help: string, value: number): Family => ({
  ...{ name, type: "gauge", help },
  samples: [{ value }],
});

function processFamilies({ meter, memory }: MetricsParts, lag: Record<string, number>): Family[] {
  const { inFlight, attempts } = meter();
  const used = memory?.();
  return [
    gauge("calls_in_flight", "Jobs being executed.", inFlight),
    {
      ...{ name: "attempts_total", type: "counter", help: "Job attempts since the start, by verdict." },
      samples: attempts.map(({ direction, verdict, count }) => ({ labels: { direction, verdict }, value: count })),
    },
    {
      ...{ name: "event_loop_lag_seconds", type: "gauge", help: "Event-loop delay since the last scrape." },
      samples: Object.entries(lag).map(([quantile, value]) => ({ labels: { quantile }, value })),
    },
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

function eventLoopLag(): () => Record<string, number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
  return () => {
    const read = { 0.5: seconds(delay.percentile(50)), 0.99: seconds(delay.percentile(99)), 1: seconds(delay.max) };
    delay.reset();
    return read;
  };
}
