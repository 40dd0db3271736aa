import { describe, expect, it } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import { DEFAULT_BOUNDS } from "../../../../src/domain/delivery.ts";
import { createPausing } from "../../../../src/module/vendor/pausing.ts";
import { oneChannel } from "../../../support/store.ts";

async function setUp() {
  const { store, account, channel, clock } = await oneChannel();
  const resumed: (string | undefined)[] = [];
  const server = { limits: { calls: 32, callsPerAccount: 8 }, bounds: { ...DEFAULT_BOUNDS, all: 5_000 } };
  const pausing = createPausing({
    ...{ store, through: "console", server },
    resumed: ({ id, pauseReason }) => void resumed.push(`${id} ${pauseReason}`),
  });
  const now = async () => (await store.accounts.byId(account.id)) as Account;
  return { store, account, channel, clock, pausing, resumed, now };
}

describe("pausing by the vendor", () => {
  it("needs a reason that a merchant can be shown, and says when it was paused", async () => {
    const { pausing, account, channel, now, clock } = await setUp();
    expect(await pausing.pause({ account }, " ")).toEqual({ ok: false, fault: expect.stringContaining("needed") });
    expect(await pausing.since({ account })).toBeUndefined();
    clock.leap(5_000);
    expect(await pausing.pause({ account }, "  unpaid ")).toEqual({ ok: true, changed: true });
    expect((await now()).pauseReason).toBe("unpaid");
    const at = clock.now();
    clock.leap(5_000);
    expect(await pausing.pause({ account }, "unpaid")).toEqual({ ok: true, changed: false });
    await pausing.pause({ account, channel }, "spam");
    expect([await pausing.since({ account }), await pausing.since({ account, channel })]).toEqual([at, clock.now()]);
  });

  it("lets what waits go on only when something was resumed", async () => {
    const { pausing, account, channel, resumed } = await setUp();
    expect(await pausing.resume({ account })).toEqual({ ok: true, changed: false });
    await pausing.pause({ account }, "unpaid");
    await pausing.pause({ account, channel }, "spam");
    expect(resumed).toEqual([]);
    expect(await pausing.resume({ account, channel })).toEqual({ ok: true, changed: true });
    expect(await pausing.resume({ account })).toEqual({ ok: true, changed: true });
    expect(resumed).toEqual([`${account.id} unpaid`, `${account.id} undefined`]);
  });

  it("finds an account, and a channel only in its own account", async () => {
    const { pausing, account, channel } = await setUp();
    expect(await pausing.find(account.id)).toMatchObject({ account: { id: account.id } });
    expect(await pausing.find(account.id, channel.id)).toMatchObject({ channel: { id: channel.id } });
    expect(await pausing.find("other" as never)).toBeUndefined();
    expect(await pausing.find("other" as never, channel.id)).toBeUndefined();
    expect(await pausing.find(account.id, "other" as never)).toBeUndefined();
  });

  it("sets limits within the server's, one by one, and refuses others in words and changes nothing", async () => {
    const { pausing, account, now } = await setUp();
    expect(pausing.ranges).toEqual({
      calls: { min: 1, max: 16, usual: 8 },
      jobs: { min: 10, max: 10_000, usual: 10_000 },
    });
    expect(await pausing.limit(account, { calls: " 16 ", jobs: "10" })).toEqual({
      ok: true,
      limits: { calls: 16, jobs: 10 },
    });
    for (const calls of ["0", "17", "-1", "1.5", "many", "1e1", "0x9"])
      expect(await pausing.limit(account, { calls }), calls).toEqual({
        ...{ ok: false, name: "calls", fault: "Calls: a whole number from 1 to 16, or default" },
      });
    expect(await pausing.limit(account, { calls: "4", jobs: "10001" })).toMatchObject({ ok: false, name: "jobs" });
    expect((await now()).limits).toEqual({ calls: 16, jobs: 10 });
    expect(await pausing.limit(account, { calls: "default" })).toEqual({ ok: true, limits: { jobs: 10 } });
    expect(await pausing.limit(account, { jobs: "" })).toEqual({ ok: true, limits: {} });
  });
});
