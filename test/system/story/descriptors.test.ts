import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../sandbox/src/ports.ts";
import { temporaryFolder } from "../../support/store.ts";
import { until } from "../../support/until.ts";

const MAIN = join(import.meta.dirname, "../../../dist/main.js");

it("a server with few descriptors sheds sockets, keeps those for its own work, and is whole again afterwards", async () => {
  const port = await freePort(0);
  const folder = temporaryFolder();
  const env = { PATH: process.env.PATH, SANDBOX: "1", HOST: "127.0.0.1", PORT: String(port), DATA_FOLDER: folder };
  const start = ["-c", 'ulimit -n 300; exec "$0" "$@"', process.execPath, MAIN];
  const server = spawn("sh", start, { env: { ...env, CALLS: "32" } });
  onTestFinished(() => void server.kill("SIGKILL"));
  const log = { out: "", ended: false };
  server.stdout.setEncoding("utf8").on("data", (text: string) => {
    log.out += text;
  });
  server.once("exit", () => {
    log.ended = true;
  });
  await until("the server", async () => log.out.includes("server.listening"));
  expect(log.out).toMatch(/"event":"server.few-descriptors","openFiles":300,"sockets":168,"wanted":10000/);

  const sockets: Socket[] = [];
  for (let n = 0; n < 600; n++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET / HTTP/1.1\r\nhost: g\r\n");
    sockets.push(socket);
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  // On a connection of its own.
  const isReady = async () => {
    const init = { headers: { connection: "close" } };
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, init).catch(() => undefined);
    return answer?.status === 200;
  };
  await until("the flood", async () => sockets.every(({ connecting }) => !connecting));
  // The database's files are looked at four times a second meanwhile.
  const answers: boolean[] = [];
  for (let n = 0; n < 5; n++) {
    answers.push(await isReady());
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(answers).toEqual(Array(5).fill(true));
  expect(sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(168);
  for (const socket of sockets) socket.destroy();
  await until("an answer after the flood", isReady);
  expect(log.ended).toBe(false);
  expect(log.out).not.toContain("database.lost");
});
