import { once } from "node:events";
import { connect, type Socket } from "node:net";
import webchat from "gangway-webchat";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../../src/http/serving/listening.ts";
import { BodyTooSlow, cappedRequest, type Env, readBody } from "../../../src/http/serving/request.ts";
import { OWN, runningSite } from "../../support/site.ts";
import { servedSite } from "./served.ts";

const portOf = (origin: string) => Number(new URL(origin).port);

async function opened(port: number, text: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

describe("the server's socket", () => {
  it("answers while five hundred requests stall", async () => {
    const { origin } = await servedSite([webchat]);
    const begun = ["", "POST /gateway/x HT", "POST /gateway/x HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{"];
    await Promise.all(Array.from({ length: 500 }, (_, n) => opened(portOf(origin), begun[n % 3] ?? "")));
    for (let n = 0; n < 20; n++) expect((await fetch(`${origin}/health/live`)).status).toBe(200);
  });

  it("limits every resource that a client can hold", async () => {
    const server = listen(() => new Response("ok"), { port: 0 });
    onTestFinished(() => void server.close());
    const { headersTimeout, requestTimeout, timeout, maxRequestsPerSocket } = server;
    expect({ headersTimeout, requestTimeout, timeout, maxRequestsPerSocket }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 120_000,
      timeout: 90_000,
      maxRequestsPerSocket: 10_000,
    });
  });

  it("cuts a small body that does not end", async () => {
    const faults: unknown[] = [];
    const site = new Hono<Env>();
    site.post("/read", async (c) => c.text(await readBody(c, 1_000, 50)));
    site.post("/capped", async (c) => c.text(await (await cappedRequest(c, 1_000, 0, 50)).request.text()));
    site.onError((error, c) => {
      faults.push(error);
      return c.text("", 408);
    });
    const server = listen(site.fetch, { port: 0 });
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    for (const path of ["/read", "/capped"]) {
      const socket = await opened(port, `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{`);
      await Promise.race([once(socket, "close"), once(socket, "data")]);
    }
    expect(faults.map((fault) => fault instanceof BodyTooSlow)).toEqual([true, true]);
  });
});

describe("a request with a body that its method does not allow", () => {
  it.each(["GET", "HEAD"])("gets the same answer as without one: %s", async (method) => {
    const site = new Hono<Env>();
    const seen: string[] = [];
    site.all("/m/door", async (c) => {
      const { request, captured } = await cappedRequest(c, 1_000, 1_000);
      seen.push(`${request.method} ${request.url} ${await request.text()} ${captured()}`);
      return c.text("ok");
    });
    const server = listen(site.fetch, { port: 0 });
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const answers: string[] = [];
    for (const rest of ["\r\n", "content-length: 3\r\n\r\nabc"]) {
      const socket = await opened(port, `${method} /m/door HTTP/1.1\r\nhost: x\r\n${rest}`);
      const [answer] = await once(socket, "data");
      answers.push(String(answer).split("\r\n")[0] ?? "");
    }
    expect(answers).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"]);
    expect(seen[1]).toBe(seen[0]);
  });
});

it("a method that a Request cannot have is refused at a messenger's door, with or without a body", async () => {
  const site = await runningSite();
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const [, door] = /data-channel=&quot;([\w-]+)&quot;/.exec(await site.page(cookie)) ?? [];
  const server = listen((request, env) => site.app.fetch(request, env as never), { port: 0 });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const answers: string[] = [];
  for (const rest of ["\r\n", "content-length: 3\r\n\r\nabc"]) {
    const socket = await opened(port, `TRACE /m/${door}/messages HTTP/1.1\r\nhost: x\r\n${rest}`);
    const [answer] = await once(socket, "data");
    answers.push(String(answer).split("\r\n")[0] ?? "");
  }
  expect(answers).toEqual(["HTTP/1.1 404 Not Found", "HTTP/1.1 404 Not Found"]);
});

describe("an excessively nested body", () => {
  const deep = `${'{"data":['.repeat(40)}${"]}".repeat(40)}`;

  it("is refused at the gateway's door and at a messenger's, and nothing is stored", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    await site.addChannel(cookie);
    const { registration } = site.sandbox.world.modules.get("gangway") ?? {};
    const path = (registration?.integrations.mgTransport?.webhookUrl ?? "").replace(OWN, "");
    const headers = { clientid: registration?.clientId ?? "" };
    const hook = await site.ask(path, { method: "POST", headers, body: deep });
    expect([hook.status, await hook.text()]).toEqual([400, expect.stringContaining("nested too deeply")]);
    const door = `/m/${/data-channel=&quot;([^&]+)&quot;/.exec(await site.page(cookie))?.[1]}`;
    expect((await site.ask(`${door}/open`, { method: "POST", body: deep })).status).toBe(400);
  });
});
