import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { metricsSite } from "../src/http/metrics/site.ts";
import { BUSY, metricsParts } from "./support/metrics.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const rules = read("deploy/prometheus/rules.yaml");
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);

async function metricNames(): Promise<Set<string>> {
  const text = await (await metricsSite(metricsParts({ ...BUSY, channels: true })).request("/metrics")).text();
  const names = [...text.matchAll(/^# TYPE (gangway_\w+) (\w+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [name, `${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
  return new Set(names);
}

describe("dashboards and alerts", () => {
  const dashboards = readdirSync(join(ROOT, "deploy/grafana")).map((name) => `deploy/grafana/${name}`);
  it.each([...dashboards, "deploy/prometheus/rules.yaml", "deploy/prometheus/rules.test.yaml", "docs/runbooks.md"])(
    "name only metrics that exist: %s",
    async (path) => {
      const known = await metricNames();
      // A uid or a file's name is no metric.
      const asked = new Set(read(path).match(/\bgangway_\w+/g));
      expect(asked.size).toBeGreaterThan(0);
      expect([...asked].filter((name) => !known.has(name))).toEqual([]);
    },
  );
});

describe("the runbooks", () => {
  it("have a section for each alert, which the alert names, and the test of the rules rings each", () => {
    expect(alerts.length).toBeGreaterThanOrEqual(12);
    const titles = [...read("docs/runbooks.md").matchAll(/^## (\w+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(alerts);
    expect([...rules.matchAll(/runbook: docs\/runbooks\.md#(\w+)/g)].map(([, anchor]) => anchor)).toEqual(
      alerts.map((name) => name.toLowerCase()),
    );
    const rung = new Set(
      read("deploy/prometheus/rules.test.yaml")
        .split("eval_time")
        .filter((part) => part.includes("exp_labels"))
        .map((part) => /alertname: (\w+)/.exec(part)?.[1]),
    );
    expect(alerts.filter((name) => !rung.has(name))).toEqual([]);
  });
});
