import type { Strings } from "./props.ts";

/** Formats by language and time zone: making one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** A day and time in the account's time zone; in UTC, and saying so, when that is not known. */
export function timeText({ language }: Strings, at: number, timeZone?: string): string {
  const name = `${language} ${timeZone}`;
  const format =
    formats.get(name) ??
    new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
      ...{ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" },
      ...(timeZone ? { timeZone } : { timeZone: "UTC", timeZoneName: "short" }),
    });
  formats.set(name, format);
  return format.format(at);
}
