import { once } from "node:events";
import { expect, it } from "vitest";
import { freePort } from "../../../sandbox/src/ports.ts";
import { gangwayProcess } from "../../support/gangway.ts";
import { temporaryFolder } from "../../support/store.ts";
import { until } from "../../support/until.ts";

it("a server whose log nobody reads any more goes on, says so once, and stops in order", async () => {
  const port = await freePort(0);
  const settings = { HOST: "127.0.0.1", PORT: String(port), STOP_DELAY_SECONDS: "3", ACCESS_LOG: "1" };
  const server = gangwayProcess(temporaryFolder(), [], settings);
  const said = { err: "", out: "" };
  for (const [name, stream] of [["err", server.stderr] as const, ["out", server.stdout] as const])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  await until("the server", async () => said.out.includes("server.listening"));
  const closed = once(server.stdout, "close");
  server.stdout.destroy();
  await closed;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const isAlive = async () => (await fetch(`http://127.0.0.1:${port}/health/live`)).status === 200;
  // Each request is logged. A program that another test is just starting may hold the pipe for a moment.
  await until("the end of the log", async () => (await isAlive()) && said.err.includes("goes on without a log"));
  // It writes that it stops, and keeps its doors open for seconds.
  server.kill("SIGTERM");
  expect(await isAlive()).toBe(true);
  expect(await ended).toBe(0);
  expect(said.err.match(/gangway: /g)).toHaveLength(1);
});

it("a server's log shows no secret that its settings hold, whatever else holds it", async () => {
  const secret = "canary-of-the-metrics";
  const server = gangwayProcess(temporaryFolder(), [], {
    ...{ HOST: "127.0.0.1", PORT: String(await freePort(0)) },
    ...{ METRICS_TOKEN: secret, PUBLIC_URL: `http://${secret}.example` },
  });
  let out = "";
  server.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  await until("the server", async () => out.includes("server.listening"));
  expect(out).toContain("http://***.example");
  expect(out).not.toContain(secret);
});
