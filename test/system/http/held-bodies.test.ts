import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Hono } from "hono";
import { expect, it, onTestFinished } from "vitest";
import { Overload } from "../../../src/domain/delivery.ts";
import { listen } from "../../../src/http/serving/listening.ts";
import { cappedRequest, type Env, laterAnswer, readBody } from "../../../src/http/serving/request.ts";
import { silentLog } from "../../support/log.ts";
import { until } from "../../support/until.ts";

const MIB = 1024 ** 2;
const LARGE = 3 * MIB;
const ALL_BUT_ONE = "x".repeat(LARGE - 1);

const MAX_HELD = 96 / 3;
const heldOf = <S extends { said: string }>(all: S[]) => all.filter(({ said }) => said === "");

/** Two doors on a real socket: one reads its body itself, the other passes it on as a request. */
async function doors() {
  const site = new Hono<Env>();
  site.post("/read", async (c) => c.text(`${(await readBody(c, LARGE)).length}`));
  site.post("/capped", async (c) => {
    const capped = await cappedRequest(c, LARGE);
    // A reader that hides why it failed.
    const text = await capped.request.text().catch(() => "");
    const fault = capped.fault();
    if (fault) throw fault;
    return c.text(`${text.length}`);
  });
  site.post("/left", async (c) => {
    const reader = (await cappedRequest(c, LARGE)).request.body?.getReader();
    for (let size = 0; size < LARGE - 1; ) size += (await reader?.read())?.value?.byteLength ?? LARGE;
    return c.text("left");
  });
  site.post("/file", async (c) => {
    let size = 0;
    for await (const chunk of (await cappedRequest(c, 40 * MIB)).request.body ?? []) size += chunk.byteLength;
    return c.text(`${size}`);
  });
  site.onError((error, c) =>
    error instanceof Overload ? laterAnswer(c, error, silentLog, {}) : c.text(error.name, 400),
  );
  const server = listen(site.fetch, { port: 0 });
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as { port: number };
  const send = async (path: string, body: string, length = body.length) => {
    const socket = connect(port, "127.0.0.1");
    const state = { socket, said: "" };
    socket.on("error", () => {});
    socket.on("data", (bytes) => Object.assign(state, { said: state.said + String(bytes) }));
    onTestFinished(() => void socket.destroy());
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
    await new Promise((resolve) => socket.write(body, resolve));
    return state;
  };
  const answer = async (path: string, body: string) => {
    const sent = await send(path, body);
    await until("an answer", () => sent.said.includes("\r\n\r\n"));
    return sent.said;
  };
  /** Sends all but the last byte of 3 MiB until one is refused. */
  const fill = async (path: string) => {
    const all: { socket: Socket; said: string }[] = [];
    for (let n = 0; n < 40; n++) all.push(await send(path, ALL_BUT_ONE, LARGE));
    await until("what is beyond the budget to be refused", () => heldOf(all).length <= MAX_HELD);
    return { held: heldOf(all), refused: all.filter(({ said }) => said !== "") };
  };
  return { send, answer, fill };
}

const body = "x".repeat(LARGE);

it.each(["/read", "/capped"])("bodies held beyond the budget are answered 503, at %s", async (path) => {
  const { answer, fill } = await doors();
  const { held, refused } = await fill(path);
  expect(held.length).toBeGreaterThan(20);
  for (const { said } of refused) expect(said).toMatch(/^HTTP\/1.1 503 .*retry-after: 15\r\n/is);
  for (const door of ["/read", "/capped"]) {
    // What comes whole with its headers is still served, as are files.
    expect(await answer(door, "{}")).toMatch(/^HTTP\/1.1 200 .*2$/s);
    expect(await answer(door, body)).toMatch(/^HTTP\/1.1 503 /);
  }
  expect(await answer("/file", body)).toContain(`${LARGE}`);
  // Some go, the others end: all is free again.
  for (const { socket } of held.slice(10)) socket.destroy();
  for (const { socket } of held.slice(0, 10)) socket.write("x");
  await until("their answers", () => held.slice(0, 10).every(({ said }) => said.includes(`${LARGE}`)));
  await until("room", async () => (await answer(path, body)).startsWith("HTTP/1.1 200"));
  expect((await fill(path)).held.length).toBeGreaterThan(20);
});

it("bodies that nobody reads to their end leave no trace in the budget", async () => {
  const { answer, send } = await doors();
  for (let n = 0; n < 40; n++) {
    const sent = await send("/left", ALL_BUT_ONE, LARGE);
    await until("an answer", () => sent.said.includes("left"));
  }
  expect(await answer("/capped", body)).toMatch(/^HTTP\/1.1 200 /);
});
