/** JSON.parse, but integers that a double cannot hold become texts: MAX's ids have 64 bits. Throws SyntaxError. */
export const parseExactly = (text: string): unknown => JSON.parse(text, exact as Reviver);

type Reviver = (key: string, value: unknown) => unknown;

function exact(_: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value) || !source) return value;
  return /^-?\d+$/.test(source) ? source : value;
}
