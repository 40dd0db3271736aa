import { createClock } from "gangway-messenger/kit/emulator/clock";
import { seeded } from "gangway-messenger/kit/emulator/random";
import { onTestFinished } from "vitest";
import { createEmulator, SHOP } from "../../emulator/emulator.ts";

export const ORIGIN = "http://sandbox.test";
export const HOOK = "http://module.test/hook";

/** A module that takes webhooks as it is told, and calls the API with a token. */
export async function shop() {
  const clock = createClock(() => Date.now());
  const state = { status: 200, hangs: false };
  const bodies: Record<string, unknown>[] = [];
  const emulator = createEmulator({
    ...{ origin: () => ORIGIN, clock, random: seeded(3) },
    async deliver(request) {
      if (state.hangs)
        await new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("late"))));
      const text = await request.text();
      if (state.status === 200 && text !== "{}") bodies.push(JSON.parse(text));
      return new Response(null, { status: state.status });
    },
  });
  emulator.switches.set({ ownAfterMs: 0 });
  onTestFinished(() => {
    emulator.stop();
    clock.stop();
  });
  const form = { grant_type: "client_credentials", client_id: SHOP.clientId, client_secret: SHOP.clientSecret };
  const grant = (fields: Record<string, string> = form) =>
    answered(emulator.site.request("/token", { method: "POST", body: new URLSearchParams(fields) }));
  const token = String((await grant()).body.access_token);
  const call = async (method: string, path: string, body?: object, authorization = `Bearer ${token}`) =>
    answered(
      emulator.site.request(`${ORIGIN}${path}`, {
        method,
        headers: { authorization, ...(body && !(body instanceof FormData) && { "content-type": "application/json" }) },
        ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      }),
    );
  await call("POST", "/messenger/v3/webhook", { url: HOOK });
  const chat = emulator.firstChat();
  const at = (version: number, rest: string) => `/messenger/v${version}/accounts/${SHOP.id}/chats/${chat.id}${rest}`;
  return {
    ...{ emulator, clock, state, bodies, grant, call, chat, at },
    send: (message: object) => call("POST", at(1, "/messages"), message),
    text: (text: string) => call("POST", at(1, "/messages"), { type: "text", message: { text } }),
    upload: (bytes: Uint8Array, name = "a.png", field = "uploadfile[]") => {
      const files = new FormData();
      files.append(field, new File([Uint8Array.from(bytes)], name));
      return call("POST", `/messenger/v1/accounts/${SHOP.id}/uploadImages`, files);
    },
    values: () => bodies.map((body) => (body as { payload: { value: Record<string, unknown> } }).payload.value),
  };
}

async function answered(asked: Response | Promise<Response>) {
  const answer = await asked;
  const text = await answer.text();
  const isJson = /json/.test(answer.headers.get("content-type") ?? "");
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any call.
  return { status: answer.status, body: (isJson ? JSON.parse(text) : text) as any, headers: answer.headers };
}
