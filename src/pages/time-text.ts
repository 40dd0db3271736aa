import { dateFormat } from "../domain/formats.ts";
import type { Strings } from "./props.ts";

/** A day and time in the account's time zone; in UTC, and saying so, when that is not known. */
export const timeText = ({ language }: Strings, at: number, timeZone?: string): string =>
  dateFormat(language, {
    ...{ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" },
    ...(timeZone ? { timeZone } : { timeZone: "UTC", timeZoneName: "short" }),
  }).format(at);
