import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { answer, cpuMs, instant } from "./child.ts";
import { SENT_ID } from "./mixed.ts";

// A minimal gateway and Telegram in a process of their own; the sandbox's checks would cost too much.

export interface Seen {
  /** Calls that delivered something, and the gateway's refusals. */
  posted: number;
  acked: number;
  sent: number;
  /** Agents' edits and deletes, which get no ack. */
  changed: number;
  refused: number;
  lastAt: number;
}
interface Settings {
  /** Range of the answer's delay, ms. */
  jitter: [number, number];
  /** Calls that the gateway takes in a second with one token. */
  perSecond: number;
  doors: Record<string, string>;
}

const nothingSeen = (): Seen => ({ posted: 0, acked: 0, sent: 0, changed: 0, refused: 0, lastAt: 0 });
const settings: Settings = { jitter: [0, 0], perSecond: 30, doors: {} };
let seen = nothingSeen();
let nextId = 1_000_000_000;
/** Arrival times by token. */
const windows = new Map<string, number[]>();
/** Arrival time by the number in a message's text. */
const traced = new Map<number, number>();
const arrivals: number[] = [];

/** Limits by arrival in a sliding window of one second. */
function admitted(token: string): boolean {
  const now = instant();
  const window = windows.get(token) ?? [];
  windows.set(token, window);
  while (window[0] !== undefined && window[0] <= now - 1_000) window.shift();
  if (window.length >= settings.perSecond) return false;
  window.push(now);
  arrivals.push(now);
  return true;
}

type Reply = [status: number, body: unknown];

function gateway(token: string, path: string): Reply {
  if (!admitted(token)) {
    seen.refused += 1;
    return [429, { errors: ["Too many requests"] }];
  }
  if (path.endsWith("/messages/ack")) {
    seen.acked += 1;
    return [200, {}];
  }
  if (/\/messages(\/reaction)?$/.test(path)) seen.posted += 1;
  nextId += 1;
  return [200, { message_id: nextId, time: "2026-01-01T00:00:00Z" }];
}

function telegram(path: string, body: string, number: number): Reply {
  const [, token = "", method] = /\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
  const bot = token.split(":")[0] ?? "";
  const ok = (result: unknown): Reply => [200, { ok: true, result }];
  if (method === "getMe") return ok({ id: Number(bot), is_bot: true, first_name: "Bot", username: "bench_bot" });
  if (method === "getWebhookInfo") return ok({ url: settings.doors[bot] ?? "", pending_update_count: 0 });
  if (method === "getUserProfilePhotos") return ok({ total_count: 0, photos: [] });
  if (method === "editMessageText" || method === "deleteMessage") seen.changed += 1;
  if (method !== "sendMessage") return ok(true);
  seen.sent += 1;
  return ok({ message_id: SENT_ID + number, date: 1, chat: { id: Number(JSON.parse(body).chat_id), type: "private" } });
}

function reply(request: IncomingMessage, response: ServerResponse, body: string): void {
  const cameAt = instant();
  const path = request.url ?? "";
  const number = Number(/#(\d+)#/.exec(body)?.[1] ?? 0);
  if (number) traced.set(number, cameAt);
  const token = String(request.headers["x-transport-token"] ?? "");
  const [status, answered] = path.startsWith("/telegram") ? telegram(path, body, number) : gateway(token, path);
  seen.lastAt = cameAt;
  const text = JSON.stringify(answered);
  const send = () => {
    response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  };
  const [least, most] = settings.jitter;
  if (most === 0) send();
  else setTimeout(send, least + Math.random() * (most - least));
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => reply(request, response, Buffer.concat(chunks).toString("utf8")));
});
server.listen(Number(process.env.PORT), "127.0.0.1");

answer({
  set: (changes: Partial<Settings>) => void Object.assign(settings, changes),
  cpuMs,
  seen: () => seen,
  arrivals: () => arrivals,
  traced: () => [...traced],
  forget: () => {
    seen = nothingSeen();
    arrivals.length = 0;
    traced.clear();
  },
});
