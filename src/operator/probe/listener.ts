import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "gangway-messenger/clock";
import { formOf, jsonOf } from "./trace.ts";

/** A request from the gateway, the CRM, or the browser that opens the account page. */
export interface Received {
  kind: "webhook" | "activity" | "settings" | "account";
  method: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
  /** A webhook's data; parsed if it came as text. */
  data: Record<string, unknown>;
  isDataText: boolean;
  /** Monotonic time, ms. */
  at: number;
  /** When the other side gave up waiting, ms. */
  leftAt?: number;
  answeredAt?: number;
}
export type Reply = { status: number; body: object } | "hang";
type Match = (received: Received) => boolean;

export interface Listener {
  port: number;
  /** Everything received, in order. */
  readonly received: Received[];
  /** Sets how requests are answered from now on; undefined: success. A pending reply delays only its own request. */
  answer(how: ((received: Received) => Reply | Promise<Reply> | undefined) | undefined): void;
  /** Resolves with the first match after `from` requests; undefined after `ms` or when `signal` aborts. */
  next(match: Match, ms: number, signal: AbortSignal, from?: number): Promise<Received | undefined>;
  /** Resolves with `done()` once it holds, after `ms` or on abort; re-evaluated after each request and disconnect. */
  until(done: () => boolean, ms: number, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}
export interface ListenerParts {
  clock: Clock;
  port: number;
  host: string;
  /** Part of the paths of webhook and account page. */
  secret: string;
  clientId: string;
  heard(received: Received, status: number, ms: number): void;
}

/** Maximum body size, bytes. */
const MAX_BODY = 1024 * 1024;
const PAGE =
  "<!doctype html><title>Gangway probe</title><p>This is the page of the Gangway probe. You can close it.</p>";

export function createListener(parts: ListenerParts): Promise<Listener> {
  const { clock, heard } = parts;
  const received: Received[] = [];
  const { until, changed } = waiting(clock);
  let how: Parameters<Listener["answer"]>[0];
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const one = await readRequest(request, parts);
    if (!one) return void response.writeHead(404).end();
    received.push(one);
    response.on("close", () => {
      if (one.answeredAt === undefined) one.leftAt = clock.monotonic();
      changed();
    });
    const reply = how?.(one) ?? success(one);
    changed();
    const { status, body } = await untilAnswered(reply);
    if (response.destroyed) return;
    one.answeredAt = clock.monotonic();
    heard(one, status, one.answeredAt - one.at);
    if (one.kind === "account") return void response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const listener = (port: number): Listener => ({
    port,
    received,
    answer(next) {
      how = next;
    },
    async next(match, ms, signal, from = received.length) {
      const found = () => received.slice(from).find(match);
      await until(() => found() !== undefined, ms, signal);
      return found();
    },
    until,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(parts.port, parts.host, () => resolve(listener((server.address() as AddressInfo).port)));
  });
}

/** Waits for conditions; `changed` re-evaluates them. */
function waiting(clock: Clock): { until: Listener["until"]; changed(): void } {
  const looks = new Set<() => void>();
  const until: Listener["until"] = (done, ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        cancel();
        looks.delete(look);
        signal.removeEventListener("abort", end);
        resolve(done());
      };
      const look = () => void (done() && end());
      const cancel = clock.after(ms, end);
      looks.add(look);
      signal.addEventListener("abort", end, { once: true });
      if (done() || signal.aborted) end();
    });
  const changed = () => {
    for (const look of [...looks]) look();
  };
  return { until, changed };
}

const untilAnswered = async (reply: Reply | Promise<Reply>) => {
  const given = await reply;
  return given === "hang" ? new Promise<never>(() => {}) : given;
};

const success = ({ kind, body, data }: Received): Reply => {
  if (kind !== "webhook") return { status: 200, body: { success: true } };
  return {
    status: 200,
    body: body.type === "message_sent" ? { async: false, external_message_id: `a-${data.id}` } : {},
  };
};

/** Undefined unless the request comes from the gateway, the CRM or the account page. */
async function readRequest(request: IncomingMessage, parts: ListenerParts): Promise<Received | undefined> {
  const kind = kindOf(request, parts);
  if (!kind) return undefined;
  const at = parts.clock.monotonic();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const body = objectOf(kind === "webhook" ? jsonOf(text) : formOf(text));
  const isHook = kind === "webhook" && request.headers.clientid === parts.clientId;
  if (!isHook && kind !== "account" && body.clientId !== parts.clientId) return undefined;
  const isDataText = typeof body.data === "string";
  const data = objectOf(isDataText ? jsonOf(body.data as string) : body.data);
  return { kind, method: request.method ?? "", headers: request.headers, body, data, isDataText, at };
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

function kindOf({ url = "", method }: IncomingMessage, { secret }: ListenerParts): Received["kind"] | undefined {
  const [path] = url.split("?");
  if (path === `/account/${secret}`) return "account";
  if (method !== "POST") return undefined;
  if (path === `/webhook/${secret}`) return "webhook";
  return path === "/activity" ? "activity" : path === "/settings" ? "settings" : undefined;
}
