import { expect, it } from "vitest";
import { oneChannelOn, POSTGRES } from "../../../../support/engines.ts";

const HOUR_MS = 3_600_000;

it("sums that any process has moved are recorded by the hour, and old hours go", async () => {
  const { store, clock, account, channel, rows, change } = await oneChannelOn(POSTGRES);
  const hour = () => Math.floor(clock.now() / HOUR_MS);
  const hours = async () => (await store.traffic.of(account.id))[0]?.hours;
  const move = (delivered: number, refused: number) =>
    change(`INSERT INTO tally (channel_id, account_id, messages_delivered, messages_refused, last_inbound_at)
      VALUES ('${channel.id}', '${account.id}', ${delivered}, ${refused}, ${clock.now()})
      ON CONFLICT (channel_id) DO UPDATE SET messages_delivered = tally.messages_delivered + ${delivered},
        messages_refused = tally.messages_refused + ${refused}`);
  const [first, firstAt] = [hour(), clock.now()];
  await move(3, 1);
  expect(await hours()).toEqual([{ hour: first, delivered: 3, refused: 1 }]);
  await store.traffic.record();
  await store.traffic.record();
  expect(await rows("traffic")).toHaveLength(1);
  clock.leap(5 * HOUR_MS);
  await move(2, 0);
  await store.traffic.record();
  expect(await hours()).toEqual([
    { hour: first, delivered: 3, refused: 1 },
    { hour: first + 5, delivered: 2, refused: 0 },
  ]);
  clock.leap(20 * 24 * HOUR_MS);
  await move(1, 0);
  await store.traffic.record();
  expect(await hours()).toEqual([{ hour: hour(), delivered: 1, refused: 0 }]);
  // The newest of the old ones stays: the next sums start from it.
  expect(await rows("traffic")).toHaveLength(2);
  expect(await store.traffic.of(account.id)).toMatchObject([{ lastInboundAt: firstAt }]);
});
