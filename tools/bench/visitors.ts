import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { pause } from "gangway-sandbox/demo/waiting";
import { answer } from "./child.ts";

// Web chat visitors behind a proxy, in a process of its own: each with an open stream, and its page's other requests.

export interface Visits {
  port: number;
  door: string;
  /** One visitor each. */
  tokens: string[];
  /** First part of the visitors' addresses. */
  network: number;
}

/** Visitors that come at once. */
const AT_ONCE = 100;
const open: Socket[] = [];
/** The proxy's connections. */
const agent = new Agent({ keepAlive: true, maxSockets: 50 });

interface Visitor extends Pick<Visits, "port" | "door"> {
  token: string;
  headers: Record<string, string>;
}

const visitorsOf = ({ tokens, network, ...rest }: Visits): Visitor[] =>
  tokens.map((token, n) => ({
    ...rest,
    token,
    headers: { authorization: `Bearer ${token}`, "x-forwarded-for": `${network}.0.${n >> 8}.${n & 255}` },
  }));

/** Resolves with whether the stream opened. */
function follow({ port, door, headers }: Visitor): Promise<boolean> {
  const lines = Object.entries(headers).map((header) => header.join(": "));
  const asked = [`GET /m/${door}/events?after=0 HTTP/1.1`, "Host: gangway", "Accept: text/event-stream", ...lines];
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${asked.join("\r\n")}\r\n\r\n`));
    socket.once("data", (bytes: Buffer) => {
      const opened = bytes.toString().startsWith("HTTP/1.1 200");
      if (opened) open.push(socket.resume());
      else socket.destroy();
      resolve(opened);
    });
    socket.once("error", reject);
  });
}

async function inTurns<T>(all: Visitor[], act: (visitor: Visitor) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(act))));
  return done;
}

/** Resolves with how long the answer took, ms; rejects if it is an error. */
function ask({ port, door, headers }: Visitor, method: string, path: string, body?: object): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const to = { agent, host: "127.0.0.1", port, method, path: `/m/${door}/${path}`, headers };
    const asked = request(to, (reply) => {
      reply.resume().once("end", () => {
        if (reply.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`${path} was answered ${reply.statusCode}`));
      });
    });
    asked.once("error", reject).end(body && JSON.stringify(body));
  });
}

const looksAt = (page: string) => ({ page: `https://shop.example/${page}`, title: "Rope, 12 mm", language: "en" });

/** The requests of a returning visitor's page; resolves with whether they have a stream. */
async function load(visitor: Visitor): Promise<boolean> {
  await ask(visitor, "GET", "appearance");
  await ask(visitor, "POST", "visit", looksAt("rope"));
  await ask(visitor, "POST", "open", { visitor: visitor.token });
  return follow(visitor);
}

/** As the window: it tells the page that is looked at, and polls without a stream (a Retry-After of 15 s, and its backoff). */
const [TELLS_MS, POLLS_MS] = [120_000, 30_000];

const staying: { visitor: Visitor; hasStream: boolean }[] = [];

/** The middle and the slowest hundredth, ms. */
function spread(times: number[]) {
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

answer({
  /** Resolves with how many streams opened. */
  visit: async (visits: Visits) => (await inTurns(visitorsOf(visits), follow)).filter(Boolean).length,
  /** The same with all requests of the pages. */
  load: async (visits: Visits) => {
    const visitors = visitorsOf(visits);
    const streams = await inTurns(visitors, load);
    staying.push(...visitors.map((visitor, n) => ({ visitor, hasStream: streams[n] ?? false })));
    return streams.filter(Boolean).length;
  },
  /** Stays on the pages. Resolves with the requests, and how long they took. */
  stay: async ({ ms }: { ms: number }) => {
    const times: number[] = [];
    let failed = 0;
    const until = performance.now() + ms;
    const repeat = async (everyMs: number, act: () => Promise<number>) => {
      await pause(Math.random() * everyMs);
      for (; performance.now() < until; await pause(everyMs))
        await act().then(
          (took) => times.push(took),
          () => failed++,
        );
    };
    for (const { visitor, hasStream } of staying) {
      void repeat(TELLS_MS, () => ask(visitor, "POST", "visit", looksAt("cart")));
      if (hasStream) continue;
      void repeat(POLLS_MS, async () => {
        if (await follow(visitor)) return 0;
        return ask(visitor, "POST", "open", { visitor: visitor.token });
      });
    }
    await pause(ms);
    return { requests: times.length, failed, ...spread(times) };
  },
});
