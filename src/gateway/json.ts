import { newSecret } from "../domain/ids.ts";

// Node 20 reads every JSON number as a double, and the gateway's ids are int64: digits past 2^53 would change silently.

/**
 * A string or a number, whole, so that digits inside a text are never taken for a number. The closing quote is
 * optional: a string that never ends would otherwise be searched again from each quote in it, in quadratic time.
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Integers this long may not survive a double. */
const LONG_INTEGER = /^-?\d{16,}$/;
/** Random, so that no customer's text can pass for an id. */
const MARK = `int64-${newSecret()}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

/** JSON.parse, but integers of 16 digits and more come as strings. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return JSON.parse(text.replace(TOKEN, (token) => (LONG_INTEGER.test(token) ? `"${token}"` : token)));
}

/** An id that `writeJson` puts down as a bare number, however long. */
export const int64 = (digits: string): string => `${MARK}${digits}`;

export const writeJson = (value: unknown): string => JSON.stringify(value).replace(MARKED, "$1");
