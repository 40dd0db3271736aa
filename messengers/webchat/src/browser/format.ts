import { strings } from "./strings.ts";

export interface Format {
  locale: string | undefined;
  time(at: number): string;
  day(at: number): string;
  size(bytes: number): string;
}

const MIB = 1024 * 1024;

/** Formats times and sizes. An unknown language falls back to the browser's. */
export function formatIn(language: string | undefined): Format {
  let locale: string | undefined;
  try {
    locale = language ? Intl.getCanonicalLocales(language)[0] : undefined;
  } catch {
    locale = undefined;
  }
  const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
  const unit = (name: string, maximumFractionDigits: number) =>
    new Intl.NumberFormat(locale, { style: "unit", unit: name, maximumFractionDigits });
  const [megabytes, kilobytes] = [unit("megabyte", 1), unit("kilobyte", 0)];
  return {
    locale,
    time: (at) => clock.format(at),
    day: (at) => (new Date(at).toDateString() === new Date().toDateString() ? strings.today : day.format(at)),
    size: (bytes) => (bytes >= MIB ? megabytes.format(bytes / MIB) : kilobytes.format(Math.max(1, bytes / 1024))),
  };
}
