import { readFileSync, statSync } from "node:fs";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../../../src/config.ts";
import { type Observed, rowsOf, serverSettings, writeFiles } from "../../../../src/operator/probe/report.ts";
import type { Seen, Unknown } from "../../../../src/operator/probe/unknowns.ts";
import { temporaryFolder } from "../../../support/store.ts";

const seen = (given: Partial<Record<Unknown, Seen>>) => new Map(Object.entries(given)) as Map<Unknown, Seen>;
const observed = (more: Partial<Observed> = {}): Observed => ({
  ...{ seen: seen({}), also: [], passed: [], left: [], own: new Set(), secrets: [], ...more },
});

describe("the probe's report", () => {
  it("suggests what the server can be set to, and nothing where it does well as it is", () => {
    const all = { markup: { value: "markdown" }, accountPage: { value: "iframe" }, ackDeadlineMs: { value: 60_000 } };
    const { markup, embedding, limits } = readConfig({ SANDBOX: "1", ...serverSettings(seen(all)) }, []);
    expect([markup, embedding, limits.outboundPatienceMs]).toEqual(["markdown", true, 48_000]);
    const none = { markup: { value: "<b>" }, accountPage: { value: "tab" }, ackDeadlineMs: { value: 600_000 } };
    expect(serverSettings(seen(none))).toEqual({});
    // A patience beyond it is shortened: that of the server without a setting is below it.
    expect(readConfig({ SANDBOX: "1" }, []).limits.outboundPatienceMs).toBe(120_000);
    expect(serverSettings(seen({ ackDeadlineMs: { value: 150_000 } }))).toEqual({});
    expect(serverSettings(seen({ ackDeadlineMs: { value: 140_000 } }))).toEqual({ OUTBOUND_PATIENCE_SECONDS: "112" });
  });

  it("says of each unknown what was seen, or why it was not", () => {
    const passed = [
      { step: "repeats", state: "skipped" as const, exchanges: [] },
      { step: "rate", state: "failed" as const, why: "no answer", exchanges: [] },
    ];
    const rows = rowsOf(observed({ passed, seen: seen({ webhookTimeoutMs: { value: 300_000, atLeast: true } }) }));
    const of = (name: string) => rows.find((row) => row.name === name);
    expect(of("webhookTimeoutMs")).toMatchObject({
      verdict: "contradicted",
      assumed: 10_000,
      seen: "more than 300000",
    });
    expect(of("webhookRetryForMs")).toMatchObject({ verdict: "not seen", why: "step repeats: skipped" });
    expect(of("rateWindow")).toMatchObject({ verdict: "not seen", why: "step rate: failed: no answer" });
    expect(of("markup")).toMatchObject({ verdict: "not seen", why: "step texts: not made" });
    expect(of("webhookSignature")?.why).toMatch(/^cannot be observed: /);
  });

  it("is written for its owner's eyes, with settings that are read as they are", () => {
    const folder = temporaryFolder();
    const exchange = { at: 1, from: "probe" as const, what: "GET /x", status: 200, ms: 1, answer: { name: "Ivan" } };
    const all = observed({
      seen: seen({ markup: { value: "markdown" } }),
      also: [{ about: "a | b", seen: "c" }],
      passed: [{ step: "texts", state: "done", exchanges: [exchange] }],
      left: ["the module"],
    });
    const files = writeFiles(folder, all, { version: "1.2.3", day: "2026-01-31" });
    const [report = "", sandbox = "", server = ""] = files.map((file) => readFileSync(file, "utf8"));
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(report).toContain("Gangway 1.2.3, 2026-01-31.");
    expect(report).toContain("| `markup` | contradicted | none | markdown |");
    expect(report).toContain("| a \\| b | c |");
    expect(report).toContain('1 probe: GET /x -> 200 in 1 ms {"answer":{"name":"(text of 4)"}}');
    expect(JSON.parse(sandbox)).toEqual({ markup: "markdown" });
    expect(parseEnv(server)).toEqual({ GATEWAY_MARKUP: "markdown" });
  });
});
