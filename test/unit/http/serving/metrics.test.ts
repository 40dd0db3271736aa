import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { metricsSite } from "../../../../src/http/serving/metrics.ts";
import { silentLog } from "../../../support/log.ts";
import { OWN, runningSite } from "../../../support/site.ts";

const line = {
  ...{ accountId: "account" as never, channelId: 'a"b' as never, accepted: 9, recovered: 3 },
  ...{ delivered: 4, refused: 2, waiting: 2, held: 1, hole: 1, jobs: 5, oldestAt: 1_000 },
  acks: { owed: 8, given: 5, refused: 1, waiting: 2, hole: 0 },
};
const fail = (error: Error) => Promise.reject(error);
const reading = { at: 2_000, rows: [line] };
const away = new Error("the database does not answer");
const setUp = (token?: string, fault?: Error) => {
  const site = metricsSite({
    token,
    now: () => 61_000,
    ledger: { look: async () => (fault ? fail(fault) : { ...reading, at: 3_000 }), latest: () => reading },
    meter: () => ({ inFlight: 3, attempts: [{ direction: "inbound", verdict: "retry", count: 7 }] }),
    parked: async () =>
      fault ? fail(fault) : { parts: 4, bytes: 900, strangers: 1, dropped: { full: 2, expired: 3 } },
    compared: () => [{ accountId: line.accountId, channelId: line.channelId, upTo: 45_500 }],
    isAway: (error) => error === away,
    log: silentLog,
    apps: () => [{ kind: "facebook", result: "other-secret", count: 6 }],
    memory: () => ({ rss: 100, heapUsed: 50 }),
  });
  return (path: string, headers: Record<string, string> = {}) => site.request(path, { headers });
};

describe("the metrics", () => {
  it("are in the Prometheus format: ledger, attempts, calls, event loop and memory", async () => {
    const answer = await setUp()("/metrics");
    expect(answer.headers.get("content-type")).toContain("version=0.0.4");
    const text = await answer.text();
    const at = '{account="account",channel="a\\"b"}';
    for (const expected of [
      `gangway_events_accepted_total${at} 9`,
      `gangway_events_recovered_total${at} 3`,
      `gangway_list_compared_timestamp_seconds${at} 45.5`,
      `gangway_events_delivered${at} 4`,
      `gangway_events_refused${at} 2`,
      `gangway_events_waiting${at} 2`,
      `gangway_ledger_hole${at} 1`,
      `gangway_acks_owed_total${at} 8`,
      `gangway_acks_given_total${at} 5`,
      `gangway_acks_refused${at} 1`,
      `gangway_acks_waiting${at} 2`,
      `gangway_acks_hole${at} 0`,
      `gangway_jobs_waiting${at} 5`,
      `gangway_job_oldest_seconds${at} 60`,
      "gangway_calls_in_flight 3",
      'gangway_attempts_total{direction="inbound",verdict="retry"} 7',
      "gangway_database_up 1",
      "gangway_parked_parts 4",
      "gangway_parked_bytes 900",
      "gangway_parked_unknown_parts 1",
      'gangway_parked_dropped_total{reason="full"} 2',
      'gangway_parked_dropped_total{reason="expired"} 3',
      'gangway_app_requests_total{kind="facebook",result="other-secret"} 6',
      "gangway_memory_rss_bytes 100",
    ])
      expect(text.split("\n")).toContain(expected);
    expect(text).toMatch(/^gangway_event_loop_lag_seconds\{quantile="0.99"\} \d/m);
    const shape =
      /^(# (HELP gangway_\w+ .+|TYPE gangway_\w+ (counter|gauge))|gangway_\w+(\{\w+="(\\.|[^"\\])*"(,\w+="(\\.|[^"\\])*")*\})? [\d.e+-]+)$/;
    expect(
      text
        .trimEnd()
        .split("\n")
        .filter((row) => !shape.test(row)),
    ).toEqual([]);
  });

  it("are what the dashboard for Grafana asks for", async () => {
    const text = await (await setUp()("/metrics")).text();
    const dashboard = readFileSync(join(import.meta.dirname, "../../../../deploy/grafana/gangway.json"), "utf8");
    const asked = [...new Set(dashboard.match(/gangway_\w+/g))];
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
  });

  it("show what needs no database while it is away", async () => {
    const ask = setUp(undefined, away);
    const shown = await ask("/metrics");
    expect(shown.status).toBe(200);
    const text = await shown.text();
    for (const expected of [
      "gangway_database_up 0",
      "gangway_calls_in_flight 3",
      "gangway_ledger_checked_timestamp_seconds 2",
    ])
      expect(text.split("\n")).toContain(expected);
    expect(text).not.toContain("gangway_parked_parts");
    const ledger = await ask("/ledger");
    expect([ledger.status, await ledger.text()]).toEqual([503, "The database is away"]);
  });

  it("do not hide another fault of the database", async () => {
    const ask = setUp(undefined, new Error("no such table"));
    for (const path of ["/metrics", "/ledger"]) {
      const failed = await ask(path);
      expect([failed.status, await failed.text()]).toEqual([500, "This has failed; see the log"]);
    }
  });

  it("include the ledger as JSON, checked on request", async () => {
    const answer = await (await setUp()("/ledger")).json();
    expect(answer).toEqual({ at: "1970-01-01T00:00:03.000Z", balanced: false, lines: [line] });
  });

  it("require the token, when one is set", async () => {
    const ask = setUp("the-token-of-the-operator");
    for (const path of ["/metrics", "/ledger", "/elsewhere"])
      for (const authorization of [
        "",
        "Bearer wrong",
        "the-token-of-the-operator",
        "Bearer the-token-of-the-operator1",
      ])
        expect((await ask(path, { authorization })).status, `${path} ${authorization}`).toBe(401);
    expect((await ask("/metrics", { authorization: "Bearer the-token-of-the-operator" })).status).toBe(200);
  });
});

describe("the public site", () => {
  it("has neither metrics nor ledger, whatever the path", async () => {
    const site = await runningSite({ metrics: { host: "127.0.0.1", port: 9464, token: "the-token-of-the-operator" } });
    for (const path of ["/metrics", "/ledger", "/metrics/", "//metrics", "/METRICS", "/account/../metrics"])
      for (const method of ["GET", "POST", "HEAD"]) {
        const headers = { authorization: "Bearer the-token-of-the-operator" };
        expect((await site.ask(path, { method, headers })).status, `${method} ${path}`).toBe(404);
      }
  });

  it("leaves metrics to the other port, and they hold no secret", async () => {
    const site = await runningSite({ metrics: { host: "127.0.0.1", port: 9464 } });
    const cookie = await site.connect();
    await site.addChannel(cookie);
    await site.app.metrics?.(new Request(`${OWN}/ledger`));
    const text = await (await site.app.metrics?.(new Request(`${OWN}/metrics`)))?.text();
    expect(text).toContain("gangway_events_accepted_total{account=");
    const secrets = await site.stored(async (store) => {
      const [account] = await store.accounts.list();
      const [channel] = account ? await store.channels.list(account.id) : [];
      return [account?.apiKey, account?.clientId, account?.webhookSecret, account?.gatewayToken, channel?.door];
    });
    for (const secret of secrets) expect(text).not.toContain(secret ?? expect.fail("no secret"));
  });

  it("has no metrics anywhere unless configured", async () => {
    expect((await runningSite()).app.metrics).toBeUndefined();
  });
});
