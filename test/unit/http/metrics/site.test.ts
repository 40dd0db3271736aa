import { describe, expect, it } from "vitest";
import { createHistogram } from "../../../../src/domain/figures.ts";
import { metricsSite } from "../../../../src/http/metrics/site.ts";
import { BUSY, LINE, metricsParts, REMOVED } from "../../../support/metrics.ts";
import { OWN, runningSite } from "../../../support/site.ts";

const away = new Error("the database does not answer");
const setUp = ({ fault, ...changes }: { token?: string; fault?: Error; channels?: boolean } = {}) => {
  const fail = () => Promise.reject(fault);
  const parts = metricsParts({ ...BUSY, ...changes, isAway: (error) => error === away });
  const site = metricsSite(fault ? { ...parts, parked: fail, ledger: { ...parts.ledger, look: fail } } : parts);
  return (path: string, headers: Record<string, string> = {}) => site.request(path, { headers });
};
const shown = async (ask: ReturnType<typeof setUp>) => (await (await ask("/metrics")).text()).split("\n");

describe("the metrics", () => {
  it("are in the Prometheus format: sums by kind, histograms, requests, calls, disk, event loop and memory", async () => {
    const answer = await setUp()("/metrics");
    expect(answer.headers.get("content-type")).toContain("version=0.0.4");
    const text = await answer.text();
    for (const expected of [
      'gangway_events{kind="telegram",state="accepted"} 9',
      'gangway_events{kind="telegram",state="hole"} 1',
      'gangway_events{kind="removed",state="delivered"} 4',
      'gangway_acks{kind="telegram",state="given"} 5',
      "gangway_ledger_holes 1",
      'gangway_channels{kind="telegram",state="working"} 1',
      'gangway_channels{kind="telegram",state="stopped"} 0',
      'gangway_undelivered{kind="telegram"} 2',
      'gangway_oldest_due_seconds{kind="telegram"} 1.5',
      'gangway_oldest_due_seconds{kind="removed"} 0',
      "gangway_list_compared_oldest_timestamp_seconds 45.5",
      'gangway_delivery_seconds_bucket{direction="inbound",kind="telegram",le="0.05"} 1',
      'gangway_delivery_seconds_bucket{direction="inbound",kind="telegram",le="0.5"} 2',
      'gangway_delivery_seconds_bucket{direction="inbound",kind="telegram",le="60"} 2',
      'gangway_delivery_seconds_bucket{direction="inbound",kind="telegram",le="+Inf"} 3',
      'gangway_delivery_seconds_count{direction="inbound",kind="telegram"} 3',
      'gangway_http_requests_total{method="POST",route="/gateway/:secret",status="200"} 8',
      'gangway_build_info{version="1.2.3",node="24.0.0",engine="SQLite"} 1',
      "gangway_calls_in_flight 3",
      'gangway_attempts_total{direction="inbound",verdict="retry"} 7',
      "gangway_database_up 1",
      "gangway_parked_parts 4",
      "gangway_parked_bytes 900",
      "gangway_parked_unknown_parts 1",
      'gangway_parked_dropped_total{reason="full"} 2',
      'gangway_parked_dropped_total{reason="expired"} 3',
      'gangway_app_requests_total{kind="facebook",result="other-secret"} 6',
      "gangway_backup_timestamp_seconds 60.5",
      "gangway_disk_free_bytes 10",
      "gangway_memory_rss_bytes 100",
    ])
      expect(text.split("\n")).toContain(expected);
    expect(text).toMatch(/^gangway_event_loop_lag_seconds\{of="p99"\} \d/m);
    const shape =
      /^(# (HELP gangway_\w+ .+|TYPE gangway_\w+ (counter|gauge|histogram))|gangway_\w+(\{\w+="(\\.|[^"\\])*"(,\w+="(\\.|[^"\\])*")*\})? [\d.e+-]+)$/;
    expect(
      text
        .trimEnd()
        .split("\n")
        .filter((row) => !shape.test(row)),
    ).toEqual([]);
  });

  it("name an account or a channel only where METRICS_CHANNELS asks for it, and never a removed one", async () => {
    expect((await shown(setUp())).filter((row) => /account=|channel=/.test(row))).toEqual([]);
    const rows = await shown(setUp({ channels: true }));
    const at = '{account="account",channel="a\\"b"}';
    for (const expected of [
      `gangway_events_accepted_total${at} 9`,
      `gangway_events_waiting${at} 2`,
      `gangway_ledger_hole${at} 1`,
      `gangway_acks_given_total${at} 5`,
      `gangway_job_oldest_seconds${at} 60`,
      `gangway_list_compared_timestamp_seconds${at} 45.5`,
      'gangway_channel_info{account="account",channel="a\\"b",kind="telegram",state="working"} 1',
    ])
      expect(rows).toContain(expected);
    expect(rows.filter((row) => row.includes('channel="removed"'))).toEqual([]);
  });

  it("are at most 2,000 series, whatever the number of accounts", async () => {
    const kinds = Array.from({ length: 12 }, (_, n) => `kind-${n}`);
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ ...LINE, kind: kinds[n % kinds.length] }));
    const all = createHistogram<{ direction: string; kind: string }>();
    for (const kind of kinds) for (const direction of ["inbound", "outbound"]) all.observe({ direction, kind }, 100);
    const site = metricsSite(
      metricsParts({
        ledger: { look: async () => ({ at: 0, rows }), latest: () => ({ at: 0, rows }) },
        meter: () => ({ inFlight: 0, attempts: [], delivery: all.read(), endToEnd: all.read() }),
      }),
    );
    const text = await (await site.request("/metrics")).text();
    const series = text.split("\n").filter((row) => row && !row.startsWith("#"));
    expect(series.length).toBeLessThan(1_500);
    expect(series.length).toBeGreaterThan(kinds.length * 2 * 2);
  });

  it("show what needs no database while it is away", async () => {
    const ask = setUp({ fault: away });
    const answer = await ask("/metrics");
    expect(answer.status).toBe(200);
    const text = await answer.text();
    for (const expected of [
      "gangway_database_up 0",
      "gangway_calls_in_flight 3",
      "gangway_ledger_checked_timestamp_seconds 61",
    ])
      expect(text.split("\n")).toContain(expected);
    expect(text).not.toContain("gangway_parked_parts");
    const ledger = await ask("/ledger");
    expect([ledger.status, await ledger.text()]).toEqual([503, "The database is away"]);
  });

  it("do not hide another fault of the database", async () => {
    const ask = setUp({ fault: new Error("no such table") });
    for (const path of ["/metrics", "/ledger"]) {
      const failed = await ask(path);
      expect([failed.status, await failed.text()]).toEqual([500, "This has failed; see the log"]);
    }
  });

  it("include the ledger as JSON, checked on request", async () => {
    const answer = await (await setUp()("/ledger")).json();
    expect(answer).toEqual({
      at: "1970-01-01T00:00:03.000Z",
      balanced: false,
      lines: JSON.parse(JSON.stringify([LINE, REMOVED])),
    });
  });

  it("require the token, when one is set", async () => {
    const ask = setUp({ token: "the-token-of-the-operator" });
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
    const site = await runningSite({ metrics: { host: "127.0.0.1", port: 9464, channels: true } });
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
