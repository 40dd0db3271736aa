import { describe, expect, it } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import { calendarOf, healthOf, type Known } from "../../../../src/module/health/health.ts";

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 2, 30, 1, 30);
const account = { active: true, frozen: false } as Account;
const known = (change: Partial<Known>): Known => ({
  account,
  channel: { state: "active" },
  ledger: { accepted: 1, oldestAt: undefined },
  calendar: calendarOf((change.account ?? account).timeZone, NOW),
  now: NOW,
  ...change,
});

describe("how a channel is", () => {
  it.each<[string, Partial<Known>]>([
    ["working", {}],
    ["working", { ledger: { accepted: 5, oldestAt: NOW - 4 * MINUTE } }],
    ["slow", { ledger: { accepted: 5, oldestAt: NOW - 6 * MINUTE } }],
    ["new", { ledger: undefined }],
    ["troubled", { channel: { state: "active", trouble: "no webhook" }, ledger: { accepted: 0, oldestAt: 1 } }],
    ["stopped", { channel: { state: "stopped", trouble: "token" } }],
    ["off", { account: { ...account, frozen: true }, channel: { state: "stopped", trouble: "token" } }],
  ])("is one word: %s", (word, change) => {
    expect(healthOf(known(change)).word).toBe(word);
  });

  it("says since when the oldest message waits", () => {
    const oldestAt = NOW - 6 * MINUTE;
    expect(healthOf(known({ ledger: { accepted: 1, oldestAt } })).waitsSince).toBe(oldestAt);
  });
});

describe("the days of a channel", () => {
  const hoursAt = (...times: number[]) => times.map((at) => ({ hour: at / 3_600_000, delivered: 2, refused: 1 }));
  const daysIn = (timeZone: string | undefined, ...times: number[]) =>
    healthOf(
      known({ account: { ...account, timeZone }, traffic: { channelId: "c" as never, hours: hoursAt(...times) } }),
    ).days;

  it("are fourteen, today last, in the account's time zone", () => {
    const at = Date.UTC(2026, 2, 29, 23);
    const [utc, madrid, lima] = ["UTC", "Europe/Madrid", "America/Lima"].map((zone) => daysIn(zone, at));
    for (const days of [utc, madrid, lima]) expect(days?.length).toBe(14);
    expect(utc?.slice(-2)).toEqual([
      { day: "2026-03-29", delivered: 2, failed: 1 },
      { day: "2026-03-30", delivered: 0, failed: 0 },
    ]);
    expect(madrid?.at(-1)).toEqual({ day: "2026-03-30", delivered: 2, failed: 1 });
    expect(lima?.at(-1)).toEqual({ day: "2026-03-29", delivered: 2, failed: 1 });
    expect(daysIn(undefined, at)).toEqual(utc);
  });

  it("skip none when the clocks change, and leave out what is older", () => {
    const days = daysIn("Europe/Madrid", Date.UTC(2026, 2, 1));
    expect(new Set(days.map(({ day }) => day)).size).toBe(14);
    expect(days[0]?.day).toBe("2026-03-17");
    expect(days.every(({ delivered }) => delivered === 0)).toBe(true);
    for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kolkata"])
      expect(daysIn(zone).map(({ day }) => day)).toEqual([...new Set(daysIn(zone).map(({ day }) => day))]);
  });
});
