import { type Arguments, UsageError } from "./command.ts";

// Option values. Each function throws UsageError.

/** A positive whole number. */
export function countIn(given: Arguments, option: string): number | undefined {
  const text = given.text(option);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--${option} should be a positive whole number, not "${text}"`);
  return Number(text);
}

/** Message ids: `--id 5 --id 7`, or `--id 5,7`. */
export function idsIn(given: Arguments): number[] | undefined {
  return given
    .texts("id")
    ?.flatMap((text) => text.split(","))
    .map((text) => idOf(text.trim()));
}

export function idOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`"${text}" is not a message id`);
  return Number(text);
}

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const TIME_HELP = "a time such as 2026-01-31, 2026-01-31T14:30Z, or 12h for 12 hours ago (m, h, d)";

/** A point in time, ms; `2026-01-31` is midnight UTC. */
export function timeIn(given: Arguments, option: string, now: number): number | undefined {
  const text = given.text(option);
  if (text === undefined) return undefined;
  const [, number, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (number && unit) return now - Number(number) * (UNIT_MS[unit] ?? 0);
  const time = isDay(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new UsageError(`--${option} should be ${TIME_HELP}, not "${text}"`);
  return time;
}

/** Whether the text begins with a valid date: Date.parse reads February 31 as March 3. */
function isDay(text: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const midnight = day === undefined ? Number.NaN : Date.parse(day);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(`${day}T`);
}

/** `--from` and `--to`, ms. */
export function spanIn(given: Arguments, now: number): { from?: number; to?: number } {
  const [from, to] = [timeIn(given, "from", now), timeIn(given, "to", now)];
  if (from !== undefined && to !== undefined && from > to) throw new UsageError("--from should be before --to");
  return { from, to };
}

export const timeOption = (help: string) => ({
  value: "time",
  help: `${help}: 2026-01-31, 2026-01-31T14:30Z, or 12h for 12 hours ago`,
});
