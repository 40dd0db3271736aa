const NAMED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
// A numeric reference is at most nine characters long without its semicolon.
const MOST_NUMERIC = 9;

export interface Reference {
  character: string;
  /** Where the text goes on. */
  end: number;
  /** One half of a character that takes two UTF-16 units. */
  isHalf: boolean;
}

/** The character that `&…` at a position stands for; undefined when Telegram leaves it as it is. */
export function referenceAt(text: string, at: number): Reference | undefined {
  const pattern = /&(?:#x([0-9a-f]*)|#(\d*)|([a-z]*))/iy;
  pattern.lastIndex = at;
  const [whole = "", hex, decimal, name = ""] = pattern.exec(text) ?? [];
  const end = at + whole.length + (text.charAt(at + whole.length) === ";" ? 1 : 0);
  if (hex === undefined && decimal === undefined) {
    const character = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
    return character === undefined ? undefined : { character, end, isHalf: false };
  }
  // Only a small x is known to Telegram.
  if (whole.charAt(2) === "X" || whole.length > MOST_NUMERIC) return undefined;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (!(code > 0 && code < 0x10ffff)) return undefined;
  return { character: String.fromCodePoint(code), end, isHalf: code >= 0xd800 && code <= 0xdfff };
}
