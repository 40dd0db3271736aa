import { startServer } from "gangway-sandbox/demo/server";
import { pause } from "gangway-sandbox/demo/waiting";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../sandbox/src/ports.ts";
import { recordOutput } from "../../support/canaries.ts";
import { databaseEnv } from "../../support/engine.ts";
import { KEYS } from "../../support/gangway.ts";
import { temporaryFolder } from "../../support/store.ts";
import { until } from "../../support/until.ts";

it("a server that stops keeps its doors open for STOP_DELAY_SECONDS, and says that it is not ready", async () => {
  const dataFolder = temporaryFolder();
  const settings = { SECRET_KEYS: KEYS.test, STOP_DELAY_SECONDS: "60", ...(await databaseEnv(dataFolder)) };
  const env = { PATH: process.env.PATH ?? "", ...settings };
  const server = await startServer({ port: await freePort(0), dataFolder, env });
  onTestFinished(() => server.kill("SIGKILL"));
  recordOutput(dataFolder, server.lines);
  const ended = server.kill("SIGTERM").then(() => true);
  await until("the stop", async () => server.lines.join().includes("server.stopping"));
  // Long after an idle server has nothing left to finish.
  for (let n = 0; n < 5; n++) {
    await pause(200);
    const ready = await fetch(`${server.origin}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: "stopping" }]);
    expect((await fetch(`${server.origin}/health/live`)).status).toBe(200);
  }
  expect(await Promise.race([ended, pause(0)])).toBeUndefined();
});
