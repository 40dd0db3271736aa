import { randomBytes } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { answerText, type CallRequest } from "gangway-messenger/call";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuard, createOutgoing } from "../../../src/calls/outgoing.ts";
import { FORBIDDEN, openTripwire, resolveToLoopback } from "../../support/forbidden-addresses.ts";
import { listening } from "../../support/listening.ts";

function calling(options: Parameters<typeof createOutgoing>[0] = { allowLoopback: true }) {
  const outgoing = createOutgoing(options);
  onTestFinished(() => outgoing.close());
  return (url: string, more: Partial<CallRequest> = {}) =>
    outgoing.call({ method: "GET", url, timeoutMs: 60_000, ...more });
}

/** Of a test's server; it changes while the server runs. */
let listened: (answer: ServerResponse) => void;

describe("a call", () => {
  it("brings status, headers and bytes", async () => {
    const url = await listening((_, answer) => answer.setHeader("x-test", "1").end("hello"));
    const result = await calling()(url);
    expect(result).toMatchObject({ type: "answer", status: 200, headers: { "x-test": "1" } });
    expect(result.type === "answer" && answerText(result)).toBe("hello");
  });

  it("does not follow a redirect", async () => {
    let visited = 0;
    const target = await listening((_, answer) => {
      visited += 1;
      answer.end();
    });
    const url = await listening((_, answer) => answer.writeHead(302, { location: target }).end());
    expect(await calling()(url)).toMatchObject({ type: "answer", status: 302 });
    expect(visited).toBe(0);
  });

  it("to a closed port was surely not sent", async () => {
    const url = await listening(() => {});
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await calling()(url.replace(/\d+$/, String(port)))).toMatchObject({
      type: "failure",
      sent: "no",
      reason: "refused",
    });
  });

  it.each([
    ["whose connection is not made in time", { connectTimeoutMs: 200 }, 5_000],
    ["whose deadline ends before it has a connection", {}, 200],
  ])("%s was surely not sent", async (_, options, timeoutMs) => {
    // Accepts the connection but never answers the TLS handshake.
    const mute = createSocketServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void mute.close());
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const result = await calling({ allowLoopback: true, ...options })(url, { timeoutMs, method: "POST", body: "x" });
    expect(result).toMatchObject({ type: "failure", sent: "no", reason: "timeout" });
  });

  it("that was aborted before it started was surely not sent, even with an open connection", async () => {
    let requests = 0;
    const url = await listening((_, answer) => {
      requests += 1;
      answer.end();
    });
    const call = calling();
    await call(url);
    const result = await call(url, { method: "POST", body: "x", signal: AbortSignal.abort() });
    expect(result).toMatchObject({ type: "failure", sent: "no", reason: "aborted" });
    expect(requests).toBe(1);
  });

  it("that got no socket ends at its deadline, and is not sent later", async () => {
    const holding: ServerResponse[] = [];
    const full = new Promise<void>((resolve) => {
      listened = (answer) => {
        if (holding.push(answer) === 64) resolve();
      };
    });
    const url = await listening((_, answer) => listened(answer));
    const call = calling();
    const held = Array.from({ length: 64 }, () => call(url, { timeoutMs: 60_000 }));
    await full;
    const late = await call(url, { timeoutMs: 50, method: "POST", body: "x" });
    expect(late).toMatchObject({ type: "failure", sent: "no", reason: "timeout" });
    for (const answer of holding.splice(0)) answer.end();
    await Promise.all(held);
    listened = (answer) => answer.end();
    expect(await call(url)).toMatchObject({ status: 200 });
    expect(holding).toEqual([]);
  });

  it("that cannot be written at all was surely not sent", async () => {
    const url = await listening((_, answer) => answer.end());
    expect(await calling()(url, { headers: { "x-test": "a\r\nb" } })).toMatchObject({ type: "failure", sent: "no" });
  });

  it("that got no answer in time was perhaps sent", async () => {
    const url = await listening((request, answer) => void (request.method === "GET" && answer.end()));
    const call = calling();
    // Once there is a connection, only the answer can be late.
    await call(url);
    expect(await call(url, { method: "POST", body: "x", timeoutMs: 1_000 })).toMatchObject({
      type: "failure",
      sent: "perhaps",
      reason: "timeout",
    });
  });

  it("whose connection broke after the request was perhaps sent", async () => {
    const url = await listening((request) => request.socket.destroy());
    expect(await calling()(url, { method: "POST", body: "x" })).toMatchObject({
      type: "failure",
      sent: "perhaps",
      reason: "reset",
    });
  });

  it("whose answer broke in the middle was perhaps sent", async () => {
    const url = await listening((request, answer) => {
      answer.writeHead(200, { "content-length": "100" }).write("part");
      setTimeout(() => request.socket.destroy(), 20);
    });
    expect(await calling()(url)).toMatchObject({ type: "failure", sent: "perhaps" });
  });

  it("ends when its caller gives up", async () => {
    const url = await listening(() => {});
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    expect(await calling()(url, { signal: stop.signal })).toMatchObject({ type: "failure", reason: "aborted" });
  });

  it.each([
    ["told by its length", { "content-length": "5000" }],
    ["told by nothing", {}],
  ])("stops reading an answer that is too large, %s", async (_, headers) => {
    const url = await listening((__, answer) => answer.writeHead(200, headers).end("x".repeat(5000)));
    expect(await calling()(url, { maxBytes: 1000 })).toMatchObject({ type: "failure", reason: "too-large" });
  });

  it.each([
    ["shorter", 3, "hello", "hel"],
    ["longer", 50, "hello", undefined],
  ])("never accepts a body shorter than its stated length: %s", async (_, told, body, read) => {
    const liar = createSocketServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${told}\r\n\r\n${body}`));
    });
    await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void liar.close());
    const result = await calling()(`http://127.0.0.1:${(liar.address() as AddressInfo).port}`);
    if (read) expect(result.type === "failure" || answerText(result) === read).toBe(true);
    else expect(result).toMatchObject({ type: "failure", sent: "perhaps", reason: "reset" });
  });

  it("refuses a compressed answer, which could be larger than it looks", async () => {
    const url = await listening((_, answer) => answer.writeHead(200, { "content-encoding": "gzip" }).end("x"));
    expect(await calling()(url)).toMatchObject({ type: "failure" });
  });

  it.each([
    ["compressed", (answer: ServerResponse) => answer.writeHead(200, { "content-encoding": "gzip" }).end("x")],
    ["too large", (answer: ServerResponse) => answer.writeHead(200).end("x".repeat(5_000_000))],
    ["never whole", (answer: ServerResponse) => answer.writeHead(200).write("x")],
    ["small", (answer: ServerResponse) => answer.writeHead(200).end("x")],
    [
      "cut off",
      (answer: ServerResponse) => answer.writeHead(200, { "content-length": 9 }).write("x", () => answer.destroy()),
    ],
  ])("takes the status alone where only that is wanted, of a body that is %s", async (_, respond) => {
    const url = await listening((_, answer) => void respond(answer));
    const result = await calling()(url, { statusOnly: true, maxBytes: 1000 });
    expect(result).toMatchObject({ type: "answer", status: 200 });
    expect(result.type === "answer" && answerText(result)).toBe("");
  });

  it("streams an answer under the same cap", async () => {
    const url = await listening((_, answer) => answer.end("x".repeat(5000)));
    const whole = await calling()(url, { stream: true });
    expect(whole.type === "answer" && (await new Response(whole.stream).text()).length).toBe(5000);
    const cut = await calling()(url, { stream: true, maxBytes: 1000 });
    await expect(new Response(cut.type === "answer" ? cut.stream : null).text()).rejects.toThrow();
  });

  it("streams an answer that is larger than its buffer to a reader who pauses", async () => {
    const body = randomBytes(3_000_000);
    const url = await listening((_, answer) => answer.end(body));
    const answer = await calling()(url, { stream: true, maxBytes: 4_000_000 });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (answer.type === "answer" && answer.stream) || []) {
      chunks.push(chunk);
      await new Promise(setImmediate);
    }
    expect(Buffer.concat(chunks).equals(body)).toBe(true);
  });

  it("closes the connection of a stream that its reader cancels", async () => {
    let closed: (value: unknown) => void;
    const closing = new Promise((resolve) => {
      closed = resolve;
    });
    const url = await listening((request, answer) => {
      request.socket.once("close", closed);
      answer.write("part");
    });
    const answer = await calling()(url, { stream: true, timeoutMs: 60_000 });
    if (answer.type === "answer") await answer.stream?.cancel();
    await closing;
  });

  it("writes a form that other readers understand, whatever the file is called", async () => {
    let read: FormData | undefined;
    const url = await listening(async (request, answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = { "content-type": request.headers["content-type"] ?? "" };
      read = await new Response(Buffer.concat(chunks), { headers }).formData();
      answer.end();
    });
    const bytes = new Blob(["data"]).stream() as ReadableStream<Uint8Array>;
    await calling()(url, {
      method: "POST",
      body: { files: [{ field: "file", fileName: 'Счёт "12".pdf', mediaType: "application/pdf", bytes }] },
    });
    const file = read?.get("file") as File;
    expect(file.name.replaceAll("%22", '"')).toBe('Счёт "12".pdf');
    expect(await file.text()).toBe("data");
  });

  it("writes fields and files, and opens each file lazily", async () => {
    let read: FormData | undefined;
    const url = await listening(async (request, answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = { "content-type": request.headers["content-type"] ?? "" };
      read = await new Response(Buffer.concat(chunks), { headers }).formData();
      answer.end();
    });
    const opened: string[] = [];
    const file = (field: string) => ({
      field,
      fileName: `${field}.txt`,
      mediaType: "text/plain",
      bytes: async () => {
        opened.push(field);
        return new Blob([field]).stream() as ReadableStream<Uint8Array>;
      },
    });
    await calling()(url, { method: "POST", body: { fields: { chat: "7" }, files: [file("a"), file("b")] } });
    expect(opened).toEqual(["a", "b"]);
    expect(read?.get("chat")).toBe("7");
    const second = read?.get("b");
    expect(second instanceof File && (await second.text())).toBe("b");
  });

  it("reports that a form whose file could not be read was surely not accepted", async () => {
    const url = await listening(() => {});
    const bytes = async () => {
      throw new Error("the gateway is away");
    };
    const files = [{ field: "a", fileName: "a", mediaType: "text/plain", bytes }];
    const result = await calling()(url, { method: "POST", body: { fields: { chat: "7" }, files } });
    expect(result).toMatchObject({ type: "failure", sent: "no", reason: "source" });
  });

  it("reports that a form's file source was larger than allowed", async () => {
    const source = await listening((_, answer) => answer.writeHead(200).end("x".repeat(5000)));
    const url = await listening((request) => void request.resume());
    const call = calling();
    const bytes = async () => {
      const open = await call(source, { stream: true, maxBytes: 1000 });
      if (open.type !== "answer" || !open.stream) throw new Error("no stream");
      return open.stream;
    };
    const files = [{ field: "a", fileName: "a", mediaType: "text/plain", bytes }];
    const result = await call(url, { method: "POST", body: { files } });
    expect(result).toMatchObject({ type: "failure", sent: "no", reason: "source-too-large" });
  });

  it("gives long polls their own sockets", async () => {
    const url = await listening((request, answer) => {
      if (request.url === "/quick") answer.end("ok");
    });
    const call = calling();
    const aborts = Array.from({ length: 80 }, () => new AbortController());
    const polls = aborts.map(({ signal }) => call(url, { waiting: true, signal }));
    const quick = await call(`${url}/quick`, {});
    expect(quick).toMatchObject({ type: "answer", status: 200 });
    for (const abort of aborts) abort.abort();
    await Promise.all(polls);
  });

  it("reports a failure without path, query or header", async () => {
    const url = await listening((request) => request.socket.destroy());
    const result = await calling()(`${url}/bot123:SECRET/x?key=SECRET`, { headers: { authorization: "SECRET" } });
    expect(JSON.stringify(result)).not.toContain("SECRET");
  });
});

describe("the guard", () => {
  it(`lets none of ${FORBIDDEN.length} forms of forbidden addresses connect`, async () => {
    const tripwire = await openTripwire();
    const call = calling({ allowLoopback: false, resolve: resolveToLoopback });
    for (const url of FORBIDDEN) {
      const result = await call(url.replace("PORT", String(tripwire.port)));
      expect(result, url).toMatchObject({ type: "failure", sent: "no", reason: "blocked" });
    }
    expect(tripwire.connections()).toBe(0);
  });

  it.each([
    ["only a private address", [["10.0.0.1", 4]]],
    [
      "one public and one private",
      [
        ["93.184.216.34", 4],
        ["127.0.0.1", 4],
      ],
    ],
    ["a mapped one", [["::ffff:10.0.0.1", 6]]],
    ["none", []],
  ])("checks a name by its addresses at connect time: %s", async (_, found) => {
    const addresses = found.map(([address, family]) => ({ address, family }));
    const resolve = ((__: string, ___: object, done: (e: null, a: object[]) => void) => done(null, addresses)) as never;
    const result = await calling({ allowLoopback: false, resolve })("https://rebinding.example/");
    expect(result).toMatchObject({ type: "failure", sent: "no", reason: "blocked" });
  });

  it("lets calls to what the operator names go there only, wherever it is", async () => {
    const url = await listening((_, answer) => answer.end("hello"));
    const other = await listening((_, answer) => answer.end("hello"));
    const call = calling({ origin: url });
    expect(await call(`${url}/a`)).toMatchObject({ status: 200 });
    for (const address of [
      other,
      url.replace("http:", "https:"),
      url.replace("//", "//a:b@"),
      "https://shop.retailcrm.ru/",
    ])
      expect(await call(address)).toMatchObject({ type: "failure", sent: "no", reason: "blocked" });
  });

  it("lets public names through", () => {
    const guard = createGuard(false, ((_: string, __: object, done: (e: null, a: object[]) => void) =>
      done(null, [{ address: "93.184.216.34", family: 4 }])) as never);
    expect(guard.fault(new URL("https://shop.retailcrm.ru/api"))).toBeUndefined();
    expect(guard.fault(new URL("https://[2606:4700:4700::1111]/"))).toBeUndefined();
    guard.lookup("shop.retailcrm.ru", {}, (error, address) => {
      expect(error).toBeNull();
      expect(address).toBe("93.184.216.34");
    });
  });

  it("allows this machine in sandbox mode, and nothing else private", async () => {
    const guard = createGuard(true);
    expect(guard.fault(new URL("http://127.0.0.1:7001/x"))).toBeUndefined();
    expect(guard.fault(new URL("http://localhost:7001/x"))).toBeUndefined();
    for (const url of ["http://10.0.0.1/", "https://192.168.0.1/", "http://example.com/"])
      expect(guard.fault(new URL(url)), url).toBeDefined();
  });
});
