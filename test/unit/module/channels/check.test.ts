import { DeliveryError } from "gangway-messenger/errors";
import telegram from "gangway-telegram";
import { expect, it } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import { createChannelCheck } from "../../../../src/module/channels/check.ts";
import type { Sessions } from "../../../../src/relay/sessions/sessions.ts";
import { handClock } from "../../../support/clock.ts";
import { BOT_TOKEN } from "../../../support/telegram.ts";

it("of an account asks the messenger twenty times at once, then four times a second; the rest learns nothing", async () => {
  const clock = handClock();
  let asked = 0;
  const identify = async () => {
    asked += 1;
    return { id: "telegram:1", name: "@harbour_bot" };
  };
  const sessions = { adapter: () => telegram, peek: () => ({ identify }) } as unknown as Sessions;
  const check = createChannelCheck({ sessions, clock });
  const form = { name: "", settings: { token: BOT_TOKEN } };
  const by = (id: string) => check({ id } as Account, "telegram", form, new AbortController().signal);
  const all = Array.from({ length: 1_000 }, () => by("a"));
  await clock.forward(0);
  expect(asked).toBe(20);
  // Another account does not wait for it.
  expect(await by("b")).toEqual({ name: "@harbour_bot" });
  await clock.forward(1_000);
  expect(asked).toBe(25);
  await clock.forward(60_000);
  expect((await Promise.all(all)).filter(({ name } = {}) => name === undefined)).toHaveLength(960);
});

it("of an account waits ten seconds for the messenger, and says then that it has not answered", async () => {
  const clock = handClock();
  const identify = (signal: AbortSignal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new DeliveryError({ type: "retry" }, "no answer")));
    });
  const sessions = { adapter: () => telegram, peek: () => ({ identify }) } as unknown as Sessions;
  const form = { name: "", settings: { token: BOT_TOKEN } };
  let found: unknown;
  void createChannelCheck({ sessions, clock })(
    { id: "a" } as Account,
    "telegram",
    form,
    new AbortController().signal,
  ).then((checked) => {
    found = checked;
  });
  await clock.forward(9_000);
  expect(found).toBeUndefined();
  await clock.forward(2_000);
  expect(found).toEqual({ fault: { code: "no-messenger", detail: "no answer" } });
});
