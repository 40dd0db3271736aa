import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Call } from "gangway-messenger/call";
import { systemClock } from "gangway-messenger/clock";
import type { Content } from "gangway-messenger/message";
import type { ChannelSession } from "gangway-messenger/port";
import { describe, expect, it, onTestFinished } from "vitest";
import { botApi } from "../../../messengers/telegram/src/api.ts";
import { createOutgoing } from "../../../src/calls/outgoing.ts";
import { createGateway } from "../../../src/gateway/client.ts";
import { createPermits } from "../../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../../src/gateway/sending.ts";
import { type UploadDeps, uploadFiles } from "../../../src/relay/deliver/uploads.ts";
import { listening } from "../../support/listening.ts";
import { BOT_TOKEN } from "../../support/telegram.ts";

const MEBIBYTE = 1024 * 1024;
const MAX_GROWTH = 64 * MEBIBYTE;
/** Timeout instead of two minutes. */
const SHORT_MS = 1_500;
/** Enough to reach the size limit even on a busy machine. */
const LONG_MS = 60_000;

type Answer = (response: ServerResponse) => void;

/** A messenger that serves one file by `serve`, and a gateway that counts the bytes it receives. */
async function sides(serve: Answer, timeoutMs = SHORT_MS) {
  let received = 0;
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
      received = size;
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
  const watch: UploadDeps["watch"] = (_, act) => act();
  return {
    ...{ clock: systemClock, lineAt: Date.now() + 60_000, leftOut: [] },
    session: session as unknown as ChannelSession,
    gateway,
    language: "en" as const,
    watch,
    received: () => received,
  };
}

const content: Content = {
  type: "file",
  files: [{ file: { at: "messenger", ref: "r" }, name: "a.jpg" }],
  note: "look",
};
const fresh = () => new AbortController().signal;
const LINE = { type: "text", text: expect.stringContaining("the file could not be passed on") };

/** Peak growth of buffers, bytes. RSS would also count unrelated work. */
async function grownBy(act: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().external;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().external);
  }, 20);
  await act().finally(() => clearInterval(timer));
  return most - before;
}

/** Writes endlessly, as fast as the reader accepts. */
function flood(response: ServerResponse, chunk: Buffer): void {
  const go = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", go);
  };
  response.on("error", () => {});
  go();
}
const zeros = Buffer.alloc(MEBIBYTE);

describe("a customer's hostile file", () => {
  it.each<[string, Answer]>([
    ["an endless body without a length", (r) => flood(r, zeros)],
    [
      "a length of terabytes and an endless body",
      (r) => flood(r.writeHead(200, { "content-length": "1099511627776" }), zeros),
    ],
  ])("is replaced by a line of text, and the caption arrives: %s", async (_, serve) => {
    const both = await sides(serve, LONG_MS);
    const grown = await grownBy(async () => {
      expect(await uploadFiles(both, content, fresh())).toEqual({ content: LINE, files: [], late: [] });
    });
    expect(grown).toBeLessThan(MAX_GROWTH);
  });

  it.each<[string, Answer]>([
    ["an endless drip", (r) => drip(r)],
    ["less than announced, then silence", (r) => r.writeHead(200, { "content-length": "5000" }).write("some")],
    [
      "less than announced, then a disconnect",
      (r) => r.writeHead(200, { "content-length": "5000" }).write("some", () => r.destroy()),
    ],
    ["nothing at all", () => {}],
    [
      "64 MiB of zeros in 64 KiB of gzip",
      (r) => r.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(64 * MEBIBYTE))),
    ],
  ])("is retried later and never accepted incomplete: %s", async (_, serve) => {
    const both = await sides(serve);
    await expect(uploadFiles(both, content, fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
    expect(both.received()).toBe(0);
  });

  it("is never decoded or unpacked here: a picture of 30,000 by 30,000 and an archive pass byte by byte", async () => {
    const png = Buffer.concat([
      Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      Buffer.from("000075300000753008060000000000000000", "hex"),
    ]);
    const grown = await grownBy(async () => {
      for (const bytes of [png, gzipSync(zeros), Buffer.from("504b0304", "hex")]) {
        const both = await sides(
          (response) => response.writeHead(200, { "content-type": "image/png" }).end(bytes),
          LONG_MS,
        );
        const { files } = await uploadFiles(both, content, fresh());
        expect(files).toEqual(["at-the-gateway"]);
        expect(both.received()).toBeLessThan(bytes.length + 1_000);
      }
    });
    expect(grown).toBeLessThan(MAX_GROWTH);
  });
});

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write("x"), 50);
  response.on("close", () => clearInterval(timer));
  response.on("error", () => {});
}
