import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { customerSays } from "../../support/events.ts";
import { roomFor } from "../../support/room.ts";
import { takeLease } from "../../support/store.ts";

const HOUR_MS = 3_600_000;

describe.each(ENGINES)("on $name", (engine) => {
  it("a clock that was put back makes no wait longer, and no account rest longer", async () => {
    const { clock, store, account, channel, rows } = await oneChannelOn(engine);
    const lease = await takeLease(store, account.id);
    await store.outbox.acceptInbound(channel, { events: [customerSays("a")] });
    const [job] = (await store.outbox.claim(lease, roomFor(1))) as [Job];
    await store.outbox.failed(
      job,
      { state: "ready", runAt: clock.now() + 5_000, countAttempt: true, unsure: 0 },
      "busy",
    );
    await store.accounts.setTrouble(account.id, { text: "no", restUntil: clock.now() + 9_000 });
    clock.setBack(HOUR_MS);
    await store.outbox.rebaseTimers(60_000);
    const now = clock.now();
    expect(await rows("message")).toMatchObject([{ run_at: now + 5_000, updated_at: now, created_at: now }]);
    expect(await rows("account")).toMatchObject([{ rest_until: now + 60_000 }]);
  });

  it("a job is under way until its message, or its lease, is another's", async () => {
    const { store, account, channel } = await oneChannelOn(engine);
    const lease = await takeLease(store, account.id);
    await store.outbox.acceptInbound(channel, { events: [customerSays("a"), customerSays("b", "b", "b")] });
    const [a, b] = (await store.outbox.claim(lease, roomFor(2))) as [Job, Job];
    expect(await store.outbox.revoked([a, b])).toEqual([]);
    await store.outbox.done(a, {});
    expect(await store.outbox.revoked([a, b])).toEqual([a]);
    await store.outbox.takeOver(await takeLease(store, account.id, "next"));
    expect(await store.outbox.revoked([b])).toEqual([b]);
  });
});
