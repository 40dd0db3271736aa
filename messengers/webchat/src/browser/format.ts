import type { Money } from "./protocol.ts";
import { strings } from "./strings/strings.ts";

export interface Format {
  locale: string | undefined;
  time(at: number): string;
  day(at: number): string;
  /** Date and time. */
  moment(at: number): string;
  /** Weekday and time. */
  soon(at: number): string;
  size(bytes: number): string;
  money(amount: Money): string;
  number(value: number): string;
  minutes(count: number): string;
}

const MIB = 1024 * 1024;
const HOUR = 60;
const DAY = 24 * HOUR;

/** Formats times and sizes. An unknown language falls back to the browser's. */
export function formatIn(language: string | undefined): Format {
  let locale: string | undefined;
  try {
    locale = language ? Intl.getCanonicalLocales(language)[0] : undefined;
  } catch {
    locale = undefined;
  }
  const date = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);
  const clock = date({ hour: "2-digit", minute: "2-digit" });
  const day = date({ weekday: "long", day: "numeric", month: "long" });
  const moment = date({ dateStyle: "medium", timeStyle: "short" });
  const soon = date({ weekday: "long", hour: "2-digit", minute: "2-digit" });
  const unit = (name: string, maximumFractionDigits: number) =>
    new Intl.NumberFormat(locale, { style: "unit", unit: name, maximumFractionDigits });
  const [megabytes, kilobytes] = [unit("megabyte", 1), unit("kilobyte", 0)];
  const number = new Intl.NumberFormat(locale);
  const isToday = (at: number) => new Date(at).toDateString() === new Date().toDateString();
  return {
    locale,
    time: (at) => clock.format(at),
    day: (at) => (isToday(at) ? strings.today : day.format(at)),
    moment: (at) => moment.format(at),
    soon: (at) => (isToday(at) ? clock : soon).format(at),
    size: (bytes) => (bytes >= MIB ? megabytes.format(bytes / MIB) : kilobytes.format(Math.max(1, bytes / 1024))),
    money: (amount) => moneyIn(locale, amount),
    number: (value) => number.format(value),
    minutes: (count) => {
      if (count < HOUR) return unit("minute", 0).format(count);
      return count < DAY ? unit("hour", 0).format(count / HOUR) : unit("day", 0).format(count / DAY);
    },
  };
}

/** With the currency's symbol and its usual decimals; an unknown code is shown as is. */
function moneyIn(locale: string | undefined, { value, currency }: Money): string {
  try {
    const style = { style: "currency", currency, currencyDisplay: "narrowSymbol" } as const;
    return new Intl.NumberFormat(locale, style).format(value);
  } catch {
    return `${value} ${currency}`;
  }
}
