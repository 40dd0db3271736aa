import { expect, it } from "vitest";
import { createFleet } from "../../../../src/module/vendor/fleet.ts";
import { handClock } from "../../../support/clock.ts";
import { oneChannelOn, SQLITE } from "../../../support/engines.ts";
import { customerSays } from "../../../support/events.ts";
import { addAccount } from "../../../support/store.ts";

const MINUTE_MS = 60_000;

async function fleetOfTwo() {
  const made = await oneChannelOn(SQLITE, { clock: handClock() });
  const { store, clock, channel } = made;
  const aside = await addAccount(store, "aside");
  await store.accounts.setActivity(aside.id, { active: false, frozen: false }, 0);
  const rows = await store.ledger();
  const fleet = createFleet({ store, checked: () => ({ at: clock.now(), rows }) });
  return { ...made, aside, channel, fleet, rows };
}

it("an account whose message is due and does not leave stands before those that are off, once it is five minutes", async () => {
  const { store, clock, channel, account, aside, fleet, rows } = await fleetOfTwo();
  const order = async () => {
    rows.splice(0, rows.length, ...(await store.ledger()));
    return (await fleet.accounts({}))?.accounts.map(({ id }) => id);
  };
  await store.outbox.acceptInbound(channel, { events: [customerSays("m-1", "words", "ann")] });
  clock.leap(4 * MINUTE_MS);
  expect(await order()).toEqual([aside.id, account.id]);
  clock.leap(2 * MINUTE_MS);
  expect(await order()).toEqual([account.id, aside.id]);
});

it("a number that is a message's stands before the messages that contain it", async () => {
  const { store, channel, fleet } = await fleetOfTwo();
  await store.outbox.acceptInbound(channel, { events: [customerSays("m-1", "the first", "ann")] });
  for (const n of [2, 3, 4])
    await store.outbox.acceptInbound(channel, { events: [customerSays(`m-${n}`, `1 and ${n}`, "ann")] });
  const { found } = await fleet.find("1");
  expect(found.map(({ id }) => id)[0]).toBe(1);
  expect(found.length).toBeGreaterThan(1);
});
