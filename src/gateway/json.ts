import { newSecret } from "../domain/ids.ts";

// JavaScript parses every JSON number as a double, but the gateway's ids are int64: beyond 2^53 digits would change silently.

/**
 * Matches whole strings, so that digits inside a string are never taken for a number. The closing quote is optional:
 * otherwise an unterminated string takes quadratic time.
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Integers this long may not survive a double. */
const LONG_INTEGER = /^-?\d{16,}$/;
const LONG_DIGITS = /\d{16}/;
/** Random, so that no customer text can pass for an id. */
const MARK = `int64-${newSecret()}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

/** JSON.parse, but integers of 16 or more digits become strings, and null fields are undefined. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return withoutNulls(JSON.parse(text));
  return withoutNulls(JSON.parse(text.replace(TOKEN, (token) => (LONG_INTEGER.test(token) ? `"${token}"` : token))));
}

/** Sets null fields to undefined, in place: deleted, they would make the object a slow hash table. Without recursion: it may be deep. */
function withoutNulls(body: unknown): unknown {
  const open = [body];
  for (const value of open) {
    if (typeof value !== "object" || value === null) continue;
    const fields = value as Record<string, unknown>;
    for (const name in fields) {
      const field = fields[name];
      if (field === null && !Array.isArray(value)) fields[name] = undefined;
      else if (typeof field === "object") open.push(field);
    }
  }
  return body;
}

/** An id for `writeJson`, which writes a marked one as a bare number of any length. */
export const int64 = (digits: string): string | number =>
  Number.isSafeInteger(Number(digits)) ? Number(digits) : `${MARK}${digits}`;

export function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(MARK) ? text.replace(MARKED, "$1") : text;
}
