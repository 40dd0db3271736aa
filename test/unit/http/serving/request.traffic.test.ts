import { describe, expect, it } from "vitest";
import { OWN, runningSite } from "../../../support/site.ts";
import { until } from "../../../support/until.ts";

const setUp = async (changes: Parameters<typeof runningSite>[0] = {}) => {
  const site = await runningSite({ metrics: { host: "127.0.0.1", port: 9464 }, ...changes });
  const counted = async () => {
    const text = (await (await site.app.metrics?.(new Request(`${OWN}/metrics`)))?.text()) ?? "";
    return text.split("\n").filter((row) => row.startsWith("gangway_http_requests_total"));
  };
  return { site, counted };
};

describe("the count of requests", () => {
  it("is by route, method and status, and whatever a stranger asks for makes no new series", async () => {
    const { site, counted } = await setUp();
    await site.ask("/");
    await site.ask("/health/ready");
    for (const secret of ["one", "two"]) await site.ask(`/gateway/${secret}`, { method: "POST", body: "{}" });
    await site.ask("/m/no-such-door/hook", { method: "POST", body: "{}" });
    for (const path of ["/wp-login.php", "/a/b/c"]) await site.ask(path);
    await site.ask("/", { method: "PROPFIND" });
    const rows = await counted();
    for (const expected of [
      'gangway_http_requests_total{method="GET",route="/",status="200"} 1',
      'gangway_http_requests_total{method="GET",route="/health/ready",status="200"} 1',
      'gangway_http_requests_total{method="POST",route="/gateway/:secret",status="404"} 2',
      'gangway_http_requests_total{method="POST",route="/m/:door/*",status="404"} 1',
      'gangway_http_requests_total{method="GET",route="unknown",status="404"} 2',
      'gangway_http_requests_total{method="other",route="unknown",status="404"} 1',
    ])
      expect(rows).toContain(expected);
  });
});

describe("the access log", () => {
  it("has each answered request by its route, without secrets, and is off unless asked for", async () => {
    const { site } = await setUp({ accessLog: true });
    await site.ask("/gateway/a-secret-of-an-account", { method: "POST", body: "{}" });
    const answered = () => site.lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "http.answered");
    await until("the line", async () => answered().length > 0);
    expect(answered()).toMatchObject([{ method: "POST", route: "/gateway/:secret", status: 404 }]);
    expect(site.lines.join()).not.toContain("a-secret-of-an-account");
    const quiet = (await setUp()).site;
    await quiet.ask("/");
    await quiet.close();
    expect(quiet.lines.join()).not.toContain("http.answered");
  });
});
