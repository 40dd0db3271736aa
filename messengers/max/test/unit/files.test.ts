import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOutgoing } from "../../../../src/calls/outgoing.ts";
import { FORBIDDEN, openTripwire, resolveToLoopback } from "../../../../test/support/forbidden-addresses.ts";
import { listening } from "../../../../test/support/listening.ts";
import { created, written } from "../../samples/wire.ts";
import { openFile } from "../../src/files.ts";
import { FILE_BYTES } from "../../src/wire.ts";
import { fresh, SECRET, talking } from "./talking.ts";

/** What MAX names as a file in a webhook, opened as the relay does. */
async function opened(url: string, allowLoopback: boolean, timeoutMs?: number) {
  const { session, context } = await talking();
  const outgoing = createOutgoing({ allowLoopback, ...(!allowLoopback && { resolve: resolveToLoopback }) });
  onTestFinished(() => outgoing.close());
  const attachments = [{ type: "image", payload: { photo_id: 1, token: "t", url } }];
  const body = written(created({ text: "look", attachments }));
  const headers = { "x-max-bot-api-secret": SECRET };
  const { events } = await session.receive(new Request(context.doorUrl, { method: "POST", headers, body }));
  const [event] = events;
  if (event?.type !== "message" || !("files" in event.content)) throw new Error("no file came");
  const [{ file } = {}] = event.content.files;
  const call: typeof outgoing.call = (request) => outgoing.call({ ...request, ...(timeoutMs && { timeoutMs }) });
  const api = { ask: () => Promise.reject(new Error("MAX is not asked")), upload: async () => "" };
  return openFile(call, api, file?.at === "messenger" ? file.ref : "", fresh());
}

it.each(FORBIDDEN)("an address in this server's network is refused for good, and not named: %s", async (address) => {
  const tripwire = await openTripwire();
  const url = address.replace("PORT", String(tripwire.port));
  const error = await opened(url, false).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ verdict: { type: "reject" }, message: "MAX gave no usable address for the file" });
  expect(tripwire.connections()).toBe(0);
});

type Serve = (response: ServerResponse) => void;
const zeros = Buffer.alloc(1024 * 1024);
function flood(response: ServerResponse): void {
  const go = () => {
    while (!response.destroyed && response.write(zeros));
    if (!response.destroyed) response.once("drain", go);
  };
  response.on("error", () => {});
  go();
}

describe("a hostile file", () => {
  it.each<[string, Serve]>([
    ["a length of terabytes", (r) => r.writeHead(200, { "content-length": "1099511627776" }).write("x")],
    ["one byte too many", (r) => r.writeHead(200, { "content-length": String(FILE_BYTES + 1) }).write("x")],
    ["that is gone", (r) => r.writeHead(404).end()],
    ["whose address has ended", (r) => r.writeHead(403).end()],
    ["that is compressed", (r) => r.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(zeros))],
  ])("is refused for good before its bytes: %s", async (_, serve) => {
    const site = await listening((__, response) => serve(response));
    await expect(opened(site, true)).rejects.toMatchObject({ verdict: { type: "reject" } });
  });

  it.each<[string, Serve]>([
    ["a page in its place", (r) => r.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["a redirect into this network", (r) => r.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
    ["an outage", (r) => r.writeHead(502).end()],
  ])("is tried again: %s", async (_, serve) => {
    const site = await listening((__, response) => serve(response));
    await expect(opened(site, true)).rejects.toMatchObject({ verdict: { type: "retry" } });
  });

  it("is tried again: nothing at all", async () => {
    const site = await listening(() => {});
    await expect(opened(site, true, 1_000)).rejects.toMatchObject({ verdict: { type: "retry" } });
  });

  it.each<[string, Serve]>([
    ["without an end", flood],
    ["shorter than announced", (r) => r.writeHead(200, { "content-length": "5000" }).write("x", () => r.destroy())],
  ])("breaks off, and never counts as whole: %s", async (_, serve) => {
    const site = await listening((__, response) => serve(response));
    const { body } = await opened(site, true, 1_000);
    const read = async () => {
      let size = 0;
      for await (const chunk of body) size += chunk.byteLength;
      return size;
    };
    await expect(read()).rejects.toThrow();
  });
});

describe("a video", () => {
  const qualities = (urls: object) => ({ ask: async () => ({ urls }), upload: async () => "" }) as never;

  it("is fetched in the best quality that the CRM takes", async () => {
    const site = await listening((request, response) => {
      if (request.url === "/1080") return void response.writeHead(200, { "content-length": "99999999" }).write("x");
      response.writeHead(200, { "content-type": "video/mp4" }).end(request.url);
    });
    const outgoing = createOutgoing({ allowLoopback: true });
    onTestFinished(() => outgoing.close());
    const urls = { mp4_1080: `${site}/1080`, mp4_720: null, mp4_480: `${site}/480`, mp4_144: `${site}/144` };
    const { body } = await openFile(outgoing.call, qualities(urls), "video:abc", fresh());
    expect(await new Response(body).text()).toBe("/480");
  });

  it.each([undefined, null])("without addresses is asked for again: %s", async (urls) => {
    const never = () => Promise.reject(new Error("nothing is called"));
    await expect(openFile(never, qualities(urls as never), "video:abc", fresh())).rejects.toMatchObject({
      verdict: { type: "retry" },
    });
  });

  it("that MAX no longer has is refused, and not as a chat", async () => {
    const { session } = await talking();
    await expect(session.files?.open("video:abc", fresh())).rejects.toMatchObject({
      verdict: { type: "reject", code: "general" },
      message: "MAX no longer has it. MAX: No such video (a video)",
    });
  });

  it("without an address is refused in words", async () => {
    const never = () => Promise.reject(new Error("nothing is called"));
    await expect(openFile(never, qualities({}), "video:abc", fresh())).rejects.toThrow("no address for the video");
  });
});
