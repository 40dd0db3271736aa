import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { answerText, type CallRequest } from "gangway-messenger/call";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../../sandbox/src/certificate.ts";
import { createOutgoing } from "../../../src/calls/outgoing.ts";
import { readConfig } from "../../../src/config.ts";
import { ConfigError } from "../../../src/domain/errors.ts";
import type { HostAuthorities } from "../../../src/domain/host-proxies.ts";
import { adapters } from "../../../src/messengers.ts";
import { secretsIn } from "../../../src/settings.ts";
import { listening } from "../../support/listening.ts";

interface Proxy {
  url: string;
  /** What it was asked to connect to. */
  asked: string[];
  stop(): void;
}

async function opened(server: Server, protocol: string, user: string, asked: string[]): Promise<Proxy> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(stop);
  return { url: `${protocol}://${user}127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop };
}

/** Whatever name it is given, it leads to this machine. */
const joined = (port: number, near: Socket, ready: () => void) => {
  const far = connect(port, "127.0.0.1", ready);
  far.on("error", () => near.destroy());
  near.pipe(far).pipe(near);
};

/** An HTTP proxy that requires a password. */
async function httpProxy(user = "user:secret"): Promise<Proxy> {
  const asked: string[] = [];
  const server = createHttpServer();
  server.on("connect", (request, socket: Socket) => {
    const right = `Basic ${Buffer.from("user:secret").toString("base64")}`;
    if (request.headers["proxy-authorization"] !== right)
      return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    asked.push(request.url ?? "");
    joined(Number(request.url?.split(":")[1]), socket, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
  });
  return opened(server, "http", user && `${user}@`, asked);
}

/** A SOCKS5 proxy (RFC 1928) that requires a password (RFC 1929). */
async function socksProxy(user = "user:secret"): Promise<Proxy> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    let step = 0;
    socket.on("data", (data) => {
      step += 1;
      if (step === 1) return void socket.write(Buffer.from([5, data.subarray(2).includes(2) ? 2 : 0xff]));
      if (step === 2) {
        const isRight = data.subarray(1).toString("latin1") === "\x04user\x06secret";
        return void socket.write(Buffer.from([1, isRight ? 0 : 1]));
      }
      if (step > 3) return;
      // A name, as its length and letters; then the port.
      const length = data[4] ?? 0;
      const [name, port] = [data.subarray(5, 5 + length).toString(), data.readUInt16BE(5 + length)];
      asked.push(`${data[3] === 3 ? name : "an address"}:${port}`);
      socket.removeAllListeners("data");
      joined(port, socket, () => socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])));
    });
  });
  return opened(server, "socks5", user && `${user}@`, asked);
}

function calling(proxy: Proxy, host = "localhost", authorities: HostAuthorities[] = []) {
  const outgoing = createOutgoing({
    allowLoopback: true,
    authorities,
    proxies: [{ host, url: proxy.url }],
    connectTimeoutMs: 10_000,
  });
  onTestFinished(() => outgoing.close());
  return (url: string, more: Partial<CallRequest> = {}) =>
    outgoing.call({ method: "GET", url, timeoutMs: 10_000, ...more });
}

describe.each([
  ["an HTTP proxy", httpProxy],
  ["a SOCKS5 proxy", socksProxy],
])("%s", (_, start) => {
  it("gets the calls to its host, by name, and no others", async () => {
    const site = await listening((request, answer) => answer.end(`hello ${request.url}`));
    const proxy = await start();
    const call = calling(proxy);
    const byName = site.replace("127.0.0.1", "localhost");
    const result = await call(`${byName}/a`);
    expect(result.type === "answer" && answerText(result)).toBe("hello /a");
    expect(proxy.asked).toEqual([`localhost:${new URL(site).port}`]);
    expect(await call(`${site}/b`)).toMatchObject({ type: "answer", status: 200 });
    expect(proxy.asked).toHaveLength(1);
    // The connection is kept.
    await call(`${byName}/c`, { method: "POST", body: "x", waiting: true });
    expect(proxy.asked).toHaveLength(1);
  });

  it("that refuses the password, or is away, has surely sent nothing", async () => {
    const site = (await listening((_, answer) => answer.end())).replace("127.0.0.1", "localhost");
    const wrong = await start("user:wrong");
    expect(await calling(wrong)(site, { method: "POST", body: "x" })).toMatchObject({ type: "failure", sent: "no" });
    const gone = await start();
    gone.stop();
    const refused = await calling(gone)(site, { method: "POST", body: "x" });
    expect(refused).toMatchObject({ type: "failure", sent: "no" });
    expect(JSON.stringify(refused)).not.toMatch(/secret|user/);
  });

  it("changes nothing of TLS: the host's certificate is checked", async () => {
    const server = createHttpsServer(selfSigned(["localhost"], Date.now()), (_, answer) => answer.end("never"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const proxy = await start();
    const { port } = server.address() as AddressInfo;
    const result = await calling(proxy)(`https://localhost:${port}`, { method: "POST", body: "x" });
    expect(result).toMatchObject({ type: "failure", sent: "no", detail: expect.stringContaining("SELF_SIGNED") });
    expect(proxy.asked).toEqual([`localhost:${port}`]);
  });

  it("leaves an authority of the operator's to vouch for the host behind it", async () => {
    const certificate = selfSigned(["localhost"], Date.now());
    const server = createHttpsServer(certificate, (_, answer) => answer.end("hello"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const proxy = await start();
    const call = calling(proxy, "localhost", [{ hosts: ["localhost"], pem: certificate.cert }]);
    const { port } = server.address() as AddressInfo;
    expect(await call(`https://localhost:${port}`)).toMatchObject({ type: "answer", status: 200 });
    expect(proxy.asked).toEqual([`localhost:${port}`]);
  });

  it("that ends in the middle of a call has perhaps sent it", async () => {
    const proxy = await start();
    const site = (await listening(() => proxy.stop())).replace("127.0.0.1", "localhost");
    const result = await calling(proxy)(site, { method: "POST", body: "x" });
    expect(result).toMatchObject({ type: "failure", sent: "perhaps" });
  });
});

describe("PROXIES", () => {
  const sandbox = { SANDBOX: "1" };
  const faultsOf = (PROXIES: string) => {
    try {
      readConfig({ ...sandbox, PROXIES }, adapters);
      return undefined;
    } catch (error) {
      return error instanceof ConfigError ? error.message : String(error);
    }
  };

  it("names a proxy by host, and hides its password", () => {
    const PROXIES = "api.telegram.org=socks5://shop:sesame%21@10.0.0.5:1080, *.fbcdn.net=http://10.0.0.5:3128";
    expect(readConfig({ ...sandbox, PROXIES }, adapters).proxies).toEqual([
      { host: "api.telegram.org", url: "socks5://shop:sesame%21@10.0.0.5:1080" },
      { host: "*.fbcdn.net", url: "http://10.0.0.5:3128" },
    ]);
    expect(secretsIn({ PROXIES }, adapters)).toEqual(["sesame%21"]);
  });

  it.each([
    ["api.telegram.org", /should be <host>=<proxy>/],
    ["api.telegram.org=ftp://10.0.0.5", /should be <host>=<proxy>/],
    ["api.telegram.org=http://10.0.0.5/path", /should be <host>=<proxy>/],
    ["https://api.telegram.org=http://10.0.0.5", /should be <host>=<proxy>/],
    [
      "shop.example.com=http://10.0.0.5",
      /names shop\.example\.com, which no messenger here calls; they call .*api\.telegram\.org/,
    ],
    ["*.org=http://10.0.0.5", /names \*\.org, which no messenger/],
    ["169.254.169.254=http://10.0.0.5", /names 169\.254\.169\.254, which no messenger/],
  ])("refuses %s", (value, words) => {
    expect(faultsOf(value)).toMatch(words);
  });
});
