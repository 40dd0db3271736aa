import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pause } from "gangway-sandbox/demo/waiting";
import { inCaddyfile, msInCaddyfile } from "./caddyfile.ts";

const HEALTH = {
  path: inCaddyfile("health_uri"),
  everyMs: msInCaddyfile("health_interval"),
  timeoutMs: msInCaddyfile("health_timeout"),
};
const TRY = { forMs: msInCaddyfile("lb_try_duration"), everyMs: msInCaddyfile("lb_try_interval") };
const FAIL_MS = msInCaddyfile("fail_duration");
const KEEP_ALIVE_MS = msInCaddyfile("keepalive");

interface Upstream {
  port: number;
  isHealthy: boolean;
  /** No requests until then, since it did not take a connection. */
  failedUntil: number;
}

export interface Balancer {
  origin: string;
  /** Answers that callers have seen, by status; `0`: the connection broke. */
  answers(): Record<string, number>;
  /** How many requests each upstream has answered. */
  shares(): number[];
  close(): Promise<void>;
}

/**
 * A reverse proxy as the Caddyfile describes it: in turn to each upstream whose ready endpoint answers, and again only what
 * no upstream has received. Answers are passed on as they come.
 */
export async function balance(ports: number[]): Promise<Balancer> {
  const upstreams = ports.map((port): Upstream => ({ port, isHealthy: true, failedUntil: 0 }));
  const agent = new Agent({ keepAlive: true, timeout: KEEP_ALIVE_MS });
  const answers: Record<string, number> = {};
  const served = new Map(ports.map((port) => [port, 0]));
  const count = (status: number) => {
    answers[status] = (answers[status] ?? 0) + 1;
  };
  let turn = 0;
  const next = () => {
    const able = upstreams.filter(({ isHealthy, failedUntil }) => isHealthy && Date.now() > failedUntil);
    turn += 1;
    return able[turn % able.length];
  };
  const server = createServer(async (asked, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk);
    const until = Date.now() + TRY.forMs;
    for (;;) {
      const upstream = next();
      const outcome = upstream ? await forward(upstream, asked, answer, Buffer.concat(chunks)) : "unsent";
      if (upstream && typeof outcome === "number") {
        served.set(upstream.port, (served.get(upstream.port) ?? 0) + 1);
        return count(outcome);
      }
      if (upstream && outcome === "unsent") upstream.failedUntil = Date.now() + FAIL_MS;
      if (outcome === "broken" || Date.now() > until) {
        count(0);
        return void answer.writeHead(502).end();
      }
      await pause(TRY.everyMs);
    }
  });
  const forward = (
    { port }: Upstream,
    { method, url, headers }: IncomingMessage,
    answer: ServerResponse,
    body: Buffer,
  ): Promise<number | "unsent" | "broken"> =>
    new Promise((resolve) => {
      let isConnected = false;
      const sent = request({ host: "127.0.0.1", port, method, path: url, headers, agent }, (received) => {
        answer.writeHead(received.statusCode ?? 0, received.headers);
        received.pipe(answer);
        received.on("error", () => answer.destroy());
        resolve(received.statusCode ?? 0);
      });
      sent.on("socket", (socket) => {
        isConnected = !socket.connecting;
        if (socket.connecting)
          socket.once("connect", () => {
            isConnected = true;
          });
      });
      sent.on("error", () => resolve(isConnected ? "broken" : "unsent"));
      answer.on("close", () => sent.destroy());
      sent.end(body);
    });
  const check = async (upstream: Upstream) => {
    const signal = AbortSignal.timeout(HEALTH.timeoutMs);
    upstream.isHealthy = await fetch(`http://127.0.0.1:${upstream.port}${HEALTH.path}`, { signal })
      .then((ready) => ready.body?.cancel().then(() => ready.ok) ?? ready.ok)
      .catch(() => false);
  };
  const checks = setInterval(() => {
    for (const each of upstreams) void check(each);
  }, HEALTH.everyMs);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers: () => ({ ...answers }),
    shares: () => [...served.values()],
    close: () =>
      new Promise((done) => {
        clearInterval(checks);
        agent.destroy();
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
