import { createPrivateKey, X509Certificate } from "node:crypto";
import { Agent, request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { selfSigned } from "../src/certificate.ts";
import { serveSandbox } from "../src/serve.ts";
import { bot } from "./spec/account.ts";

const NOW = Date.parse("2026-05-01T10:00:00Z");

/** End of the element. Throws unless every length inside is in its shortest form. */
function endOf(bytes: Buffer, at: number): number {
  const tag = bytes.readUInt8(at);
  const first = bytes.readUInt8(at + 1);
  const long = first < 0x80 ? 0 : first & 0x7f;
  const length = long === 0 ? first : bytes.readUIntBE(at + 2, long);
  if (long > 0 && length < (long === 1 ? 0x80 : 0x100)) throw new Error(`length ${length} in ${long + 1} bytes`);
  const start = at + 2 + long;
  const isConstructed = (tag & 0x20) !== 0;
  for (let inner = start; isConstructed && inner < start + length; ) inner = endOf(bytes, inner);
  return start + length;
}

describe("a certificate made at the start", () => {
  it("is signed with its own key, for its hosts only, and valid from before now for about a year", () => {
    const { key, cert } = selfSigned(["localhost", "127.0.0.1", "::1", "2001:db8::a:1", "sandbox.test"], NOW);
    const made = new X509Certificate(cert);
    expect(made.verify(made.publicKey)).toBe(true);
    expect(made.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect([made.checkHost("localhost"), made.checkHost("sandbox.test")]).toEqual(["localhost", "sandbox.test"]);
    expect(["127.0.0.1", "::1", "2001:db8::a:1"].map((ip) => made.checkIP(ip) !== undefined)).toEqual([
      true,
      true,
      true,
    ]);
    expect([made.checkHost("example.com"), made.checkIP("127.0.0.2"), made.checkIP("::2")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([made.ca, made.issuer === made.subject]).toEqual([true, true]);
    expect(Date.parse(made.validFrom)).toBeLessThan(NOW);
    expect(Date.parse(made.validTo) - NOW).toBe(397 * 24 * 3_600_000);
  });

  it("is strict DER, however many hosts it names", () => {
    for (let hosts = 1; hosts < 40; hosts++) {
      const names = Array.from({ length: hosts }, (_, n) => `host${n}.test`);
      const { raw } = new X509Certificate(selfSigned(names, NOW).cert);
      expect(endOf(raw, 0)).toBe(raw.length);
    }
  });

  it("differs from every other", () => {
    const [one, other] = [1, 2].map(() => new X509Certificate(selfSigned(["localhost"], NOW).cert));
    expect(one?.serialNumber).not.toBe(other?.serialNumber);
    expect(other && one?.verify(other.publicKey)).toBe(false);
  });
});

describe("a sandbox with TLS", () => {
  it("is trusted only with its certificate, and uses https in all its URLs", async () => {
    const { origin, certificate, close } = await serveSandbox({ port: 0, tls: true });
    onTestFinished(close);
    const dispatcher = new Agent({ connect: { ca: certificate } });
    onTestFinished(() => dispatcher.close());
    expect(origin).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    await expect(request(`${origin}/`)).rejects.toThrow(/certificate/);
    expect(await (await request(`${origin}/certificate.pem`, { dispatcher })).body.text()).toBe(certificate);
    const form = new URLSearchParams({ integrationModule: JSON.stringify(bot()) });
    const headers = { "x-api-key": "sandbox-key", "content-type": "application/x-www-form-urlencoded" };
    const edit = { method: "POST", headers, body: form.toString(), dispatcher } as const;
    const answer = await request(`${origin}/api/v5/integration-modules/b/edit`, edit);
    const { info } = (await answer.body.json()) as { info: { mgBot: { endpointUrl: string; token: string } } };
    expect(info.mgBot.endpointUrl).toBe(`${origin}/api/bot/v1/`);
    const address = `${info.mgBot.endpointUrl.replace("https", "wss")}ws?events=bot_updated`;
    const socket = new WebSocket(address, { headers: { "x-bot-token": info.mgBot.token }, ca: certificate });
    const event = new Promise((resolve, reject) => socket.on("message", resolve).on("error", reject));
    await new Promise((resolve) => socket.on("open", resolve));
    const rename = { "x-bot-token": info.mgBot.token, "content-type": "application/json" };
    const change = { method: "PATCH", headers: rename, body: '{"name":"Safe"}', dispatcher } as const;
    expect((await request(`${info.mgBot.endpointUrl}my/info`, change)).statusCode).toBe(200);
    expect(String(await event)).toContain('"name":"Safe"');
  });

  it("without TLS serves no certificate", async () => {
    const { origin, certificate, close } = await serveSandbox({ port: 0 });
    onTestFinished(close);
    expect([certificate, (await fetch(`${origin}/certificate.pem`)).status]).toEqual([undefined, 404]);
  });
});
