import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Call } from "gangway-messenger/call";
import type { ChatId } from "gangway-messenger/ids";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOutgoing } from "../../../../src/calls/outgoing.ts";
import { FORBIDDEN, openTripwire, resolveToLoopback } from "../../../../test/support/forbidden-addresses.ts";
import { listening } from "../../../../test/support/listening.ts";
import { until } from "../../../../test/support/until.ts";
import { message } from "../../samples/wire.ts";
import avito from "../../src/index.ts";
import { fresh, talking } from "../stage.ts";
import { runningShop } from "./site.ts";

const MEBIBYTE = 1024 * 1024;
/** Stands for two minutes. */
const SHORT_MS = 1_500;

/** Production's outgoing calls, with every name resolving to this machine; the CRM, its gateway and Avito are real. */
function guard() {
  const outgoing = createOutgoing({ resolve: resolveToLoopback });
  onTestFinished(() => outgoing.close());
  const blocked: string[] = [];
  const around =
    (real: Call): Call =>
    async (request) => {
      if (request.url.startsWith("http://127.0.0.1:7001")) return real(request);
      const result = await outgoing.call(request);
      blocked.push(result.type === "failure" ? result.reason : "answered");
      return result;
    };
  return { around, blocked };
}

describe("an address in a message that leads into our own network", () => {
  it(`is never connected to, in ${FORBIDDEN.length} forms: a line stands for the picture`, async () => {
    const tripwire = await openTripwire();
    const { around, blocked } = guard();
    const shop = await runningShop({ call: around });
    for (const [n, form] of FORBIDDEN.entries()) {
      const url = form.replace("PORT", String(tripwire.port));
      const content = { image: { sizes: { "640x480": url, "32x32": url } } };
      const body = JSON.stringify(message({ id: `m-${n}`, chat_id: `u2i-${n}`, type: "image", content }));
      expect((await shop.ask(shop.door, { method: "POST", body })).status, form).toBe(200);
    }
    await until("all messages", () => shop.sandbox.world.messages.length === FORBIDDEN.length);
    for (const { files, text, note } of shop.sandbox.world.messages as unknown as Record<string, unknown>[]) {
      expect(files ?? []).toEqual([]);
      expect(String(text ?? note)).not.toBe("");
    }
    expect(blocked.length).toBeGreaterThan(40);
    expect(new Set(blocked)).toEqual(new Set(["blocked"]));
    expect(tripwire.connections()).toBe(0);
  });

  it("is not connected to either when Avito names it for a voice message or a customer's picture", async () => {
    const tripwire = await openTripwire();
    const { around } = guard();
    const { context, session } = await talking();
    const real = context.call;
    for (const form of FORBIDDEN) {
      const url = form.replace("PORT", String(tripwire.port));
      const call: Call = async (request) => {
        if (!request.url.startsWith("https://network.example")) return around(real)(request);
        const answer = await real(request);
        if (!request.url.includes("getVoiceFiles") || answer.type !== "answer") return answer;
        return { ...answer, bytes: Buffer.from(JSON.stringify({ voices_urls: { v: url } })) };
      };
      const own = avito.open({ ...context, call } as never);
      await expect(own.files?.open("voice:v", fresh()), form).rejects.toMatchObject({ verdict: { type: "reject" } });
      await expect(own.files?.open(`image:${url}`, fresh()), form).rejects.toThrow();
    }
    expect(tripwire.connections()).toBe(0);
    // No error names the address.
    const said = await session.files?.open("image:https://10.0.0.1/secret", fresh()).catch((error) => String(error));
    expect(said).not.toContain("10.0.0.1");
  });
});

it("a request without the channel's own secret is refused, and nothing of it is stored", async () => {
  const shop = await runningShop();
  const [door] = /^\/m\/[\w-]{43}/.exec(shop.door) ?? [""];
  const secret = shop.door.slice(door.length + 1);
  expect(secret).toMatch(/^[\w-]{43}$/);
  const body = JSON.stringify(message());
  const post = async (path: string) => (await shop.ask(path, { method: "POST", body })).status;
  const wrong = [
    "",
    "/",
    `/${secret.slice(1)}`,
    `/${secret}x`,
    `/${secret}/`,
    `/${secret}/x`,
    `/x?${secret}`,
    `/${"A".repeat(43)}`,
  ];
  for (const end of wrong) expect(await post(door + end), end).toBe(401);
  expect(await post(`/m/${secret}/${secret}`)).toBe(404);
  expect((await shop.ask(shop.door)).status).toBe(405);
  expect((await shop.ask(shop.door, { method: "POST", body: "{}" })).status).toBe(200);
  expect(await post(shop.door)).toBe(200);
  await until("the one message", () => shop.sandbox.world.messages.length === 1);
  expect(shop.lines.join("\n")).not.toContain(secret);
});

describe("an id in a message that would change the path of a call", () => {
  it.each(["../../../token", "a/b?c#d", "%2e%2e", "..;/x", "u2i-1\\..\\..", "https://evil.example/"])(
    "stays within its segment: %s",
    async (id) => {
      const { context, session, emulator } = await talking();
      const asked: string[] = [];
      const call: Call = async (request) => {
        asked.push(new URL(request.url).pathname);
        return context.call(request);
      };
      const own = avito.open({ ...context, call } as never);
      const body = JSON.stringify(message({ id, chat_id: id }));
      await own.receive(new Request(emulator.world.accounts[0]?.webhooks[0]?.url ?? "", { method: "POST", body }));
      await own.readMarks?.read({ chat: id as ChatId, messengerMessageId: id as never }, fresh()).catch(() => {});
      await own.revisions?.delete({ chat: id as ChatId, messengerMessageId: id as never }, fresh()).catch(() => {});
      const paths = asked.filter((path) => path.includes("/chats/"));
      expect(paths.length).toBeGreaterThan(2);
      for (const path of paths)
        expect(path).toMatch(/^\/messenger\/v[12]\/accounts\/\d+\/chats\/[^/]+(\/read|\/messages\/[^/]+)?$/);
      expect(await session.inspect?.(fresh())).toBeUndefined();
    },
  );
});

/** A customer's picture that is served so. */
async function opened(serve: (response: ServerResponse) => void, timeoutMs?: number) {
  const origin = await listening((_, response) => serve(response));
  const outgoing = createOutgoing({ allowLoopback: true });
  onTestFinished(() => outgoing.close());
  const { context } = await talking();
  const call: Call = (request) => outgoing.call({ ...request, ...(timeoutMs && { timeoutMs }) });
  const session = avito.open({ ...context, call } as never);
  const file = await session.files?.open(`image:${origin}/a.jpg`, fresh());
  return new Response(file?.body).arrayBuffer();
}

/** Writes endlessly, as fast as the reader accepts. */
function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(MEBIBYTE);
  const go = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", go);
  };
  response.on("error", () => {});
  go();
}

describe("a hostile file of a customer", () => {
  it.each<[string, (response: ServerResponse) => void, { type: string }]>([
    ["a page in its place", (r) => r.writeHead(200, { "content-type": "text/html" }).end("<html>"), { type: "retry" }],
    [
      "a redirect into our network",
      (r) => r.writeHead(302, { location: "http://127.0.0.1/" }).end(),
      { type: "retry" },
    ],
    ["gone", (r) => r.writeHead(404).end(), { type: "reject" }],
    ["a refusal without end", (r) => flood(r.writeHead(500)), { type: "retry" }],
    ["nothing at all", () => {}, { type: "retry" }],
  ])("is refused or tried again, and never taken: %s", async (_, serve, verdict) => {
    const timeoutMs = verdict.type === "retry" ? SHORT_MS : undefined;
    await expect(opened(serve, timeoutMs)).rejects.toMatchObject({ verdict });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["an endless body", (r) => flood(r)],
    ["a length of terabytes", (r) => flood(r.writeHead(200, { "content-length": "1099511627776" }))],
    ["less than announced", (r) => r.writeHead(200, { "content-length": "5000" }).write("some", () => r.destroy())],
    [
      "64 MiB in 64 KiB of gzip",
      (r) => r.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(64 * MEBIBYTE))),
    ],
  ])("breaks off: %s", async (_, serve) => {
    await expect(opened(serve, 20_000)).rejects.toThrow();
  });

  it("of 30,000 by 30,000 pixels passes byte by byte, as it is never decoded", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d494844520000753000007530080600000000000000", "hex");
    const bytes = await opened((r) => r.writeHead(200, { "content-type": "image/png" }).end(png));
    expect(Buffer.from(bytes)).toEqual(png);
  });
});
