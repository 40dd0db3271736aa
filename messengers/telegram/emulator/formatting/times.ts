import { Malformed } from "../refusal.ts";

/** Format of a `date_time`: `r` alone, or `w`, `d` or `D`, `t` or `T`, in this order. */
export function dateFormat(format: string): string | undefined {
  if (!/^(?:r|w?[dD]?[tT]?)$/.test(format)) throw new Malformed("Invalid date-time format specified");
  return format || undefined;
}
