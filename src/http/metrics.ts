import { monitorEventLoopDelay } from "node:perf_hooks";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { sameSecret } from "../domain/ids.ts";
import { balances, type LedgerRow } from "../domain/ledger.ts";
import { compressed } from "./encoding.ts";
import type { Env } from "./env.ts";

export interface MetricsParts {
  /** Whoever reads must say it, when it is set. */
  token?: string;
  now(): number;
  ledger: {
    look(): Promise<{ at: number; rows: LedgerRow[] }>;
    latest(): { at: number; rows: LedgerRow[] } | undefined;
  };
  tries(): { inFlight: number; attempts: { direction: string; verdict: string; count: number }[] };
  /** Bytes of the process. */
  memory?(): { rss: number; heapUsed: number };
}

/** Numbers for the operator, on a port of their own: this machine alone reaches it, or whoever has the token. */
export function metricsSite(parts: MetricsParts): Hono<Env> {
  const site = new Hono<Env>();
  const lag = eventLoopLag();
  site.use(
    createMiddleware(async (c, next) => {
      const proven =
        parts.token === undefined || sameSecret(c.req.header("authorization") ?? "", `Bearer ${parts.token}`);
      if (!proven) return c.text("Say METRICS_TOKEN as a bearer token", 401, { "www-authenticate": "Bearer" });
      return next();
    }),
  );
  site.use(compressed);
  site.get("/metrics", (c) =>
    c.text(text([...ledgerFamilies(parts), ...processFamilies(parts, lag())]), 200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    }),
  );
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
  const family = (name: string, type: Family["type"], help: string, of: (line: LedgerRow) => number): Family => ({
    ...{ name, type, help },
    samples: rows.map((line) => ({
      labels: { account: line.accountId, channel: line.channelId },
      value: of(line),
    })),
  });
  return [
    family("events_accepted_total", "counter", "Events that were accepted.", (line) => line.accepted),
    family("events_delivered_total", "counter", "Accepted events that were delivered.", (line) => line.delivered),
    family("events_refused", "gauge", "Accepted events that were refused with a reason.", (line) => line.refused),
    family("events_waiting", "gauge", "Accepted events that wait.", (line) => line.waiting),
    family("events_held", "gauge", "Those of them that wait for a person.", (line) => line.held),
    family("ledger_hole", "gauge", "Accepted, but neither delivered, refused nor waiting: 0.", (line) => line.hole),
    family("acks_owed_total", "counter", "Acks that were owed for agents' messages.", ({ acks }) => acks.owed),
    family("acks_given_total", "counter", "Owed acks that the gateway has taken.", ({ acks }) => acks.given),
    family("acks_refused", "gauge", "Owed acks that the gateway has refused.", ({ acks }) => acks.refused),
    family("acks_waiting", "gauge", "Owed acks that wait.", ({ acks }) => acks.waiting),
    family("acks_hole", "gauge", "Owed, but neither given, refused nor waiting: 0.", ({ acks }) => acks.hole),
    family("jobs_waiting", "gauge", "Live jobs, acks too.", (line) => line.jobs),
    family("job_oldest_seconds", "gauge", "Age of the oldest live job.", ({ oldestAt }) =>
      oldestAt === undefined ? 0 : Math.max(0, now() - oldestAt) / 1000,
    ),
    gauge("ledger_checked_timestamp_seconds", "When the ledger was looked at last.", at / 1000),
  ];
}

const gauge = (name: string, help: string, value: number): Family => ({
  ...{ name, type: "gauge", help },
  samples: [{ value }],
});

function processFamilies({ tries, memory }: MetricsParts, lag: Record<string, number>): Family[] {
  const { inFlight, attempts } = tries();
  const used = memory?.();
  return [
    gauge("calls_in_flight", "Jobs that are being carried out.", inFlight),
    {
      ...{ name: "attempts_total", type: "counter", help: "Tries of jobs since the start, by how they went." },
      samples: attempts.map(({ direction, verdict, count }) => ({ labels: { direction, verdict }, value: count })),
    },
    {
      ...{ name: "event_loop_lag_seconds", type: "gauge", help: "Delay of the event loop since it was last read." },
      samples: Object.entries(lag).map(([quantile, value]) => ({ labels: { quantile }, value })),
    },
    ...(used
      ? [
          gauge("memory_rss_bytes", "Memory of the process.", used.rss),
          gauge("memory_heap_bytes", "Memory of its objects.", used.heapUsed),
        ]
      : []),
  ];
}

/** How often the event loop is looked at, ms; what it measures is that much too high. */
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
