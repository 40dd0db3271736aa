import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createClock } from "gangway-messenger/kit/emulator/clock";
import { onTestFinished } from "vitest";
import { listening } from "../../../../test/support/listening.ts";
import { createEmulator } from "../../emulator/emulator.ts";
import { ACCOUNT_ID, NUMBER_ID, TOKEN } from "../../emulator/seed.ts";
import { chatOf } from "../../emulator/world.ts";

export const HOOK = "http://module.example/hook";
export const VERIFY = "quay-verify";
export const ROBIN = "15550100042";

export interface Arrived {
  body: string;
  signature: string;
  payload: Payload;
}
export interface Payload {
  object: string;
  entry: { id: string; time: number; changes: { field: string; value: Value }[] }[];
}
export interface Value {
  metadata?: { phone_number_id: string };
  contacts?: Record<string, unknown>[];
  messages?: Record<string, unknown>[];
  statuses?: (Record<string, unknown> & { id: string; status: string; errors?: { code: number }[] })[];
  [name: string]: unknown;
}
/** A Graph answer. */
export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged by what each test expects.
  body: any;
  headers: Headers;
}

interface StageOptions {
  /** Default: true. */
  subscribed?: boolean;
  /** The module's door; default: the handshake, and 200 to all else. */
  receive?(request: Request): Promise<Response>;
  origin?(): string;
}

/** The emulator beside a module. */
export async function opened({ subscribed = true, receive, origin = () => "http://graph.example" }: StageOptions = {}) {
  const clock = createClock(Date.now);
  const arrived: Arrived[] = [];
  const module = { status: 200, verify: VERIFY };
  const emulator = createEmulator({
    origin,
    clock,
    async deliver(request) {
      if (receive) return receive(request);
      const url = new URL(request.url);
      if (request.method === "GET") {
        const isRight = url.searchParams.get("hub.verify_token") === module.verify;
        return new Response(isRight ? url.searchParams.get("hub.challenge") : "no", { status: isRight ? 200 : 403 });
      }
      const body = await request.text();
      const signature = request.headers.get("x-hub-signature-256") ?? "";
      arrived.push({ body, signature, payload: JSON.parse(body) });
      return new Response(null, { status: module.status });
    },
  });
  onTestFinished(() => {
    emulator.stop();
    clock.stop();
  });
  const ask = async (method: string, path: string, body?: unknown, token: string | null = TOKEN): Promise<Answer> => {
    const isForm = body instanceof FormData;
    const headers = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !isForm && { "content-type": "application/json" }),
    };
    const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
    const answer = await emulator.site.request(`/v23.0/${path}`, { method, headers, ...sent });
    return { status: answer.status, body: await answer.json(), headers: answer.headers };
  };
  const control = async (method: string, path: string, body?: unknown) => {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await emulator.site.request(`/control/${path}`, init);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const { network } = emulator;
  const { world } = network;
  const number = world.numbers.get(NUMBER_ID);
  const [robin, wren] = world.customers;
  if (!number || !robin || !wren) throw new Error("The emulator is empty");
  const subscribe = async () => {
    await ask("POST", `${ACCOUNT_ID}/subscribed_apps`);
    return ask("POST", `${ACCOUNT_ID}/subscribed_apps`, { override_callback_uri: HOOK, verify_token: VERIFY });
  };
  if (subscribed) {
    await subscribe();
    // Meta tells of templates and wishes at the app's own webhook only.
    for (const app of network.core.apps.list()) app.webhook = { url: HOOK, verifyToken: VERIFY };
  }
  const send = (body: object, token?: string) =>
    ask("POST", `${NUMBER_ID}/messages`, { messaging_product: "whatsapp", to: ROBIN, ...body }, token);
  const text = (body = "hello", more: object = {}) => send({ type: "text", text: { body }, ...more });
  const values = (field = "messages"): Value[] =>
    arrived.flatMap(({ payload }) =>
      payload.entry.flatMap(({ changes }) => changes.flatMap((each) => (each.field === field ? [each.value] : []))),
    );
  const statuses = () => values().flatMap(({ statuses = [] }) => statuses);
  const messages = () => values().flatMap(({ messages = [] }) => messages);
  return {
    emulator,
    network,
    world,
    clock,
    module,
    arrived,
    ask,
    control,
    subscribe,
    send,
    text,
    values,
    statuses,
    messages,
    idle: network.idle,
    number,
    robin,
    wren,
    chat: chatOf(world, number, robin),
    hidden: chatOf(world, number, wren),
  };
}

/** The emulator at a port of its own, not yet subscribed. */
export async function served(receive: (request: Request) => Promise<Response>) {
  let listener: RequestListener = () => {};
  const origin = await listening((request, response) => listener(request, response));
  const stage = await opened({ receive, origin: () => origin, subscribed: false });
  listener = getRequestListener(stage.emulator.site.fetch);
  return { ...stage, origin };
}
