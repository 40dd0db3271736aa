import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What a network does to one exchange (a request and its answer on a kept-alive connection). */
export type NetworkFault =
  /** The connection breaks before the request is forwarded. */
  | "reset-before"
  /** Only half of the request is forwarded. */
  | "cut-request"
  /** The request is forwarded; the connection breaks before the answer. */
  | "lost-answer"
  /** The answer is cut in half. */
  | "cut-answer"
  /** The connection closes cleanly without an answer. */
  | "half-close"
  /** The answer comes a few bytes at a time. */
  | "drip"
  | "late"
  /** The request is not forwarded and gets no answer. */
  | "hang";

export const NETWORK_FAULTS: NetworkFault[] = [
  "reset-before",
  "cut-request",
  "lost-answer",
  "cut-answer",
  "half-close",
  "drip",
  "late",
];
/** After these the other side may have carried out the request. */
const PERHAPS: NetworkFault[] = ["lost-answer", "cut-answer", "half-close"];

type Counts = Record<NetworkFault, number>;

export interface TcpProxy {
  origin: string;
  /** Sets the target port; may change at any time. */
  target(port: number): void;
  /** Chooses each exchange's fault from the start of its request; undefined means none. */
  plan(next: (head: string) => NetworkFault | undefined): void;
  /** Holds all bytes toward the target until `over` resolves, then forwards them, also for clients that have disconnected meanwhile. */
  hold(over: Promise<unknown>): Promise<void>;
  /** Calls `listener` with every complete request. */
  watch(listener: (request: string) => void): void;
  happened(): Counts;
  /** Exchanges whose outcome the client cannot know. */
  perhaps(): number;
  close(): Promise<void>;
}

const HEAD_BYTES = 200;
const LATE_MS = 400;
const DRIP_MS = 15;
const DRIP_BYTES = 24;
/** Bytes of an answer that drip; the rest comes at once. */
const DRIPPING = 480;

/** Calls `pass` at once, or when the gate reopens. */
type Gate = (pass: () => void) => void;

function createGate() {
  let held: (() => void)[] | undefined;
  const gate: Gate = (pass) => {
    if (held) held.push(pass);
    else pass();
  };
  const shut = async (over: Promise<unknown>) => {
    held ??= [];
    await over;
    const waiting = held ?? [];
    held = undefined;
    for (const pass of waiting) pass();
  };
  return { gate, shut };
}

export function createTcpProxy(): Promise<TcpProxy> {
  const { gate, shut } = createGate();
  let port = 0;
  let next: (head: string) => NetworkFault | undefined = () => undefined;
  let watcher: ((request: string) => void) | undefined;
  const counts = Object.fromEntries([...NETWORK_FAULTS, "hang"].map((fault) => [fault, 0])) as Counts;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const choose = (chunk: Buffer) => {
      const fault = next(chunk.toString("latin1", 0, HEAD_BYTES));
      if (fault) counts[fault] += 1;
      return fault;
    };
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    }
    forwardBoth(client, upstream, choose, gate);
    if (watcher) watchRequests(client, watcher);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve({
        origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        target: (to) => {
          port = to;
        },
        plan: (faults) => {
          next = faults;
        },
        hold: shut,
        watch: (listener) => {
          watcher = listener;
        },
        happened: () => ({ ...counts }),
        perhaps: () => PERHAPS.reduce((sum, fault) => sum + counts[fault], 0),
        close: () =>
          new Promise((done) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => done());
          }),
      });
    });
  });
}

/** How long the target may still read from a client that has disconnected. */
const LINGER_MS = 5_000;

function forwardBoth(
  client: Socket,
  target: Socket,
  choose: (chunk: Buffer) => NetworkFault | undefined,
  gate: Gate,
): void {
  let fault: NetworkFault | undefined;
  let answering = true;
  let held = 0;
  const end = () => {
    client.destroy();
    target.destroy();
  };
  const forward = (chunk: Buffer) => {
    if (target.destroyed) return;
    target.write(chunk);
    // The client may have disconnected during the hold; forward its bytes all the same.
    if (client.destroyed) setTimeout(end, LINGER_MS).unref();
  };
  client.on("data", (chunk: Buffer) => {
    // The first bytes after an answer start a new exchange.
    if (answering) fault = choose(chunk);
    answering = false;
    if (fault === "hang") return;
    if (fault === "reset-before") return end();
    if (fault === "cut-request") return void target.write(chunk.subarray(0, chunk.length >> 1), end);
    held += 1;
    gate(() => {
      held -= 1;
      forward(chunk);
    });
  });
  target.on("data", (chunk: Buffer) => {
    const first = !answering;
    answering = true;
    if (fault === "lost-answer") return end();
    if (fault === "half-close") return void client.end(() => target.destroy());
    if (fault === "cut-answer") return void client.write(chunk.subarray(0, chunk.length >> 1), end);
    if (first && fault === "drip") return drip(target, client, chunk);
    if (first && fault === "late") return later(target, client, chunk);
    client.write(chunk);
  });
  client.on("end", () => gate(() => target.end()));
  target.on("end", () => client.end());
  target.on("error", end).on("close", end);
  const gone = () => {
    if (held === 0) end();
  };
  client.on("error", gone).on("close", gone);
}

function later(from: Socket, to: Socket, chunk: Buffer): void {
  from.pause();
  setTimeout(() => {
    to.write(chunk);
    from.resume();
  }, LATE_MS);
}

function drip(from: Socket, to: Socket, chunk: Buffer): void {
  from.pause();
  let at = 0;
  const more = () => {
    const end = at < Math.min(DRIPPING, chunk.length) ? at + DRIP_BYTES : chunk.length;
    to.write(chunk.subarray(at, end));
    at = end;
    if (at < chunk.length && !to.destroyed) setTimeout(more, DRIP_MS);
    else from.resume();
  };
  more();
}

/** Assembles requests by their Content-Length. */
function watchRequests(client: Socket, listener: (request: string) => void): void {
  let request = "";
  client.on("data", (chunk: Buffer) => {
    request += chunk.toString("latin1");
    const end = request.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
    if (end < 0 || request.length < end + 4 + length) return;
    listener(request);
    request = "";
  });
}
