import { expect, it } from "vitest";
import { handClock } from "../../../support/clock.ts";
import { addAccount, temporaryStore } from "../../../support/store.ts";

const HOUR_MS = 3_600_000;

it("a session ends after twelve idle hours, however long it has been used", async () => {
  const clock = handClock();
  const store = await temporaryStore(clock);
  const account = await addAccount(store);
  const token = await store.webSessions.start(account.id);
  const isOpen = async () => (await store.webSessions.byToken(token))?.accountId === account.id;
  for (let hour = 0; hour < 30; hour += 6) {
    clock.leap(6 * HOUR_MS);
    expect(await isOpen()).toBe(true);
  }
  clock.leap(12 * HOUR_MS);
  expect(await isOpen()).toBe(false);
  expect(await isOpen()).toBe(false);
});

it("looking on is no use: the session ends when it would have", async () => {
  const clock = handClock();
  const store = await temporaryStore(clock);
  const account = await addAccount(store);
  const token = await store.webSessions.start(account.id);
  clock.leap(7 * HOUR_MS);
  expect(await store.webSessions.byToken(token, false)).toMatchObject({ accountId: account.id });
  clock.leap(6 * HOUR_MS);
  expect(await store.webSessions.byToken(token)).toBeUndefined();
});
