import type { ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { listening } from "../../../test/support/listening.ts";
import { until as patiently } from "../../../test/support/until.ts";
import { SANDBOX_KEY } from "../../src/crm/rights.ts";
import { createSandbox } from "../../src/sandbox.ts";

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}
type Body = Record<string, unknown> & { errors: string[]; id: number };
export interface Answer {
  status: number;
  body: Body;
}

/** What a module answers; it may set the status, which is 200 otherwise. */
export type ModuleAnswer = (received: Received, reply: ServerResponse) => unknown;

/** A module's server that records its requests. */
export async function moduleServer(answer: ModuleAnswer = () => ({ success: true })) {
  const received: Received[] = [];
  const url = await listening(async (request, reply) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The request was cut off: nobody reads the answer.
      return;
    }
    const { method = "", url: path = "" } = request;
    const one = { method, path, headers: request.headers, text: Buffer.concat(chunks).toString() };
    received.push(one);
    reply.setHeader("content-type", "application/json");
    reply.end(JSON.stringify(await answer(one, reply)));
  });
  return { url, received };
}

export const module = (change: object = {}) => ({
  code: "m",
  name: "M",
  clientId: "client-1",
  baseUrl: "http://127.0.0.1:9",
  integrations: { mgTransport: { webhookUrl: "http://127.0.0.1:9/hook" } },
  ...change,
});
export const bot = (change: object = {}) => module({ code: "b", name: "B", integrations: { mgBot: {} }, ...change });

/** An account in memory with a manual clock, which keeps no rate of the CRM unless `settings` says so. */
export function account(settings: object = {}, moduleUrl?: string) {
  let time = Date.parse("2026-05-01T10:00:00Z");
  const sandbox = createSandbox({
    ...{ origin: () => "http://sandbox", now: () => time, moduleUrl },
    settings: { crmPerSecond: 0, ...settings },
  });
  onTestFinished(sandbox.stop);
  const send = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string | URLSearchParams,
  ) => {
    const response = await sandbox.fetch(new Request(`http://sandbox${path}`, { method, headers, body }), {});
    return { status: response.status, body: (await response.json().catch(() => ({}))) as Body };
  };
  const json = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(
      method,
      path,
      { "content-type": "application/json", ...headers },
      body === undefined ? undefined : JSON.stringify(body),
    );
  const crm = (method: string, path: string, form?: Record<string, string>, key = SANDBOX_KEY) =>
    send(method, path, key ? { "x-api-key": key } : {}, form && new URLSearchParams(form));
  /** Posts entities as JSON in their form fields, texts as they are. */
  const submit = (
    path: string,
    entities: Record<string, unknown>,
    headers = { "x-api-key": SANDBOX_KEY } as object,
  ) => {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(entities))
      fields.set(name, typeof value === "string" ? value : JSON.stringify(value));
    return send("POST", path, { ...headers }, fields);
  };
  /** What the judge has found so far. */
  const faults = () => sandbox.calls.entries().flatMap((entry) => entry.faults);
  const edit = (body: { code: string }, path = body.code, key = SANDBOX_KEY) =>
    crm("POST", `/api/v5/integration-modules/${path}/edit`, { integrationModule: JSON.stringify(body) }, key);
  const read = async (code: string) =>
    (await crm("GET", `/api/v5/integration-modules/${code}`)).body.integrationModule as Record<string, unknown> &
      Record<"integrations", Record<string, Record<string, unknown>>>;
  const tokenOf = (code: string) => sandbox.world.modules.get(code)?.token ?? "";
  const agent = () => [...sandbox.world.users.values()][0]?.token ?? "";
  const upload = async (bytes: Uint8Array<ArrayBuffer>) => {
    const init = { method: "POST", body: bytes, headers: { "x-bot-token": agent() } };
    const answer = await sandbox.fetch(new Request("http://sandbox/api/bot/v1/files/upload", init), {});
    return (await answer.json()) as { id: string };
  };
  return {
    sandbox,
    world: sandbox.world,
    upload,
    json,
    crm,
    submit,
    faults,
    edit,
    read,
    tokenOf,
    agent,
    wait: (ms: number) => {
      time += ms;
    },
    jump: (jumpMs: number) => json("POST", "/sandbox/clock", { jumpMs }),
    set: (change: object) => json("PUT", "/sandbox/settings", change),
    switches: (change: object) => json("POST", "/sandbox/switches", change),
    transport: (method: string, path: string, body?: unknown, token = tokenOf("m")) =>
      json(method, `/api/transport/v1${path}`, body, { "x-transport-token": token }),
    asBot: (method: string, path: string, body?: unknown, token = tokenOf("b")) =>
      json(method, `/api/bot/v1${path}`, body, { "x-bot-token": token }),
    asUser: (method: string, path: string, body?: unknown) =>
      json(method, `/api/bot/v1${path}`, body, { "x-bot-token": agent() }),
    asAgent: (method: string, path: string, body?: unknown) =>
      json(method, `/sandbox/agent${path}`, body, { "x-bot-token": agent() }),
  };
}
export type Account = ReturnType<typeof account>;

const WAYS = { creating: "both", editing: "both", quoting: "both", deleting: "both", reaction: "both" };
export const SETTINGS = {
  text: WAYS,
  image: WAYS,
  file: WAYS,
  product: WAYS,
  order: WAYS,
  status: { read: "both", delivered: "both" },
};

/** A transport module with a channel and a chat. */
export async function chatting(settings: object = {}, unknowns: object = {}, answer?: (received: Received) => unknown) {
  const server = await moduleServer(answer);
  const own = account(unknowns);
  const urls = { baseUrl: server.url, integrations: { mgTransport: { webhookUrl: `${server.url}/hook` } } };
  await own.edit(module(urls));
  const opened = await own.transport("POST", "/channels", { type: "custom", settings: { ...SETTINGS, ...settings } });
  const channel = opened.body.id;
  const post = (text: string, more: object = {}, message: object = {}) =>
    own.transport("POST", "/messages", {
      channel,
      external_chat_id: "chat-1",
      customer: { external_id: "u1", nickname: "Jo" },
      ...more,
      message: { type: "text", text, ...message },
    });
  const first = await post("hello", {}, { external_id: "m1" });
  const chat = own.world.chats.keys().next().value as number;
  const say = (content: string, more: object = {}) =>
    own.asUser("POST", "/messages", { chat_id: chat, scope: "public", content, ...more });
  const message = (id: unknown) => own.world.messageById(Number(id));
  return { ...own, server, channel, chat, post, say, first, message };
}

export const until = <T>(look: () => T | Promise<T> | undefined | false | null): Promise<NonNullable<Awaited<T>>> =>
  patiently("the sandbox", async () => (await look()) || undefined) as Promise<NonNullable<Awaited<T>>>;
