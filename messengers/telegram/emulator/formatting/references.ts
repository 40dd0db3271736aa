const NAMED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
// Longest numeric reference without its semicolon, characters.
const MAX_NUMERIC = 9;

export interface Reference {
  character: string;
  /** Offset after the reference. */
  end: number;
  /** A lone surrogate. */
  isHalf: boolean;
}

/** The character reference at this offset; undefined if Telegram keeps it as text. */
export function referenceAt(text: string, at: number): Reference | undefined {
  const pattern = /&(?:#x([0-9a-f]*)|#(\d*)|([a-z]*))/iy;
  pattern.lastIndex = at;
  const [whole = "", hex, decimal, name = ""] = pattern.exec(text) ?? [];
  const end = at + whole.length + (text.charAt(at + whole.length) === ";" ? 1 : 0);
  if (hex === undefined && decimal === undefined) {
    const character = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
    return character === undefined ? undefined : { character, end, isHalf: false };
  }
  // Telegram knows only a lower-case x.
  if (whole.charAt(2) === "X" || whole.length > MAX_NUMERIC) return undefined;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (!(code > 0 && code < 0x10ffff)) return undefined;
  return { character: String.fromCodePoint(code), end, isHalf: code >= 0xd800 && code <= 0xdfff };
}
