import { once } from "node:events";
import { connect } from "node:net";
import { systemClock } from "gangway-messenger/clock";
import webchat from "gangway-webchat";
import { Hono } from "hono";
import { expect, it, onTestFinished } from "vitest";
import { messengerDoor } from "../../../src/http/doors/doors.ts";
import { createRateLimit } from "../../../src/http/doors/rate-limit.ts";
import { listen } from "../../../src/http/serving/listening.ts";
import type { Env } from "../../../src/http/serving/request.ts";
import { openStage } from "../../fuzz/stage.ts";
import { silentLog } from "../../support/log.ts";
import { addAccount, addChannel, temporaryStore } from "../../support/store.ts";
import { turns } from "../../support/turns.ts";
import { until } from "../../support/until.ts";

async function served(fetch: Parameters<typeof listen>[0]) {
  const heard = new Set<string>();
  const heeding: typeof fetch = (request, env) => {
    heard.add(new URL(request.url).pathname);
    return fetch(request, env);
  };
  const server = listen(heeding, { port: 0, hostname: "127.0.0.1" });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const isQuiet = () => new Promise<boolean>((resolve) => server.getConnections((_, open) => resolve(open === 0)));
  /** Sends the start of a body, then disconnects. */
  const cutShort = async (path: string, headers: Record<string, string>, begun = "x=1&") => {
    const socket = connect(port, "127.0.0.1");
    const lines = Object.entries({ host: "x", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${begun}`);
    await until("the start of the body", () => heard.has(path));
    heard.delete(path);
    socket.destroy();
    await until("the end of the socket", isQuiet);
    await turns();
  };
  return { cutShort };
}

it("a body that the client aborts is not a server failure", async () => {
  const stage = await openStage();
  const { cutShort } = await served((request, env) => stage.app.fetch(request, env as never));
  const { door } = stage.chat;
  const short = { "content-length": "500" };
  const form = { ...short, "content-type": "application/x-www-form-urlencoded" };
  const bot = { "x-telegram-bot-api-secret-token": stage.bot.secret };
  const before = stage.lines.length;
  await cutShort(`${door}/messages`, { ...stage.visitor.headers, ...short });
  await cutShort(`${door}/messages`, { ...stage.visitor.headers, "transfer-encoding": "chunked" }, '5\r\n{"a":\r\n');
  await cutShort(`${door}/files`, { ...stage.visitor.headers, "content-length": "2000000" }, "x".repeat(200_000));
  await cutShort(`${door}/open`, short);
  await cutShort(stage.bot.door, { ...bot, ...short });
  await cutShort(stage.hook, { clientid: stage.clientId, ...short });
  for (const path of ["/", "/account", "/actions/activity"]) await cutShort(path, form);
  const cookie = { cookie: stage.cookie };
  await cutShort("/account/channels", { ...form, ...cookie });
  // A machine that stands still for seconds loses its sessions and leases.
  const standstill = /"event":"(database\.connection-lost|lease\.lost)"/;
  const isTold = (line: string) => /"level":"(error|warn)"/.test(line) && !standstill.test(line);
  const failed = stage.lines.slice(before).filter(isTold);
  expect(failed).toEqual([]);
});

it("a body that the server cannot store stays a failure, even when the client has not finished it", async () => {
  const store = await temporaryStore();
  const channel = await addChannel(store, await addAccount(store));
  const errors: string[] = [];
  const session = {
    async receive(request: Request) {
      const reader = request.body?.getReader();
      await reader?.read();
      await reader?.cancel();
      throw new Error("disk full");
    },
  };
  const door = messengerDoor({
    sessions: { byDoor: async () => ({ channel, adapter: webchat, session }) } as never,
    acceptInbound: async () => {},
    keepRaw: false,
    forward: async () => {},
    doorAnswered() {},
    guesses: createRateLimit(100, systemClock),
    addressOf: () => "one",
    clock: systemClock,
    log: { ...silentLog, error: (event, fields) => errors.push(`${event} ${fields?.error}`) },
  });
  const site = new Hono<Env>().all("/m/:door/*", door);
  const { cutShort } = await served((request, env) => site.fetch(request, env as never));
  await cutShort("/m/x/files", { "content-length": "2000000" }, "x".repeat(200_000));
  await until("the failure", () => errors.length > 0);
  expect(errors).toEqual(["messenger.not-stored Error: disk full"]);
});
