/** A noncharacter of Unicode: no program exchanges it. */
const MARK = "\uFDD0";
const NUL = "\0";
const UNFIT = new RegExp(`[${NUL}${MARK}]`, "g");

/** PostgreSQL's texts hold no NUL: it is stored as a mark and 0, and the mark itself, should a text have it, as a mark and 1. */
export const storedText = (text: string): string =>
  text.includes(NUL) || text.includes(MARK) ? text.replace(UNFIT, (found) => MARK + (found === NUL ? 0 : 1)) : text;

/** The reverse. */
export const readText = (stored: string): string =>
  stored.includes(MARK) ? stored.replace(/\uFDD0([01])/g, (_, which) => (which === "0" ? NUL : MARK)) : stored;

export const storedValue = (value: unknown): unknown => (typeof value === "string" ? storedText(value) : value);
