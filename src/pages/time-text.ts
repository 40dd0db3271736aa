import { dateFormat } from "gangway-messenger/language";
import type { Strings } from "./props.ts";

const zoneOf = (timeZone: string | undefined) =>
  timeZone ? { timeZone } : ({ timeZone: "UTC", timeZoneName: "short" } as const);

/** A date and time in the account's time zone; in UTC, labelled as such, if the zone is unknown. */
export const timeText = ({ language }: Strings, at: number, timeZone?: string): string =>
  dateFormat(language, {
    ...{ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" },
    ...zoneOf(timeZone),
  }).format(at);

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** How long ago something was, in the largest unit that fits: "2 min. ago", "yesterday". */
export function agoText({ language }: Strings, ms: number): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? ["second", Number.POSITIVE_INFINITY];
  return format.format(-Math.floor(ms / length), unit);
}

/** A time of day to the second, in the same zone as `timeText`. */
export const clockText = ({ language }: Strings, at: number, timeZone?: string): string =>
  dateFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", ...zoneOf(timeZone) }).format(at);
