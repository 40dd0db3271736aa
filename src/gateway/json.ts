// Node 20 reads every JSON number as a double, and the gateway's ids are int64: digits past 2^53 would change silently.

/** Numbers this long may not survive a double. */
const LONG_INTEGER = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;
const MARK = "\u0001int64:";
const MARKED = /"\\u0001int64:(-?\d+)"/g;

/** JSON.parse, but integers of 16 digits and more come as strings. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return JSON.parse(text.replace(LONG_INTEGER, (token) => (token.startsWith('"') ? token : `"${token}"`)));
}

/** An id that `writeJson` puts down as a bare number, however long. */
export const int64 = (digits: string): string => `${MARK}${digits}`;

export const writeJson = (value: unknown): string => JSON.stringify(value).replace(MARKED, "$1");
