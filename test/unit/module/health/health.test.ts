import { describe, expect, it } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import { calendarOf, type Health, healthOf, type Known } from "../../../../src/module/health/health.ts";

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 2, 30, 1, 30);
const account = { active: true, frozen: false } as Account;
const known = (change: Partial<Known>): Known => ({
  account,
  channel: { state: "active" },
  ledger: { accepted: 1, dueAt: undefined },
  calendar: calendarOf((change.account ?? account).timeZone, NOW),
  now: NOW,
  ...change,
});

const HOUR = NOW / 3_600_000;
const ended = (delivered: number, refused: number, hoursAgo = 0) => ({
  ...{ hour: Math.floor(HOUR) - hoursAgo, delivered, refused },
});
const traffic = (...hours: ReturnType<typeof ended>[]) => ({ channelId: "c" as never, hours });
/** A message in every hour of two weeks, but for the last ones. */
const hushed = traffic(...Array.from({ length: 14 * 24 }, (_, n) => ended(3, 0, 14 * 24 + 3 - n)));

/** Each fact, the worst first. */
const FACTS: [Health["word"], Partial<Known>][] = [
  ["stopped", { channel: { state: "stopped", trouble: "token" } }],
  ["paused", { channel: { state: "paused" } }],
  ["failing", { traffic: traffic(ended(10, 200)) }],
  ["troubled", { channel: { state: "active", trouble: "no webhook" } }],
  ["off", { account: { ...account, frozen: true } }],
  ["slow", { ledger: { accepted: 5, dueAt: NOW - 6 * MINUTE } }],
  ["quiet", { traffic: hushed }],
  ["new", { ledger: undefined }],
];

describe("how a channel is", () => {
  it.each(FACTS)("is the worst that holds: %s", (word, change) => {
    expect(healthOf(known(change)).word).toBe(word);
    const worse = FACTS.findIndex(([name]) => name === word);
    for (const [, milder] of FACTS.slice(worse)) expect(healthOf(known({ ...milder, ...change })).word).toBe(word);
  });

  it.each<[string, Partial<Known>]>([
    ["working", {}],
    ["working", { ledger: { accepted: 5, dueAt: NOW - 4 * MINUTE } }],
    ["new", { ledger: { accepted: 0 } }],
    ["troubled", { isUnreadable: true }],
    ["paused", { channel: { state: "paused", trouble: "no webhook" } }],
    ["paused", { account: { ...account, frozen: true, pauseReason: "unpaid" } }],
    ["off", { account: { ...account, active: false }, ledger: { accepted: 5, dueAt: NOW - 6 * MINUTE } }],
    ["stopped", { account: { ...account, active: false }, channel: { state: "stopped", trouble: "token" } }],
  ])("is one word: %s", (word, change) => {
    expect(healthOf(known(change)).word).toBe(word);
  });

  it("says since when the oldest message waits", () => {
    const dueAt = NOW - 6 * MINUTE;
    expect(healthOf(known({ ledger: { accepted: 1, dueAt } })).waitsSince).toBe(dueAt);
  });
});

describe("a channel that fails", () => {
  it.each<[string, { failed: number; ended: number } | undefined, ReturnType<typeof ended>[]]>([
    ["most of many", { failed: 200, ended: 210 }, [ended(10, 200)]],
    ["one in four", { failed: 10, ended: 40 }, [ended(30, 10)]],
    ["fewer than one in four", undefined, [ended(31, 10)]],
    ["all of ten", { failed: 10, ended: 10 }, [ended(0, 10)]],
    ["three, and none arrived", { failed: 3, ended: 3 }, [ended(0, 3)]],
    ["two, which is too few to judge by", undefined, [ended(0, 2)]],
    ["most of a few, which is too few to judge by", undefined, [ended(1, 8)]],
    ["spread over the day", { failed: 12, ended: 13 }, [ended(0, 6, 23), ended(1, 6, 2)]],
    ["more than a day ago", undefined, [ended(0, 200, 24), ended(9, 0)]],
    ["until it was put right", undefined, [ended(0, 200, 2), ended(50, 0)]],
    ["and was put right only now", { failed: 200, ended: 249 }, [ended(0, 200, 2), ended(49, 0)]],
    ["nothing", undefined, []],
  ])("is seen by what ended lately: %s", (_, failing, hours) => {
    const { failing: found } = healthOf(known({ traffic: traffic(...hours) }));
    expect(found && { failed: found.failed, ended: found.ended }).toEqual(failing);
  });

  it("has failed since the first of the hours that count, if one failed in it", () => {
    const since = (...hours: ReturnType<typeof ended>[]) =>
      healthOf(known({ traffic: traffic(...hours) })).failing?.since;
    const hour = 3_600_000;
    const thisHour = NOW - (NOW % hour);
    expect(since(ended(0, 6, 23), ended(1, 6, 2))).toBe(thisHour - 23 * hour);
    expect(since(ended(0, 9, 23), ended(9, 0, 5), ended(10, 200, 2), ended(0, 1))).toBe(thisHour - 2 * hour);
  });

  it("says its figures also under a worse word", () => {
    const health = healthOf(known({ channel: { state: "stopped" }, traffic: traffic(ended(10, 200)) }));
    expect(health).toMatchObject({ word: "stopped", failing: { failed: 200, ended: 210 } });
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
