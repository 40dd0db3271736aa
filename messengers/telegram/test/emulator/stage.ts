import { afterEach } from "vitest";
import { until as patiently } from "../../../../test/support/until.ts";
import { type RunningTelegram, serveTelegram } from "../../emulator/serve.ts";
import { HARBOUR_BOT_TOKEN } from "../../emulator/telegram.ts";
import type { Message, Update } from "../../emulator/wire.ts";

/** Robin has a username; Wren has a very large id. */
export const ROBIN = 5_120_000_042;
export const WREN = 1_200_000_000_077;
export const HARBOUR = 7_712_345_601;

export const OFF = { perSecond: Infinity, perChat: Infinity, perGroupMinute: Infinity };

export interface Answer<T> {
  ok: boolean;
  result: T;
  error_code?: number;
  description?: string;
  parameters?: { retry_after?: number; migrate_to_chat_id?: number };
}

const running: RunningTelegram[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
});

export type Stage = RunningTelegram & {
  call<T = unknown>(method: string, parameters?: object): Promise<Answer<T>>;
  control(path: string, method: string, body?: unknown): Promise<Response>;
};

/** A served emulator; the caller closes it. */
export async function staged(limits = OFF, now = Date.now): Promise<Stage> {
  const served = await serveTelegram({ port: 0, limits, now });
  const json = { "content-type": "application/json" };
  return {
    ...served,
    async call<T>(method: string, parameters: object = {}) {
      const url = `${served.origin}/bot${HARBOUR_BOT_TOKEN}/${method}`;
      const answer = await fetch(url, { method: "POST", headers: json, body: JSON.stringify(parameters) });
      return (await answer.json()) as Answer<T>;
    },
    control: (path, method, body) =>
      fetch(`${served.origin}/control/${path}`, { method, headers: json, body: JSON.stringify(body) }),
  };
}

/** A served emulator, closed after the test. */
export async function stage(limits = OFF, now = Date.now): Promise<Stage> {
  const set = await staged(limits, now);
  running.push(set);
  return set;
}

/** Robin has opened a chat with the harbour bot. */
export const opened = async (limits = OFF, now = Date.now) => begun(await stage(limits, now));

export function begun(set: Stage) {
  const { phone, world } = set.telegram;
  phone.send(ROBIN, HARBOUR, { text: "hello" });
  const refusal = async (method: string, parameters: object = {}) => {
    const { ok, error_code, description } = await set.call(method, parameters);
    return ok ? "it was carried out" : `${error_code} ${description}`;
  };
  const text = (words: string, more: object = {}) =>
    set.call<Message>("sendMessage", { chat_id: ROBIN, text: words, ...more });
  const updates = async (parameters: object = {}) => (await set.call<Update[]>("getUpdates", parameters)).result;
  const shown = () => phone.chats(ROBIN)[0]?.messages ?? [];
  return { ...set, phone, world, refusal, text, updates, shown };
}

/** A call with files in a form. */
export async function posted<T = unknown>(
  origin: string,
  method: string,
  parameters: Record<string, string | Blob>,
): Promise<Answer<T>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(parameters)) form.set(name, value);
  const answer = await fetch(`${origin}/bot${HARBOUR_BOT_TOKEN}/${method}`, { method: "POST", body: form });
  return (await answer.json()) as Answer<T>;
}

export const kindsOf = (updates: readonly Update[]): string[] =>
  updates.flatMap((update) => Object.keys(update).filter((key) => key !== "update_id"));

export const until = (holds: () => boolean | Promise<boolean>) => patiently("the emulator", holds);
