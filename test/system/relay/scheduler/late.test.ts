import { expect, it } from "vitest";
import type { Postponed } from "../../../../src/domain/delivery.ts";
import type { Outcome } from "../../../../src/store/outbox.ts";
import { customerSays } from "../../../support/events.ts";
import { oneChannel } from "../../../support/store.ts";
import { working } from "../../../support/worker.ts";

it("a job that becomes due while its account is looked at starts then, not at the next sweep", async () => {
  const { clock, store, account, channel } = await oneChannel();
  const { outbox } = store;
  let tries = 0;
  const nextDue: typeof outbox.nextDue = (id) => {
    const next = outbox.nextDue(id);
    // The millisecond passes between the store's reading of the clock and that of the turns.
    if (tries === 1 && next.later === clock.now() + 1) clock.leap(1);
    return next;
  };
  const perform = async (): Promise<Outcome | Postponed> => {
    tries += 1;
    return tries === 1 ? { postponedMs: 1 } : {};
  };
  const { worker } = await working({ clock, store: { ...store, outbox: { ...outbox, nextDue } }, perform });
  await clock.forward(1_000);
  await outbox.acceptInbound(channel, { events: [customerSays("m")] });
  worker.wake(account.id);
  await clock.forward(0);
  expect(tries).toBe(2);
});
