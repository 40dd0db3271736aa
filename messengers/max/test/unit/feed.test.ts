import type { FeedBatch } from "gangway-messenger/port";
import { expect, it } from "vitest";
import { fresh, talking } from "./talking.ts";

/** A bot that is polled: with webhooks ended, updates wait at MAX. */
async function polled() {
  const all = await talking({ updates: "polling" });
  const [bot] = all.emulator.world.bots;
  const run = async (most: number, save: (batch: FeedBatch) => Promise<void> = async () => {}) => {
    const batches: FeedBatch[] = [];
    const stop = new AbortController();
    await all.session.feed
      ?.run(async (batch) => {
        await save(batch);
        await all.commit(batch);
        if (batch.events.length > 0) batches.push(batch);
        if (batches.length >= most) stop.abort();
      }, stop.signal)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
    return batches.flatMap(({ events }) => events);
  };
  return { ...all, bot, run };
}

it("brings what customers write, and commits it to MAX only once it is stored", async () => {
  const { emulator, dialog, run, context, bot } = await polled();
  await emulator.customers.says(dialog, { text: "one" });
  await expect(run(1, () => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
  expect(await context.notes.get("cursor")).toBeUndefined();
  const events = await run(1);
  expect(events.map((event) => event.type === "message" && event.content)).toMatchObject([
    { text: "hello" },
    { text: "one" },
  ]);
  expect(JSON.parse((await context.notes.get("cursor")) ?? "")).toMatchObject({ marker: String(bot?.lastMarker) });
  await emulator.customers.says(dialog, { text: "two" });
  expect(await run(1)).toMatchObject([{ content: { text: "two" } }]);
  expect(bot?.queue).toHaveLength(1);
});

it("has the same keys as webhooks, and an update that is none does not stop it", async () => {
  const { bot, emulator, dialog, run } = await polled();
  if (bot) bot.lastMarker += 1;
  bot?.queue.push({ marker: bot.lastMarker, update: { update_type: "message_created", message: "broken" } });
  const { mid } = await emulator.customers.says(dialog, { text: "one" });
  expect((await run(1)).map(({ key }) => key)).toContain(`m:${mid}`);
});

it("says so when another service has subscribed, and goes on once it has gone", async () => {
  const { session, bot, run } = await polled();
  bot?.subscriptions.set("https://elsewhere.example/", { url: "https://elsewhere.example/", time: 1 });
  await expect(session.feed?.run(async () => {}, fresh())).rejects.toMatchObject({
    verdict: { type: "retry" },
    message: expect.stringContaining("another service has subscribed"),
  });
  bot?.subscriptions.clear();
  expect(await run(1)).toHaveLength(1);
});
