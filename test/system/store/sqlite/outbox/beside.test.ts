import { expect, it } from "vitest";
import type { Job } from "../../../../../src/domain/delivery.ts";
import { openStore } from "../../../../../src/store/open.ts";
import { customerSays } from "../../../../support/events.ts";
import { roomFor } from "../../../../support/room.ts";
import { KEY_RING, oneChannel, takeLease } from "../../../../support/store.ts";

it("goes on with what another process sent again while the head of its lane was under way", async () => {
  const { clock, folder, store, account, channel } = await oneChannel();
  const lease = await takeLease(store, account.id, "test");
  const claim = () => store.outbox.claim(lease, roomFor(10));
  await store.outbox.acceptInbound(channel, { events: [customerSays("a"), customerSays("b")] });
  const [first] = (await claim()) as [Job];
  await store.outbox.failed(first, { state: "dead", code: "general" }, "no");
  const [second] = (await claim()) as [Job];
  const beside = await openStore({ folder, keyRing: KEY_RING, clock, shared: true });
  expect(await beside.outbox.sendAgain(account.id, first.id, 1_000)).toBe(true);
  beside.close();
  expect(await claim()).toEqual([]);
  await store.outbox.done(second, {});
  expect((await claim()).map(({ task }) => task)).toEqual([first.task]);
});
