import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import { createClock } from "gangway-messenger/kit/emulator/clock";
import { onTestFinished } from "vitest";
import { createEmulator } from "../../emulator/emulator.ts";
import { TOKEN } from "../../emulator/world.ts";

export const ORIGIN = "http://sandbox.test";
export const HOOK = "http://module.test/hook";
export const SECRET = "a-secret_of-the-module";

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any call.
  body: any;
  text: string;
}

/** The emulator, and a module that takes webhooks whose secret is right. */
export async function connected({ random }: Pick<EmulatorOptions, "random"> = {}) {
  const now = { ms: 1_764_000_000_000 };
  const clock = createClock(() => now.ms);
  const bodies: { update_type: string; [name: string]: unknown }[] = [];
  const state = { status: 200 };
  const deliver = async (request: Request): Promise<Response> => {
    if (request.headers.get("x-max-bot-api-secret") !== SECRET) return new Response(null, { status: 401 });
    if (state.status === 200) bodies.push((await request.json()) as (typeof bodies)[number]);
    return new Response(null, { status: state.status });
  };
  const emulator = createEmulator({ origin: () => ORIGIN, clock, deliver, ...(random && { random }) });
  emulator.switches.set({ paced: false, notReady: 0 });
  onTestFinished(() => {
    emulator.stop();
    clock.stop();
  });
  const call = async (method: string, path: string, body?: object, token: string | undefined = TOKEN) => {
    const isForm = body instanceof FormData;
    const answer = await emulator.site.request(`${ORIGIN}${path}`, {
      method,
      headers: {
        ...(token && { authorization: token }),
        ...(body && !isForm && { "content-type": "application/json" }),
      },
      body: isForm ? body : body && JSON.stringify(body),
    });
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get("content-type") ?? "");
    return { status: answer.status, text, body: isJson ? JSON.parse(text) : text } satisfies Answered;
  };
  const dialog = emulator.firstDialog();
  await call("POST", "/subscriptions", { url: HOOK, secret: SECRET });
  const send = (body: object, query = `chat_id=${dialog.chatId}`) => call("POST", `/messages?${query}`, body);
  const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  return { emulator, clock, now, bodies, state, call, send, dialog, settled, customers: emulator.customers };
}
