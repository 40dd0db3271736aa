import { afterEach } from "vitest";
import { type RunningTelegram, serveTelegram } from "../../../src/sandbox/telegram/serve.ts";
import { HARBOUR_BOT_TOKEN } from "../../../src/sandbox/telegram/telegram.ts";
import type { Update } from "../../../src/sandbox/telegram/wire.ts";

/** The person with a name of their own at the messenger, and the one with a very large id. */
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

/** Served on a port of its own until the test is over. */
export async function stage(limits = OFF): Promise<
  RunningTelegram & {
    call<T = unknown>(method: string, parameters?: object): Promise<Answer<T>>;
    control(path: string, method: string, body?: unknown): Promise<Response>;
  }
> {
  const served = await serveTelegram({ port: 0, limits });
  running.push(served);
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

export const kindsOf = (updates: readonly Update[]): string[] =>
  updates.flatMap((update) => Object.keys(update).filter((key) => key !== "update_id"));

export async function until(holds: () => boolean | Promise<boolean>, within = 5000): Promise<void> {
  const end = Date.now() + within;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("It did not come to it in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
