import { describe, expect, it } from "vitest";
import { calendarOf, healthOf } from "../../../../src/module/health/health.ts";
import { unusualSilence } from "../../../../src/module/health/silence.ts";

const HOUR = 3_600_000;
/** A Monday, noon. */
const NOON = Date.UTC(2026, 10, 23, 12) / HOUR;
type Hours = { hour: number; delivered: number; refused: number }[];
/** `messages` in each hour of the working day, from 9 to 18 o'clock, on the last fourteen days up to `until`. */
const shop = (until: number, messages = 4, isOpen = (_day: number) => true): Hours =>
  Array.from({ length: 15 * 24 }, (_, n) => NOON - 14 * 24 + n)
    .filter((hour) => hour % 24 >= 9 && hour % 24 < 18 && hour < until && isOpen(Math.floor(hour / 24)))
    .map((hour) => ({ hour, delivered: messages, refused: 0 }));
const at = (hour: number) => hour * HOUR + 5;

describe("an unusual silence", () => {
  it("is one at an hour that was busy on every day before; it lasts until the next message", () => {
    const hours = shop(NOON - 2);
    expect(unusualSilence({ hours }, at(NOON))).toBe((NOON - 2) * HOUR);
    expect(unusualSilence({ hours }, at(NOON + 30))).toBe((NOON - 2) * HOUR);
    const again = [...hours, { hour: NOON, delivered: 0, refused: 1 }];
    expect(unusualSilence({ hours: again }, at(NOON))).toBeUndefined();
  });

  it.each<[string, Hours, number]>([
    ["without any message yet", [], NOON],
    ["of an hour", shop(NOON - 1), NOON],
    ["at night", shop(NOON + 6), NOON + 18],
    ["where it is quiet every Sunday", shop(NOON - 2, 4, (day) => day % 7 !== 3), NOON],
    ["of a channel with a message now and then", shop(NOON - 2, 1), NOON],
    ["of a channel of four days", shop(NOON - 2).filter(({ hour }) => hour > NOON - 4 * 24), NOON],
  ])("is none %s", (_, hours, now) => {
    expect(unusualSilence({ hours }, at(now))).toBeUndefined();
  });

  it("is a word of its own, unless there is worse", () => {
    const now = at(NOON);
    const known = {
      account: { active: true, frozen: false } as never,
      channel: { state: "active" as const },
      ledger: { accepted: 9, dueAt: undefined },
      traffic: { channelId: "c" as never, hours: shop(NOON - 2) },
      calendar: calendarOf("UTC", now),
      now,
    };
    expect(healthOf(known)).toMatchObject({ word: "quiet", quietSince: (NOON - 2) * HOUR });
    expect(healthOf({ ...known, channel: { state: "paused" } }).word).toBe("paused");
    expect(healthOf({ ...known, traffic: { ...known.traffic, hours: shop(NOON) } }).word).toBe("working");
  });
});
