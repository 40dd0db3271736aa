import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { metricsSite } from "../../src/http/metrics/site.ts";
import { debianProgram } from "../support/debian.ts";
import { BUSY, metricsParts } from "../support/metrics.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy/prometheus");
const folder = await mkdtemp(join(tmpdir(), "gangway-promtool-"));
afterAll(() => rm(folder, { recursive: true }));

const promtool = debianProgram(folder, "prometheus", "usr/bin/promtool");

describe.skipIf(promtool === undefined)("Prometheus' checker (skipped where promtool cannot be had)", () => {
  const run = (words: string[], input = "") => {
    const { status, stdout, stderr } = spawnSync(promtool ?? "", words, { cwd: DEPLOY, input, encoding: "utf8" });
    return { status, said: `${stdout}${stderr}` };
  };

  it("finds no fault in the metrics, with series of channels and without", async () => {
    for (const channels of [false, true]) {
      const answer = await metricsSite(metricsParts({ ...BUSY, channels })).request("/metrics");
      expect(run(["check", "metrics"], await answer.text())).toEqual({ status: 0, said: "" });
    }
    expect(run(["check", "metrics"], "# TYPE a_total gauge\na_total 1\n").status, "it finds some").not.toBe(0);
  });

  it("takes the rules, and each alert rings when it must and is silent otherwise", () => {
    expect(run(["check", "rules", "rules.yaml"])).toMatchObject({ status: 0 });
    const tried = run(["test", "rules", "rules.test.yaml"]);
    expect(tried, tried.said).toMatchObject({ status: 0 });
  });
});
