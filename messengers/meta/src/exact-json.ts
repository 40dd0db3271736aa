/**
 * Matches whole strings, so that digits in a text do not count as a number; the closing quote is optional, for linear
 * time.
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Integers this long may not survive a double. */
const LONG_INTEGER = /^-?\d{16,}$/;
const LONG_DIGITS = /\d{16}/;

/** JSON.parse, but integers of 16 or more digits become texts: Meta's ids have 64 bits. Throws SyntaxError. */
export function parseExactly(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(TOKEN, (token) => (LONG_INTEGER.test(token) ? `"${token}"` : token)));
}
