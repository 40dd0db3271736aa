import { createCipheriv, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { Agent } from "undici";
import { ROOT } from "../root.ts";
import type { Target } from "./webhooks.ts";

// The cheapest relay with the product's durability and calls: no retries, breakers, recovery, validation or limits.

const { FOLDER = "", FAKES = "", PORT, DELIVER = "1" } = process.env;

const MIGRATIONS = join(ROOT, "migrations", "sqlite");
const db = new Sqlite(join(FOLDER, "gangway.db"));
/** As in the product's `database/db.ts`. */
const PRAGMAS = `journal_mode = WAL; synchronous = FULL; foreign_keys = ON; busy_timeout = 5000; temp_store = MEMORY;
  wal_autocheckpoint = 4000; cache_size = -16384; journal_size_limit = 67108864; trusted_schema = OFF`;
for (const pragma of PRAGMAS.split(";")) db.pragma(pragma);
// The product's own tables, with their indexes and triggers.
for (const name of readdirSync(MIGRATIONS).sort())
  if (name.endsWith(".sql")) db.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
const insert =
  db.prepare(`INSERT INTO message (account_id, channel_id, direction, kind, chat, dedupe_key, events, state,
    position, head, attempts, gateway_message_id, messenger_message_id, run_at, deadline_at, fence, payload, created_at, updated_at)
  VALUES (@account, @channel, @direction, 'message', @chat, @key, 1, 'sending',
    @at, @head, 1, @gatewayId, @messengerId, @at, @at, 1, @payload, @at, @at) ON CONFLICT DO NOTHING`);
const end =
  db.prepare(`UPDATE message SET state = 'done', head = 0, ack = @ack, ack_body = @body, ack_at = @at, updated_at = @at,
    gateway_message_id = coalesce(gateway_message_id, @gatewayId),
    messenger_message_id = coalesce(messenger_message_id, @messengerId) WHERE id = @id`);
const endAck = db.prepare("UPDATE message SET ack = 'given', ack_body = NULL, ack_at = NULL WHERE id = ?");
const insertRaw = db.prepare("INSERT INTO raw_webhook (received_at, sealed) VALUES (?, ?)");
const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")];

interface Raw {
  account: string;
  source: string;
  receivedAt: number;
  raw: { path: string; headers: Record<string, string>; body: string };
}

const KEY = randomBytes(32);
function keepRaw(webhooks: Raw[]): void {
  const [first] = webhooks;
  if (!first) return;
  const iv = randomBytes(12);
  const aad = Buffer.from(JSON.stringify(["raw_webhook", String(first.receivedAt), "sealed"]));
  const cipher = createCipheriv("aes-256-gcm", KEY, iv, { authTagLength: 16 }).setAAD(aad);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(webhooks), "utf8"), cipher.final(), cipher.getAuthTag()]);
  insertRaw.run(first.receivedAt, `v1.k1.${iv.toString("base64url")}.${sealed.toString("base64url")}`);
}

interface Write {
  run(): void;
  done(): void;
  raw?: Raw;
}
const MAX_TICKS = 8;
let pending: Write[] = [];
function flush(): void {
  const group = pending;
  pending = [];
  const raws: Raw[] = [];
  begin.run();
  for (const { run, raw } of group) {
    run();
    if (raw) raws.push(raw);
  }
  keepRaw(raws);
  commit.run();
  for (const { done } of group) done();
}

/** Waits while the group grows, as the product does. */
function gather(last: number, ticks: number): void {
  if (pending.length > Math.max(last, 2) && ticks < MAX_TICKS) setImmediate(gather, pending.length, ticks + 1);
  else flush();
}

/** Joins the next shared transaction; `done` runs after its commit. */
function write(entry: Write): void {
  pending.push(entry);
  if (pending.length === 1) setImmediate(gather, 1, 0);
}

const stored = (run: () => void): Promise<void> => new Promise((done) => write({ run, done }));

const agent = new Agent({ connections: 64, keepAliveTimeout: 10_000 });
type Headers = Record<string, string>;
const SENT_AS = { "accept-encoding": "identity", "user-agent": "gangway" };
const JSON_BODY: Headers = { "content-type": "application/json", ...SENT_AS };

/** Posts and resolves with the parsed answer. Rejects unless the status is 200. */
function post<Answer>(path: string, headers: Headers, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    agent.dispatch(
      { origin: FAKES, path, method: "POST", headers, body: JSON.stringify(body) },
      {
        onRequestStart: () => {},
        onResponseStart: (_, code) => {
          status = code;
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => {
          if (status === 200) resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")));
          else reject(new Error(`status ${status} from ${path}`));
        },
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

interface Channel extends Target {
  number: number;
  gatewayHeaders: Headers;
}
interface Message {
  id: number;
  channel: Channel;
  direction: "inbound" | "outbound";
  key: string;
  chat: string;
  payload: object;
}

const logged = (message: Message, began: number, ack = false) => {
  const at = Date.now();
  const { id, channel, direction } = message;
  const of = { account: channel.clientId, channel: channel.door, job: id, direction: ack ? "ack" : direction };
  const head = { level: "info", time: new Date(at).toISOString(), event: "delivery.attempted" };
  const entry = { ...head, ...of, attempt: 1, verdict: "done", ms: at - began };
  process.stdout.write(`${JSON.stringify(entry)}\n`);
  return at;
};

const NO_IDS = { gatewayId: null, messengerId: null, ack: null, body: null };
async function deliver(message: Message): Promise<void> {
  const { channel, chat, key, direction, payload } = message;
  const began = Date.now();
  if (direction === "inbound") {
    const { message_id } = await post<{ message_id: number }>("/gateway/messages", channel.gatewayHeaders, payload);
    const ended = { ...NO_IDS, id: message.id, at: logged(message, began), gatewayId: String(message_id) };
    return stored(() => end.run(ended));
  }
  const path = `/telegram/bot${channel.botToken}/sendMessage`;
  const sent = await post<{ result: { message_id: number } }>(path, JSON_BODY, payload);
  const [otherId, at] = [`${chat}:${sent.result.message_id}`, logged(message, began)];
  const ack = { channel: channel.number, message: { id: Number(key) }, transport_message_id: otherId };
  const ended = { ...NO_IDS, id: message.id, at, messengerId: otherId, ack: "sending", body: JSON.stringify(ack) };
  await stored(() => end.run(ended));
  const ackBegan = Date.now();
  await post("/gateway/messages/ack", channel.gatewayHeaders, ack);
  logged(message, ackBegan, true);
  return stored(() => endAck.run(message.id));
}

/** The last delivery of each chat and direction: messages keep their order. */
const lanes = new Map<string, Promise<void>>();
const laneOf = ({ channel, direction, chat }: Message) => `${channel.number}/${direction}/${chat}`;

function enqueue(message: Message): void {
  const lane = laneOf(message);
  const last = lanes.get(lane);
  const fail = (error: Error) => void process.stderr.write(`ceiling: ${error.message}\n`);
  const mine = (last ? last.then(() => deliver(message)) : deliver(message)).catch(fail);
  lanes.set(lane, mine);
  void mine.then(() => lanes.get(lane) === mine && lanes.delete(lane));
}

/** Stores a message and its raw webhook, answers, then sends. */
function accept(message: Message, raw: Raw, answer: () => void): void {
  let isNew = false;
  write({
    raw,
    run: () => {
      const { channel, direction, key, chat, payload } = message;
      const ids =
        direction === "inbound" ? { gatewayId: null, messengerId: key } : { gatewayId: key, messengerId: null };
      const of = { account: channel.clientId, channel: channel.door, direction, chat, key };
      const head = lanes.has(laneOf(message)) ? 0 : 1;
      const row = insert.run({ ...of, ...ids, head, payload: JSON.stringify(payload), at: raw.receivedAt });
      [isNew, message.id] = [row.changes === 1, Number(row.lastInsertRowid)];
    },
    done: () => {
      answer();
      if (isNew && DELIVER === "1") enqueue(message);
    },
  });
}

const byDoor = new Map<string, Channel>();
const byGateway = new Map<string, Channel>();
for (const target of JSON.parse(readFileSync(join(FOLDER, "accounts.json"), "utf8")) as Target[]) {
  const gatewayHeaders = { ...JSON_BODY, accept: "application/json", "x-transport-token": target.gatewayToken };
  const channel = { ...target, number: Number(target.gatewayChannelId), gatewayHeaders };
  byDoor.set(`/m/${target.door}`, channel);
  byGateway.set(`/gateway/${target.webhookSecret} ${target.gatewayChannelId}`, channel);
}

function fromTelegram(channel: Channel, body: string): Message {
  const { message } = JSON.parse(body);
  const { from, date, text, message_id } = message;
  const chat = String(message.chat.id);
  const { first_name, last_name, language_code: language } = from;
  const name = { nickname: `${first_name} ${last_name}`, first_name, last_name, language };
  const customer = { external_id: chat, ...name, profile_url: `https://t.me/${from.username}` };
  const key = `${chat}:${message_id}`;
  const content = { external_id: key, created_at: new Date(date * 1000).toISOString(), type: "text", text };
  const head = { channel: channel.number, originator: "customer", external_chat_id: chat };
  const payload = { ...head, customer, message: content };
  return { id: 0, channel, direction: "inbound", key, chat, payload };
}

/** Undefined when the secret or the channel is wrong. */
function read(request: IncomingMessage, body: string): Message | undefined {
  const { url = "", headers } = request;
  const channel = byDoor.get(url);
  if (channel)
    return headers["x-telegram-bot-api-secret-token"] === channel.hookSecret ? fromTelegram(channel, body) : undefined;
  const { data } = JSON.parse(body);
  const target = byGateway.get(`${url} ${data.channel_id}`);
  if (headers.clientid !== target?.clientId || !target) return undefined;
  const { external_chat_id: chat, content: text } = data;
  const payload = { chat_id: chat, text };
  return { id: 0, channel: target, direction: "outbound", key: String(data.id), chat, payload };
}

const server = createServer((request, response) => {
  const answer = (status: number, body: object) => {
    const text = JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  };
  if (request.url === "/health/ready") return answer(200, { status: "ready" });
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("utf8");
    const message = read(request, body);
    if (!message) return answer(404, {});
    const source = message.direction === "inbound" ? "messenger" : "gateway";
    const kept = { path: "", headers: {}, body };
    const raw = { account: message.channel.clientId, source, receivedAt: Date.now(), raw: kept };
    accept(message, raw, () => answer(200, source === "gateway" ? { async: true } : {}));
  });
});
server.listen(Number(PORT), "127.0.0.1");
