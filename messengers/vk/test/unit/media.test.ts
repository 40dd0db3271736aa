import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Call } from "gangway-messenger/call";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOutgoing } from "../../../../src/calls/outgoing.ts";
import { matchesHost } from "../../../../src/domain/host-proxies.ts";
import { FORBIDDEN, openTripwire, resolveToLoopback } from "../../../../test/support/forbidden-addresses.ts";
import { listening } from "../../../../test/support/listening.ts";
import vk from "../../src/index.ts";
import { openFile } from "../../src/media.ts";
import { fresh, talking } from "../talking.ts";

const answering =
  (status: number, headers: Record<string, string> = {}, body = "bytes"): Call =>
  async () => ({
    ...{ type: "answer", status, headers, bytes: new Uint8Array() },
    stream: new Blob([body]).stream(),
  });
const opening = (call: Call, url = "https://sun1.userapi.example/a.jpg") => openFile({ call }, url, fresh());

describe("a customer's file", () => {
  it("comes from a host that may go through a proxy, as the API's does", () => {
    for (const host of ["api.vk.com", "api.vk.ru", "vk.com", "vk.ru", "sun9-1.userapi.com", "psv4.vkuser.net"])
      expect(
        vk.hosts?.some((pattern) => matchesHost(host, pattern)),
        host,
      ).toBe(true);
  });

  it("is streamed from its address, a document's after redirects", async () => {
    const { emulator, after, chat, session } = await talking();
    for (const docRedirects of [1, 3]) {
      emulator.core.switches.set({ docRedirects });
      const file = { as: "doc" as const, name: "bill.pdf", mediaType: "application/pdf", bytes: Buffer.from("%PDF") };
      const [event] = await after(() => emulator.customers.says(chat, { files: [file] }));
      const content = event?.type === "message" && "files" in event.content ? event.content : undefined;
      const ref = content?.files[0]?.file;
      const open = await session.files?.open(ref?.at === "messenger" ? ref.ref : "", fresh());
      expect(await new Response(open?.body).text()).toBe("%PDF");
    }
  });

  it("with endless redirects, or one to no web address, has no usable address", async () => {
    for (const location of ["https://sun1.userapi.example/a.jpg", "file:///etc/passwd", "javascript:1", ""])
      await expect(opening(answering(302, { location }))).rejects.toThrow("VK gave no usable address");
  });

  it.each([
    [404, { type: "reject" }],
    [410, { type: "reject" }],
    [403, { type: "reject" }],
    [500, { type: "retry" }],
    [503, { type: "retry" }],
    [200, { type: "retry" }],
  ])("that is answered with %i and a page is %o", async (status, verdict) => {
    const page = answering(status, { "content-type": "text/html" }, "<html>");
    await expect(opening(page)).rejects.toMatchObject({ verdict });
  });

  it("that is too large is refused, and one that breaks off is tried again", async () => {
    const failing =
      (reason: "too-large" | "reset"): Call =>
      async () => ({ type: "failure", sent: "perhaps", reason, detail: "" });
    await expect(opening(failing("too-large"))).rejects.toThrow("the file is too large");
    await expect(opening(failing("reset"))).rejects.toMatchObject({ verdict: { type: "retry" } });
    const short = await opening(answering(200, { "content-length": "99" }));
    await expect(new Response(short.body).arrayBuffer()).rejects.toThrow();
  });
});

const MEBIBYTE = 1024 * 1024;
const PACKED = gzipSync(Buffer.alloc(64 * MEBIBYTE));
type Serve = (response: ServerResponse) => void;

/** Writes endlessly, as fast as the reader accepts. */
const flood: Serve = (response) => {
  const zeros = Buffer.alloc(MEBIBYTE);
  const go = () => {
    while (!response.destroyed && response.write(zeros));
    if (!response.destroyed) response.once("drain", go);
  };
  response.on("error", () => {});
  go();
};

describe("a customer's hostile file", () => {
  it.each<[string, Serve]>([
    ["an endless body", flood],
    ["a length of terabytes", (r) => flood(r.writeHead(200, { "content-length": "1099511627776" }) as ServerResponse)],
    ["a small body that is large", (r) => r.writeHead(200, { "content-encoding": "gzip" }).end(PACKED)],
    [
      "less than announced, then a disconnect",
      (r) => r.writeHead(200, { "content-length": "5000" }).write("some", () => r.destroy()),
    ],
    ["a page in a picture's place", (r) => r.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["nothing, and a disconnect", (r) => r.destroy()],
  ])("ends, and is held in no memory: %s", async (_, serve) => {
    const origin = await listening((__, response) => serve(response));
    const outgoing = createOutgoing({ allowLoopback: true });
    onTestFinished(() => outgoing.close());
    const small: Call = (request) => outgoing.call({ ...request, maxBytes: 8 * MEBIBYTE });
    const before = process.memoryUsage().external;
    const reading = opening(small, `${origin}/a.jpg`).then(async ({ body }) => {
      let size = 0;
      for await (const chunk of body) size += chunk.byteLength;
      return size;
    });
    await expect(reading).rejects.toThrow();
    expect(process.memoryUsage().external - before).toBeLessThan(64 * MEBIBYTE);
  });
});

describe("an address that VK names and that leads into our own network", () => {
  const guarded = () => {
    const outgoing = createOutgoing({ resolve: resolveToLoopback });
    onTestFinished(() => outgoing.close());
    return outgoing.call;
  };

  it(`is never connected to, in ${FORBIDDEN.length} forms: of a file, and of a redirect`, async () => {
    const tripwire = await openTripwire();
    const call = guarded();
    for (const form of FORBIDDEN) {
      const url = form.replace("PORT", String(tripwire.port));
      await expect(opening(call, url), form).rejects.toMatchObject({ verdict: { type: "reject" } });
      const once: Call = async (request) =>
        request.url.startsWith("https://sun1.") ? answering(302, { location: url })(request) : call(request);
      await expect(opening(once), form).rejects.toMatchObject({ verdict: { type: "reject" } });
    }
    expect(tripwire.connections()).toBe(0);
  });

  it("is never connected to as an upload's or a long poll's", async () => {
    const tripwire = await openTripwire();
    const { context, peer, step, file } = await talking({ updates: "polling" });
    const guard = guarded();
    const { call } = context;
    const forged: Call = async (request) => {
      if (!request.url.startsWith("https://api.vk.com/method/")) return guard(request);
      const answer = await call(request);
      if (answer.type === "failure") return answer;
      const said = new TextDecoder()
        .decode(answer.bytes)
        .replaceAll(/https:\/\/network\.example\/(upload|longpoll)/g, `https://127.0.0.1:${tripwire.port}/$1`);
      return { ...answer, bytes: new TextEncoder().encode(said) };
    };
    Object.assign(context, { call: forged });
    const own = vk.open(context);
    const sending = own.send(
      step({ kind: "file", text: "", files: [file("f", "x", "text/plain", "a.txt")] }),
      { chat: peer, key: "k" },
      fresh(),
    );
    await expect(sending).rejects.toThrow("VK's address is not allowed");
    await expect(own.feed?.run(async () => {}, fresh())).rejects.toThrow("blocked");
    expect(tripwire.connections()).toBe(0);
  });
});
