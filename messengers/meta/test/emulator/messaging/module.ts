import { createHmac } from "node:crypto";
import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { createClock } from "gangway-messenger/kit/emulator/clock";
import { onTestFinished } from "vitest";
import { DEMO_VERIFY_TOKEN } from "../../../emulator/demo-app.ts";
import type { Messaging } from "../../../emulator/messaging/emulator.ts";

export const ORIGIN = "http://sandbox.test";
export const HOOK = "http://module.test/hook";
export const VERIFY = DEMO_VERIFY_TOKEN;

type Event = Record<string, Record<string, unknown> | undefined> & { timestamp?: unknown };
interface Entry {
  id: string;
  time: number;
  messaging?: Event[];
  standby?: Event[];
  changes?: { field: string; value: Record<string, unknown> }[];
}
export interface Body {
  object: string;
  entry: Entry[];
}
export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any call.
  body: any;
  headers: Headers;
}

/** A module that takes webhooks whose signature is right, and calls the API. */
export function connected<Made extends Emulator & Omit<Messaging, "site">>(
  create: (options: EmulatorOptions) => Made,
  secret: () => string,
  now = () => Date.now(),
) {
  const clock = createClock(now);
  const bodies: Body[] = [];
  const files = new Map<string, Response>();
  const state = { status: 200 };
  const deliver = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const file = files.get(request.url);
    if (file) return file.clone();
    if (request.method === "GET") return handshake(url);
    const text = await request.text();
    const mac = createHmac("sha256", secret()).update(text).digest("hex");
    if (request.headers.get("x-hub-signature-256") !== `sha256=${mac}`) return new Response(null, { status: 401 });
    if (state.status === 200) bodies.push(JSON.parse(text));
    return new Response(null, { status: state.status });
  };
  const emulator = create({ origin: () => ORIGIN, clock, deliver });
  emulator.core.switches.set({ echoAfterMs: 0 });
  onTestFinished(() => {
    emulator.stop();
    clock.stop();
  });
  return {
    emulator,
    clock,
    bodies,
    files,
    state,
    call: caller(emulator),
    events: () => bodies.flatMap(({ entry }) => entry.flatMap(({ messaging = [] }) => messaging)),
    standby: () => bodies.flatMap(({ entry }) => entry.flatMap(({ standby = [] }) => standby)),
  };
}

const handshake = (url: URL): Response =>
  url.searchParams.get("hub.verify_token") === VERIFY
    ? new Response(url.searchParams.get("hub.challenge"))
    : new Response(null, { status: 403 });

/** Calls by path with a token; `body` is JSON, a form or a multipart form. */
const caller =
  (emulator: Pick<Emulator, "site">) =>
  async (method: string, path: string, { token, body }: { token?: string; body?: object } = {}): Promise<Answered> => {
    const isForm = body instanceof FormData || body instanceof URLSearchParams;
    const answer = await emulator.site.request(`${ORIGIN}${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && !isForm && { "content-type": "application/json" }),
      },
      body: isForm ? body : body && JSON.stringify(body),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body: /json/.test(answer.headers.get("content-type") ?? "") ? JSON.parse(text) : text,
      headers: answer.headers,
    };
  };
