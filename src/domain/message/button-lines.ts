import type { MarkedText } from "../channel/card.ts";
import { buttonLine } from "../text/links.ts";
import type { Suggestion } from "./message.ts";

/** `hasFile`: they may stand under a file. */
export type AsLines = (suggestions: Suggestion[], text: string, hasFile: boolean) => Suggestion[];

/** As in `Capabilities`. */
interface ButtonRules {
  exclusive?(suggestion: Suggestion): boolean;
  asLines?: AsLines;
}

/** Moves suggestions into the text if they cannot be combined or do not fit. Before the split: it may add a message. */
export function withLinkLines(
  words: MarkedText,
  suggestions: Suggestion[],
  { exclusive = () => false, asLines = () => [] }: ButtonRules,
  hasFile: boolean,
) {
  if (suggestions.length === 0) return { words, suggestions };
  const keys = suggestions.filter((each) => !exclusive(each));
  const isMixed = keys.length > 0 && keys.length < suggestions.length;
  const alone = isMixed ? keys : suggestions;
  const unfit = asLines(alone, words.text, hasFile);
  const lines = suggestions.filter((each) => !alone.includes(each) || unfit.includes(each));
  if (lines.length === 0) return { words, suggestions };
  const text = [words.text, ...lines.map(buttonLine)].filter(Boolean).join("\n");
  return { words: { ...words, text }, suggestions: alone.filter((each) => !unfit.includes(each)) };
}
