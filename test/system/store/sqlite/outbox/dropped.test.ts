import { expect, it } from "vitest";
import { customerSays } from "../../../../support/events.ts";
import { roomFor } from "../../../../support/room.ts";
import { oneChannel, takeLease } from "../../../../support/store.ts";

it("a dropped message counts as refused once, whether it was held or dead", async () => {
  const { store, account, channel } = await oneChannel();
  const lease = await takeLease(store, account.id, "test");
  await store.outbox.acceptInbound(channel, { events: ["a", "b"].map((id) => customerSays(id, id, id)) });
  const jobs = await store.outbox.claim(lease, roomFor(10));
  const ends = [
    { state: "held" as const, unsure: 1 },
    { state: "dead" as const, code: "general" as const },
  ];
  for (const [n, job] of jobs.entries()) await store.outbox.failed(job, ends[n] ?? expect.fail(), "no");
  const refs = [
    ...(await store.dead.refs({ state: "held", limit: 9 })),
    ...(await store.dead.refs({ state: "dead", limit: 9 })),
  ];
  expect(await store.dead.drop(refs)).toBe(2);
  expect((await store.ledger(account.id))[0]).toMatchObject({ accepted: 2, refused: 2, waiting: 0, held: 0, hole: 0 });
});
