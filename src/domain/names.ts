/** Control characters, line ends and invisible characters, except the joiner of emoji. */
const INVISIBLE = /(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const VISIBLE = /[^\s\p{Mn}\p{Cf}]/u;

/** A name in one line; empty if nothing of it is visible. */
export function cleanName(name: string): string {
  const shown = name.replace(INVISIBLE, "").trim();
  return VISIBLE.test(shown) ? shown : "";
}
