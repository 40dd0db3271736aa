import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket } from "ws";
import type { Exchange } from "../calls.ts";
import { SANDBOX_KEY } from "../crm/rights.ts";
import { EVENT_TYPES } from "../gateway/events.ts";
import { type RunningSandbox, serveSandbox } from "../serve.ts";

/** The module's answer to a webhook. */
export type Reply = (hook: Hook) => { status?: number; body?: unknown } | "silence";
export interface Hook {
  type: string;
  data: { id?: number; channel_id: number; code?: string };
}
export interface Answer {
  status: number;
  body: Record<string, unknown> & unknown[];
}
type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** A sandbox, a real module, and callers. */
export interface Stage {
  running: RunningSandbox;
  seen: Exchange[];
  hooks: Hook[];
  /** Events of a bot subscribed to everything. */
  received: unknown[];
  /** Webhooks that lacked the contract's headers. */
  withoutClientId: string[];
  /** Sets the module's answers from now on. */
  reply(reply: Reply): void;
  /** Stops the module, or restarts it on the same port. */
  moduleIsUp(up: boolean): Promise<void>;
  /** Holds the sandbox's clock still meanwhile: limits per second then do not depend on the machine's speed. */
  inOneInstant(run: () => Promise<void>): Promise<void>;
  transport: Ask;
  bot: Ask;
  /** The Bot API as the initial agent. */
  user: Ask;
  /** Agent actions that the Bot API lacks. */
  agent: Ask;
  control: Ask;
  crm(method: string, path: string, form?: Record<string, unknown>, key?: string): Promise<Answer>;
  upload(api: "transport" | "bot", mediaType: string): Promise<string>;
  /** Polls until `look` succeeds. Throws on timeout. */
  until<T>(what: string, look: () => T | undefined | false): Promise<T>;
  tokens: { transport: string; bot: string; user: string };
  close(): Promise<void>;
}

export const NORMAL: Reply = ({ type, data }) => {
  if (type === "message_sent") return { body: { external_message_id: `t${data.id}` } };
  return { body: type === "template_create" ? { code: `code#${Math.random()}`, verification_status: "approved" } : {} };
};
const TIMEOUT_MS = 5_000;
/** Below the limit of 30 a second: most calls need no clock jump. */
const CALLS_A_SECOND = 28;
/** The CRM has no rate, and webhooks are not retried: failures take effect at once. */
const hurried = (settings: object) => ({
  crmPerSecond: 0,
  filterEntries: "nothing",
  ...settings,
  webhookRetryForMs: 0,
});

/** `settings`: unknowns to override. */
export async function setStage(settings: object = {}): Promise<Stage> {
  let held: number | undefined;
  const now = () => held ?? Date.now();
  const running = await serveSandbox({ port: 0, settings: hurried(settings), now });
  const { origin } = running;
  const seen: Exchange[] = [];
  running.sandbox.observe((exchange) => seen.push(exchange));
  const module = await startModule();
  const jump = pacing(origin);
  const ask = async (url: string, init: RequestInit): Promise<Answer> => {
    await jump();
    const response = await fetch(url, init);
    return { status: response.status, body: (await response.json().catch(() => ({}))) as Answer["body"] };
  };
  const crm: Stage["crm"] = (method, path, form, key = SANDBOX_KEY) => {
    const fields = Object.entries(form ?? {}).map(([name, v]): [string, string] => [name, JSON.stringify(v)]);
    const body = form && new URLSearchParams(fields);
    return ask(`${origin}${path}`, { method, body, headers: key ? { "x-api-key": key } : {} });
  };
  const withToken =
    (base: string, header: string, token: string): Ask =>
    (method, path, body) =>
      ask(`${origin}${base}${path}`, {
        method,
        headers: { "content-type": "application/json", [header]: token },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
  const control = withToken("/sandbox", "x-none", "");
  const tokens = await registerBoth(crm, control, module.url());
  const { socket: listener, received } = await listen(origin, tokens.bot);
  return {
    running,
    seen,
    hooks: module.hooks,
    received,
    withoutClientId: module.withoutClientId,
    reply: module.reply,
    moduleIsUp: module.isUp,
    async inOneInstant(run) {
      held = Date.now();
      await run().finally(() => {
        held = undefined;
      });
    },
    transport: withToken("/api/transport/v1", "x-transport-token", tokens.transport),
    bot: withToken("/api/bot/v1", "x-bot-token", tokens.bot),
    user: withToken("/api/bot/v1", "x-bot-token", tokens.user),
    agent: withToken("/sandbox/agent", "x-bot-token", tokens.user),
    control,
    crm,
    upload: uploader(origin, tokens, jump),
    until,
    tokens,
    async close() {
      listener.terminate();
      await module.isUp(false);
      await running.close();
    },
  };
}

/** Jumps the sandbox's clock before the limit is reached. */
function pacing(origin: string): () => Promise<void> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls % CALLS_A_SECOND !== 0) return;
    const headers = { "content-type": "application/json" };
    await fetch(`${origin}/sandbox/clock`, { method: "POST", headers, body: JSON.stringify({ jumpMs: 1_001 }) });
  };
}

async function until<T>(what: string, look: () => T | undefined | false): Promise<T> {
  const end = Date.now() + TIMEOUT_MS;
  while (Date.now() < end) {
    const found = look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`timed out waiting for ${what}`);
}

const CLIENT_ID = "client-transport";
/** The results of a delivery module, by action; the others have none. */
const DELIVERY: Record<string, unknown> = {
  save: { deliveryId: "d-1", trackNumber: "T-1", cost: 5, status: "new", extraData: { box: "2" } },
  calculate: [{ code: "slow", name: "This week", type: "courier", cost: 5, minTerm: 1, maxTerm: 7 }],
  shipmentSave: { shipmentId: "s-1" },
};

async function startModule() {
  let reply: Reply = NORMAL;
  let server: Server | undefined;
  let port = 0;
  const hooks: Hook[] = [];
  const withoutClientId: string[] = [];
  const isUp = async (up: boolean) => {
    const before = server;
    server = undefined;
    before?.closeAllConnections();
    if (before) await new Promise((resolve) => before.close(resolve));
    if (!up) return;
    const made = createServer(async (request, answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      if (request.url === "/activity") return void answer.end('{"success":true}');
      const [, action] = /^\/delivery\/(\w+)$/.exec(request.url ?? "") ?? [];
      if (action) return void answer.end(JSON.stringify({ success: true, result: DELIVERY[action] }));
      const hook = JSON.parse(text) as Hook;
      hooks.push(hook);
      if (request.headers.clientid !== CLIENT_ID) withoutClientId.push(hook.type);
      const answered = reply(hook);
      if (answered === "silence") return;
      const body = typeof answered.body === "string" ? answered.body : JSON.stringify(answered.body);
      answer.writeHead(answered.status ?? 200, { "content-type": "application/json" }).end(body);
    });
    server = made;
    await new Promise<void>((resolve) => made.listen(port, "127.0.0.1", resolve));
    port = (made.address() as AddressInfo).port;
  };
  await isUp(true);
  return {
    hooks,
    withoutClientId,
    isUp,
    url: () => `http://127.0.0.1:${port}`,
    reply: (next: Reply) => {
      reply = next;
    },
  };
}

async function registerBoth(crm: Stage["crm"], control: Ask, url: string) {
  const register = async (code: string, integrations: object) => {
    const module = { code, name: code, clientId: `client-${code}`, baseUrl: url, actions: { activity: "/activity" } };
    const path = `/api/v5/integration-modules/${code}/edit`;
    const { body } = await crm("POST", path, { integrationModule: { ...module, integrations } });
    return body.info as Record<string, { token: string }>;
  };
  const transport = await register("transport", { mgTransport: { webhookUrl: `${url}/hook` } });
  const bot = await register("bot", { mgBot: {} });
  const [agent] = (await control("GET", "/agents")).body as unknown as { token: string }[];
  return {
    transport: transport.mgTransport?.token ?? "",
    bot: bot.mgBot?.token ?? "",
    user: agent?.token ?? "",
  };
}

/** Opens a bot's socket subscribed to everything. */
async function listen(origin: string, token: string): Promise<{ socket: WebSocket; received: unknown[] }> {
  const address = `${origin.replace("http", "ws")}/api/bot/v1/ws?events=${EVENT_TYPES}&options=include_mass_communication`;
  const socket = new WebSocket(address, { headers: { "x-bot-token": token } });
  const received: unknown[] = [];
  socket.on("message", (text) => received.push(JSON.parse(String(text))));
  await new Promise((resolve, reject) => {
    socket.on("open", resolve);
    socket.on("error", reject);
  });
  return { socket, received };
}

function uploader(origin: string, tokens: Stage["tokens"], jump: () => Promise<void>): Stage["upload"] {
  return async (api, mediaType) => {
    await jump();
    const bytes = new Uint8Array([1, 2, 3]);
    const headers = { "x-transport-token": tokens.transport, "content-type": mediaType };
    const form = new FormData();
    form.set("file", new File([bytes], "a file", { type: mediaType }));
    const init =
      api === "transport" ? { headers, body: bytes } : { headers: { "x-bot-token": tokens.bot }, body: form };
    const response = await fetch(`${origin}/api/${api}/v1/files/upload`, { method: "POST", ...init });
    return ((await response.json()) as { id: string }).id;
  };
}
