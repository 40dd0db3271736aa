import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { plainPhone } from "gangway-messenger/kit/plain-phone";
import { type Context, Hono } from "hono";
import { z } from "zod";

export interface Message {
  id: string;
  from: "customer" | "shop";
  text: string;
  /** Names of its files, and where the shop's are. */
  files: { name: string; url?: string }[];
  buttons: string[];
  quote?: string;
  /** As the CRM has it. */
  item?: object;
  edited?: boolean;
  deleted?: boolean;
  reaction?: string;
  /** Of a customer's message. */
  status?: "delivered" | "read";
}
export interface App extends Emulator {
  /** What the customer sees, oldest first. */
  messages: Message[];
  /** Every callback with a right signature, repeats too. */
  events: { id: string; type: string; timestamp: string; data: Record<string, unknown> }[];
  /** Signs an event and sends it to the channel; resolves with the answer. `id`: that of a repeat. */
  tells(type: string, data: object, id?: string): Promise<Response>;
  /** The customer writes; resolves with the message's id. */
  says(message: { text?: string; quote?: { id: string }; files?: object[] }): Promise<string>;
  /** Serves a file of the customer's; its address. */
  serves(name: string, file: AppFile): string;
  /** Uploads a file to the channel; resolves with its id there. */
  uploads(name: string, file: AppFile): Promise<string>;
  /** Asks for events after a cursor. */
  missed(query?: string): Promise<Response>;
  /** Answers the next callback so. */
  answers(status: number, body?: string, headers?: Record<string, string>): void;
}
interface AppFile {
  bytes: Uint8Array;
  mediaType: string;
}

/** 32 bytes, as an app's developer makes them. */
export const SECRET = "whsec_c2FuZGJveC1hcHAtc2VjcmV0LW9mLTMyLWJ5dGVzISE=";
export const CUSTOMER = { id: "robin", name: "Robin" };
/** Pause before an event that was not taken is sent again, ms. */
const AGAIN_MS = 1_000;
const TOLERANCE_S = 300;

const event = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  data: z.record(z.string(), z.unknown()),
});
const connected = z.object({ door: z.url() });
const created = z.object({
  id: z.string(),
  text: z.string(),
  files: z.array(z.object({ url: z.string(), name: z.string().optional() })),
  buttons: z.array(z.object({ title: z.string() })),
  quote: z.object({ id: z.string().optional() }).optional(),
  ...{ product: z.looseObject({}).optional(), order: z.looseObject({}).optional() },
});
const changed = z.object({
  id: z.string(),
  text: z.string().optional(),
  buttons: z.array(z.object({ title: z.string() })).optional(),
  reaction: z.string().nullish(),
});

const mac = (id: string, timestamp: string, body: string) =>
  createHmac("sha256", Buffer.from(SECRET.replace("whsec_", ""), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64");

/** As the specification of Standard Webhooks says. `now` in s. */
function isSigned(headers: Record<string, string | undefined>, body: string, now: number): boolean {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": given = "" } = headers;
  if (id === "" || Math.abs(now - Number(timestamp)) > TOLERANCE_S) return false;
  const right = Buffer.from(mac(id, timestamp, body));
  return given.split(" ").some((each) => {
    const [version, value = ""] = each.split(",");
    return version === "v1" && value.length === right.length && timingSafeEqual(Buffer.from(value), right);
  });
}

/** A shop's own app with one customer, who writes from its page. */
export function createEmulator({ origin, clock, deliver }: EmulatorOptions): App {
  const messages: Message[] = [];
  const events: App["events"] = [];
  /** Ids of the app's own, by the event that brought the message. */
  const known = new Map<string, string>();
  const served = new Map<string, AppFile>();
  const planned: { status: number; body: string; headers: Record<string, string> }[] = [];
  let door = "";
  const now = () => Math.floor(clock.now() / 1000);
  const request = (path: string, method: "GET" | "POST", body = "", id: string = randomUUID()) => {
    const timestamp = String(now());
    const headers = {
      "content-type": "application/json",
      ...{ "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac(id, timestamp, body)}` },
    };
    return deliver(new Request(door + path, { method, headers, ...(method === "POST" && { body }) }));
  };
  const tells: App["tells"] = async (type, data, id = randomUUID()) => {
    const body = JSON.stringify({ type, timestamp: new Date(clock.now()).toISOString(), data });
    const answer = await request("", "POST", body, id).catch(() => undefined);
    if (!answer || answer.status >= 500) clock.after(AGAIN_MS, () => void tells(type, data, id));
    return answer ?? new Response(null, { status: 504 });
  };
  const says: App["says"] = async ({ text = "", files = [], quote }) => {
    const id = `c-${messages.length + 1}-${randomUUID().slice(0, 8)}`;
    const names = files.map((_, n) => ({ name: `file ${n + 1}` }));
    messages.push({ id, from: "customer", text, files: names, buttons: [], quote: quote?.id });
    await tells("message.created", { chat: CUSTOMER.id, id, customer: CUSTOMER, text, files, quote });
    return id;
  };

  const site = new Hono();
  const shown = () => messages.map((message) => ({ ...message, text: linesOf(message) }));
  site.route("/phone", plainPhone({ title: "Own app", messages: shown, says: (text) => says({ text }) }));
  site.get("/files/:name", (c) => {
    const file = served.get(c.req.param("name"));
    if (!file) return c.notFound();
    return c.body(new Uint8Array(file.bytes), 200, { "content-type": file.mediaType });
  });
  site.post("/callback", async (c) => {
    const body = await c.req.text();
    if (!isSigned(c.req.header(), body, now())) return c.text("not signed by the module", 401);
    const told = event.parse(JSON.parse(body));
    events.push(told);
    const plan = planned.shift();
    if (plan) return new Response(plan.body || null, { status: plan.status, headers: plan.headers });
    if (told.type === "channel.connected") door = connected.parse(told.data).door;
    return taken(c, told, messages, known);
  });

  return {
    ...{ site, messages, events, tells, says },
    serves(name, file) {
      served.set(name, file);
      return `${origin()}/files/${encodeURIComponent(name)}`;
    },
    async uploads(name, { bytes, mediaType }) {
      const about = JSON.stringify({ chat: CUSTOMER.id, name, mediaType });
      const { url } = z.object({ url: z.string() }).parse(await (await request("/uploads", "POST", about)).json());
      const answer = await deliver(new Request(url, { method: "POST", body: new Uint8Array(bytes) }));
      return z.object({ upload: z.string() }).parse(await answer.json()).upload;
    },
    customer: {
      says: (text) => says({ text }),
      sees: () => messages.flatMap(({ from, text, deleted }) => (from === "shop" && !deleted && text ? text : [])),
    },
    missed: (query = "") => request(query, "GET"),
    answers: (status, body = "", headers = {}) => void planned.push({ status, body, headers }),
    channel: () => ({
      name: "Own app",
      settings: { callbackUrl: `${origin()}/callback`, signingSecret: SECRET },
    }),
    stop: () => {},
  };
}

function taken(c: Context, told: App["events"][number], messages: Message[], known: Map<string, string>): Response {
  if (told.type === "message.created") {
    const id = known.get(told.id) ?? `app-${messages.length + 1}`;
    if (!known.has(told.id)) messages.push(messageOf(id, created.parse(told.data)));
    known.set(told.id, id);
    return c.json({ id });
  }
  if (told.type !== "channel.connected") change(told.type, changed.parse(told.data), messages);
  return c.body(null, 204);
}

const messageOf = (id: string, { text, files, buttons, quote, product, order }: z.infer<typeof created>): Message => ({
  ...{ id, from: "shop", text, quote: quote?.id, item: product ?? order },
  files: files.map(({ name = "file", url }) => ({ name, url })),
  buttons: buttons.map(({ title }) => title),
});

function change(
  type: string,
  { id, text = "", buttons, reaction }: z.infer<typeof changed>,
  messages: Message[],
): void {
  const found = messages.find((message) => message.id === id);
  if (!found) return;
  if (type === "message.edited")
    Object.assign(found, { text, edited: true, buttons: buttons?.map(({ title }) => title) ?? [] });
  if (type === "message.deleted") found.deleted = true;
  if (type === "message.read") found.status = "read";
  if (type === "message.delivered") found.status ??= "delivered";
  if (type === "reaction.changed") found.reaction = reaction ?? undefined;
}

/** What the plain phone shows of a message. */
const linesOf = ({ text, files, buttons, reaction }: Message): string =>
  [text, ...files.map(({ name }) => `[${name}]`), ...buttons.map((title) => `(${title})`), reaction]
    .filter(Boolean)
    .join(" ");
