import type { LedgerRow } from "../../src/domain/account.ts";
import { createHistogram } from "../../src/domain/figures.ts";
import type { MetricsParts } from "../../src/http/metrics/site.ts";
import { silentLog } from "./log.ts";

/** Parts of the metrics' site: a server on which nothing has happened. */
export const metricsParts = (changes: Partial<MetricsParts> = {}): MetricsParts => ({
  build: { version: "1.2.3", node: "24.0.0", engine: "SQLite" },
  ledger: { look: async () => ({ at: 0, rows: [] }), latest: () => undefined },
  meter: () => ({ inFlight: 0, attempts: [], delivery: [], endToEnd: [] }),
  traffic: { figures: () => ({ requests: [], durations: [] }) },
  parked: async () => ({ parts: 0, bytes: 0, strangers: 0, dropped: { full: 0, expired: 0 } }),
  events: async () => ({ due: 0 }),
  lastBackup: async () => undefined,
  compared: () => [],
  apps: () => [],
  disk: () => undefined,
  isAway: () => false,
  log: silentLog,
  ...changes,
});

export const LINE = {
  ...{ accountId: "account" as never, channelId: 'a"b' as never, accepted: 9, recovered: 3 },
  ...{ delivered: 4, refused: 2, waiting: 2, held: 1, hole: 1, jobs: 5, oldestAt: 1_000, dueAt: 59_500 },
  ...{ undelivered: 2, kind: "telegram", standing: "working" as const },
  messages: { waiting: 1, held: 1 },
  acks: { owed: 8, given: 5, refused: 1, waiting: 2, hole: 0 },
} satisfies LedgerRow;
export const REMOVED: LedgerRow = {
  ...{ ...LINE, channelId: "removed" as never, standing: "removed", kind: undefined, dueAt: undefined },
  ...{ jobs: 0, held: 0, hole: 0 },
};

const delivery = createHistogram<{ direction: string; kind: string }>();
for (const ms of [20, 400, 90_000]) delivery.observe({ direction: "inbound", kind: "telegram" }, ms);
const checked = { at: 61_000, rows: [LINE, REMOVED] };

/** Parts of a server that has something of everything to show. */
export const BUSY: Partial<MetricsParts> = {
  ledger: { look: async () => ({ ...checked, at: 3_000 }), latest: () => checked },
  meter: () => ({
    ...{ inFlight: 3, attempts: [{ labels: { direction: "inbound", verdict: "retry" }, count: 7 }] },
    ...{ delivery: delivery.read(), endToEnd: delivery.read() },
  }),
  parked: async () => ({ parts: 4, bytes: 900, strangers: 1, dropped: { full: 2, expired: 3 } }),
  events: async () => ({ due: 3, oldestAt: 1_500 }),
  lastBackup: async () => 60_500,
  compared: () => [{ accountId: LINE.accountId, channelId: LINE.channelId, upTo: 45_500 }],
  apps: () => [{ kind: "facebook", result: "other-secret", count: 6 }],
  traffic: {
    figures: () => ({
      requests: [{ labels: { method: "POST", route: "/gateway/:secret", status: "200" }, count: 8 }],
      durations: [],
    }),
  },
  disk: () => ({ freeBytes: 10, totalBytes: 40 }),
  memory: () => ({ rss: 100, heapUsed: 50 }),
};

/** Events that no webhook brought, as the metrics sum them up. */
export const recoveredIn = (text: string): number =>
  Number(/^gangway_events\{[^}]*state="recovered"\} (\d+)$/m.exec(text)?.[1]);
