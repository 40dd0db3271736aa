import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { defineHosted } from "gangway-messenger/hosted";
import webchat from "gangway-webchat";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { channelAssets } from "../../../src/http/serving/assets.ts";
import { listen } from "../../../src/http/serving/listening.ts";
import type { Env } from "../../../src/http/serving/request.ts";
import { turns } from "../../support/turns.ts";
import { until } from "../../support/until.ts";

const ask = (path: string, headers = "", body = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n${body}`;

/** A server that answers on demand, and a socket that sends `text` at once. */
async function asked(text: string) {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  let [most, made] = [0, 0];
  const server = listen(
    async ({ url }) => {
      begun.push(new URL(url).pathname);
      const answer = new Promise<void>((resolve) => waiting.push(resolve));
      most = Math.max(most, waiting.length);
      await answer;
      return new Response(`answer to ${new URL(url).pathname};`);
    },
    { port: 0, hostname: "127.0.0.1" },
  );
  server.on("request", () => {
    made += 1;
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  let said = "";
  socket.on("data", (bytes) => {
    said += String(bytes);
  });
  socket.write(text);
  return {
    server,
    socket,
    begun,
    waiting,
    answer: () => waiting.shift()?.(),
    most: () => most,
    made: () => made,
    said: () => said,
  };
}

const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));
const paths = (count: number) => Array.from({ length: count }, (_, n) => `/${n}`);

describe("pipelined requests", () => {
  it("start one after another, and are answered in order", async () => {
    const { begun, answer, most, said } = await asked(
      paths(9)
        .map((path) => ask(path))
        .join(""),
    );
    for (let n = 1; n <= 9; n++) {
      await until("the next request", () => begun.length === n);
      answer();
    }
    await until("the last answer", () => said().includes("answer to /8;"));
    expect(said().match(/answer to \/\d/g)).toEqual(paths(9).map((path) => `answer to ${path}`));
    expect(most()).toBe(1);
  });

  it.each([ask("/"), ask("/", "content-length: 1\r\n", "x")])(
    "cost the sender the socket when they are many, and few of them are made: %j",
    async (text) => {
      const { socket, begun, made } = await asked(text.repeat(10_000));
      await closed(socket);
      expect(begun).toEqual(["/"]);
      expect(made()).toBeLessThan(20);
    },
  );

  it("do not start once the client has disconnected", async () => {
    const { server, socket, begun, answer } = await asked(
      paths(3)
        .map((path) => ask(path))
        .join(""),
    );
    await until("the first request", () => begun.length === 1);
    socket.destroy();
    await until("the end of the socket", async () => {
      const count = await new Promise((resolve) => server.getConnections((_, open) => resolve(open)));
      return count === 0;
    });
    answer();
    await turns();
    expect(begun).toEqual(["/0"]);
  });

  it("yield to other sockets between them", async () => {
    let turn = 0;
    const turning = () => {
      turn += 1;
      timer = setImmediate(turning);
    };
    let timer = setImmediate(turning);
    onTestFinished(() => clearImmediate(timer));
    const turns: number[] = [];
    const server = listen(() => new Response(String(turns.push(turn))), { port: 0, hostname: "127.0.0.1" });
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(ask("/").repeat(8));
    await until("the last request", () => turns.length === 8);
    expect(new Set(turns).size).toBe(8);
  });

  it("may continue on one socket while the client reads the answers", async () => {
    const { socket, begun, answer, said } = await asked("");
    for (let n = 0; n < 20; n++) {
      socket.write(ask(`/${n}`));
      await until("the request", () => begun.length === n + 1);
      answer();
      await until("its answer", () => said().includes(`answer to /${n};`));
    }
    expect(socket.destroyed).toBe(false);
  });
});

it("an answer that the client does not read is cut after the idle timeout", async () => {
  const server = listen(() => new Response("x".repeat(20 * 1024 ** 2)), { port: 0, hostname: "127.0.0.1" });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  expect(server.timeout).toBe(90_000);
  server.timeout = 100;
  const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write(ask("/"));
  const [held] = (await once(server, "connection")) as [Socket];
  await once(held, "close");
  expect(held.bytesWritten).toBeGreaterThan(0);
});

it("a messenger's script is in memory once, however many downloads run", async () => {
  const file = new URL(import.meta.url);
  const scripted = defineHosted({ ...webchat, assets: { "a.js": { file, mediaType: "text/javascript" } } });
  const site = new Hono<Env>();
  const sent: unknown[] = [];
  site.use(async (c, next) => {
    const body = c.body;
    c.body = ((...given: Parameters<typeof body>) => {
      sent.push(given[0]);
      return body(...given);
    }) as typeof body;
    await next();
  });
  site.get("/:kind/:name", channelAssets([scripted]));
  const texts = [];
  for (let n = 0; n < 3; n++) texts.push(await (await site.request("/webchat/a.js")).text());
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toContain("held in memory once");
  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(1);
});
