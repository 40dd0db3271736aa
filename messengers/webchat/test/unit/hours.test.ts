import { describe, expect, it } from "vitest";
import { isTimeZone, presenceAt, spansIn } from "../../src/hours.ts";

const at = (text: string) => Date.parse(text);
const WEEKDAYS = ["mon-fri 9:00-18:00"];

describe("opening hours", () => {
  it.each([
    ["always, without lines", [], "UTC", "2026-11-29T03:00:00Z", true, undefined],
    ["on a weekday", WEEKDAYS, "UTC", "2026-11-27T12:00:30Z", true, "2026-11-27T18:00:00Z"],
    ["before they begin", WEEKDAYS, "UTC", "2026-11-27T08:59:00Z", false, "2026-11-27T09:00:00Z"],
    ["not at the weekend", WEEKDAYS, "UTC", "2026-11-28T12:00:00Z", false, "2026-11-30T09:00:00Z"],
    ["by the shop's clock", WEEKDAYS, "Asia/Tokyo", "2026-11-27T08:30:00Z", true, "2026-11-27T09:00:00Z"],
    ["past midnight", ["sat 20:00-2:00"], "UTC", "2026-11-29T01:00:00Z", true, "2026-11-29T02:00:00Z"],
    ["over the end of a week", ["sat-sun 0:00-24:00"], "UTC", "2026-11-28T23:59:00Z", true, "2026-11-30T00:00:00Z"],
    ["when clocks go back", WEEKDAYS, "Europe/Madrid", "2026-10-24T12:00:00Z", false, "2026-10-26T08:00:00Z"],
    ["when clocks go forward", WEEKDAYS, "Europe/Madrid", "2026-03-28T12:00:00Z", false, "2026-03-30T07:00:00Z"],
    [
      "from an hour left out",
      ["sun 2:30-18:00"],
      "Europe/Madrid",
      "2026-03-28T23:00:00Z",
      false,
      "2026-03-29T01:30:00Z",
    ],
  ])("are %s", (_, lines, zone, now, open, changes) => {
    const changesAt = changes === undefined ? undefined : at(changes);
    expect(presenceAt(lines, zone, at(now))).toEqual(changesAt === undefined ? { open } : { open, changesAt });
  });

  it.each(["mon", "mon 25:00-26:00", "xyz 9:00-18:00", "mon 9:70-18:00", "9:00-18:00", ""])("are not %j", (line) => {
    expect(spansIn(line)).toBeUndefined();
  });

  it("know time zones", () => {
    expect(["UTC", "Europe/Madrid", "Europe/Atlantis", ""].map(isTimeZone)).toEqual([true, true, false, false]);
  });
});
