import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../sandbox/src/ports.ts";
import { databaseEnv } from "../../support/engine.ts";
import { temporaryFolder } from "../../support/store.ts";
import { until } from "../../support/until.ts";

const MAIN = join(import.meta.dirname, "..", "..", "..", "dist", "main.js");

/** The settings of a new store. */
async function storage(): Promise<Record<string, string>> {
  const folder = temporaryFolder();
  return { DATA_FOLDER: folder, ...(await databaseEnv(folder)) };
}
const statusOf = (address: string, headers: Record<string, string> = {}) =>
  fetch(address, { headers }).then(
    (answer) => answer.status,
    () => "refused" as const,
  );

it("metrics are on their own port on the loopback, and not on the public port", async () => {
  const [port, metrics] = [await freePort(0), await freePort(0)];
  const token = "the-token-of-the-operator";
  const env = { SANDBOX: "1", PORT: `${port}`, METRICS_PORT: `${metrics}`, METRICS_TOKEN: token, LOG_LEVEL: "silent" };
  const server = spawn(process.execPath, [MAIN], { env: { ...process.env, ...env, ...(await storage()) } });
  onTestFinished(() => void server.kill("SIGKILL"));
  await until("the server", async () => (await statusOf(`http://127.0.0.1:${port}/health/ready`)) === 200);
  const authorization = `Bearer ${token}`;
  for (const path of ["/metrics", "/ledger"]) {
    expect(await statusOf(`http://127.0.0.1:${port}${path}`, { authorization })).toBe(404);
    expect(await statusOf(`http://127.0.0.1:${metrics}${path}`)).toBe(401);
    expect(await statusOf(`http://127.0.0.1:${metrics}${path}`, { authorization })).toBe(200);
    // On another address of this machine only the public port listens.
    expect(await statusOf(`http://127.0.0.2:${metrics}${path}`, { authorization })).toBe("refused");
  }
  expect(await statusOf(`http://127.0.0.2:${port}/health/live`)).toBe(200);
  const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`, { headers: { authorization } })).text();
  expect(text).toMatch(/^gangway_memory_rss_bytes \d+$/m);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  expect(await ended).toBe(0);
});

it("metrics are at METRICS_HOST with the token, and without one the server does not start", async () => {
  const [port, metrics] = [await freePort(0), await freePort(0)];
  const token = "the-token-of-the-operator";
  const env = {
    SANDBOX: "1",
    PORT: `${port}`,
    METRICS_PORT: `${metrics}`,
    METRICS_HOST: "0.0.0.0",
    LOG_LEVEL: "silent",
  };
  const start = async (more: Record<string, string>) => {
    const server = spawn(process.execPath, [MAIN], { env: { ...process.env, ...env, ...more, ...(await storage()) } });
    onTestFinished(() => void server.kill("SIGKILL"));
    return server;
  };
  const refused = await start({});
  let said = "";
  refused.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  expect(await new Promise((resolve) => refused.once("close", resolve))).toBe(1);
  expect(said).toContain("METRICS_TOKEN is missing: other machines can reach METRICS_HOST 0.0.0.0");
  await start({ METRICS_TOKEN: token });
  const at = `http://127.0.0.2:${metrics}/metrics`;
  await until("the metrics", async () => (await statusOf(at)) === 401);
  expect(await statusOf(at, { authorization: `Bearer ${token}` })).toBe(200);
});

it("the console is on its own port, opens with its token only, and is not on the public port", async () => {
  const [port, console] = [await freePort(0), await freePort(0)];
  const token = "the-token-of-the-console-is-long-enough";
  const env = { SANDBOX: "1", PORT: `${port}`, CONSOLE_PORT: `${console}`, CONSOLE_TOKEN: token, LOG_LEVEL: "silent" };
  const server = spawn(process.execPath, [MAIN], { env: { ...process.env, ...env, ...(await storage()) } });
  onTestFinished(() => void server.kill("SIGKILL"));
  await until("the server", async () => (await statusOf(`http://127.0.0.1:${port}/health/ready`)) === 200);
  const at = `http://127.0.0.1:${console}`;
  expect(await statusOf(`${at}/accounts`)).toBe(401);
  const body = new URLSearchParams({ token });
  const opened = await fetch(`${at}/sign-in`, { method: "POST", body, redirect: "manual" });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  for (const path of ["/accounts", "/style.css", "/icons.svg"])
    expect(await statusOf(`${at}${path}`, { cookie }), path).toBe(200);
  for (const path of ["/accounts", "/accounts.json", "/sign-in", "/audit"])
    expect(await statusOf(`http://127.0.0.1:${port}${path}`, { cookie }), path).toBe(404);
  // Whatever address of this machine is asked, the console listens on the loopback alone.
  expect(await statusOf(`http://127.0.0.2:${console}/accounts`)).toBe("refused");
});
