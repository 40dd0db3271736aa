import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOutgoing } from "../../src/calls/outgoing.ts";
import type { ChannelSession } from "../../src/channels/port.ts";
import { botApi } from "../../src/channels/telegram/api.ts";
import type { Call } from "../../src/domain/call.ts";
import { systemClock } from "../../src/domain/clock.ts";
import type { Content } from "../../src/domain/message.ts";
import { createGateway } from "../../src/gateway/client.ts";
import { createPermits } from "../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../src/gateway/word.ts";
import { type UploadParts, uploadFiles } from "../../src/relay/deliver/uploads.ts";
import { listening } from "../support/listening.ts";
import { BOT_TOKEN } from "../support/telegram.ts";

const MEBIBYTE = 1024 * 1024;
const MOST_GROWTH = 64 * MEBIBYTE;
/** In place of two minutes: the drip must not last as long as it would like to. */
const SHORT_MS = 1_500;
/** A machine that is busy, too, takes what is too much within it. */
const LONG_MS = 10_000;

type Answer = (response: ServerResponse) => void;

/** A messenger that serves one file as it likes, and a gateway that takes files and counts their bytes. */
async function sides(serve: Answer, timeoutMs = SHORT_MS) {
  let taken = 0;
  const messenger = await listening((request, response) => {
    if (request.url?.includes("/file/")) return serve(response);
    response.end(JSON.stringify({ ok: true, result: { file_path: "photos/a.jpg" } }));
  });
  const sink = await listening((request, response) => {
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
    });
    request.on("end", () => {
      taken = size;
      response.end('{"id":"at-the-gateway"}');
    });
    request.on("error", () => {});
  });
  const outgoing = createOutgoing({ allowLoopback: true });
  onTestFinished(() => outgoing.close());
  const call: Call = (request) => outgoing.call({ ...request, timeoutMs: Math.min(request.timeoutMs, timeoutMs * 4) });
  const slowCall: Call = (request) => outgoing.call({ ...request, timeoutMs });
  const access = { url: () => sink, token: () => "token", renew: async () => undefined };
  const gateway = createGateway({
    call,
    clock: systemClock,
    permits: createPermits(systemClock),
    account: "one",
    isDone: emptyAnswers(),
    access,
  });
  const api = botApi({ call: slowCall, apiUrl: messenger, token: BOT_TOKEN });
  const session = { files: { open: (ref: string, signal: AbortSignal) => api.openFile(ref, signal) } };
  const watch: UploadParts["watch"] = (_, act) => act();
  return { session: session as unknown as ChannelSession, gateway, language: "en" as const, watch, taken: () => taken };
}

const content: Content = {
  type: "file",
  files: [{ file: { at: "messenger", ref: "r" }, name: "a.jpg" }],
  note: "look",
};
const fresh = () => new AbortController().signal;
const LINE = { type: "text", text: expect.stringContaining("the file could not be passed on") };

/** Bytes that buffers held at most. What the process has of the system grows with whatever else it is doing. */
async function grownBy(act: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().external;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().external);
  }, 20);
  await act().finally(() => clearInterval(timer));
  return most - before;
}

/** Writes without end, as fast as it is taken. */
function flood(response: ServerResponse, chunk: Buffer): void {
  const go = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", go);
  };
  response.on("error", () => {});
  go();
}
const zeros = Buffer.alloc(MEBIBYTE);

describe("a hostile file of a customer", () => {
  it.each<[string, Answer]>([
    ["a body without end and without a length", (r) => flood(r, zeros)],
    [
      "a length of terabytes, and as many bytes as are taken",
      (r) => flood(r.writeHead(200, { "content-length": "1099511627776" }), zeros),
    ],
  ])("becomes a line and the words arrive: %s", { timeout: 60_000 }, async (_, serve) => {
    const both = await sides(serve, LONG_MS);
    const grown = await grownBy(async () => {
      expect(await uploadFiles(both, content, fresh())).toEqual({ content: LINE, files: [] });
    });
    expect(grown).toBeLessThan(MOST_GROWTH);
  });

  it.each<[string, Answer]>([
    ["a drop now and then, for ever", (r) => drip(r)],
    ["less than was told, and then silence", (r) => r.writeHead(200, { "content-length": "5000" }).write("some")],
    [
      "less than was told, and then the end",
      (r) => r.writeHead(200, { "content-length": "5000" }).write("some", () => r.destroy()),
    ],
    ["nothing at all", () => {}],
    [
      "64 MiB of zeros in 64 KiB of gzip",
      (r) => r.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(64 * MEBIBYTE))),
    ],
  ])("is tried again later, and never taken for whole: %s", { timeout: 60_000 }, async (_, serve) => {
    const both = await sides(serve);
    await expect(uploadFiles(both, content, fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
    expect(both.taken()).toBe(0);
  });

  it("is never opened here: a picture of 30,000 by 30,000 and an archive go through byte by byte", async () => {
    const png = Buffer.concat([
      Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      Buffer.from("000075300000753008060000000000000000", "hex"),
    ]);
    const grown = await grownBy(async () => {
      for (const bytes of [png, gzipSync(zeros), Buffer.from("504b0304", "hex")]) {
        const both = await sides((response) => response.writeHead(200, { "content-type": "image/png" }).end(bytes));
        const { files } = await uploadFiles(both, content, fresh());
        expect(files).toEqual(["at-the-gateway"]);
        expect(both.taken()).toBeLessThan(bytes.length + 1_000);
      }
    });
    expect(grown).toBeLessThan(MOST_GROWTH);
  });
});

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write("x"), 50);
  response.on("close", () => clearInterval(timer));
  response.on("error", () => {});
}
