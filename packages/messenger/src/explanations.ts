import { type InLanguages, type Language, messageOf } from "./language.ts";

// What went wrong is stored and logged in English. Readers get it in their language.

/** ICU messages: an English text, with `{placeholders}` for what differs, and its translations. `stored`: where readers of English get another text. */
export type Explanation = InLanguages<string> & { stored?: string };

/** The text in the reader's language. One that no explanation fits, such as another system's, stays as it is. */
export type Explain = (text: string, language: Language) => string;

/** An exact match comes before one with placeholders, which may be another messenger's; otherwise the first match. */
export function createExplain(explanations: readonly Explanation[]): Explain {
  const isWhole = ({ en, stored = en }: Explanation) => stored.search(PLACEHOLDER) < 0;
  const ordered = [...explanations.filter(isWhole), ...explanations.filter((each) => !isWhole(each))];
  const known = ordered.map((words) => ({
    pattern: patternOf(words.stored ?? words.en),
    tell: { en: messageOf(words.en, "en"), es: messageOf(words.es, "es"), ru: messageOf(words.ru, "ru") },
  }));
  const explain: Explain = (text, language) => {
    if (text.length > MAX_LENGTH) return text;
    for (const { pattern, tell } of known) {
      const found = pattern.exec(text);
      if (!found) continue;
      // A placeholder may hold another explanation, as a reason does.
      const told = Object.entries(found.groups ?? {}).map(([name, value]) => [
        name,
        countIn(value) ?? explain(value, language),
      ]);
      return tell[language](Object.fromEntries(told));
    }
    return text;
  };
  return explain;
}

/** Plurals need numbers. */
const countIn = (value: string): number | undefined => (/^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : undefined);

/** Longer texts are not ours, UTF-16 units. */
const MAX_LENGTH = 1_000;
const PLACEHOLDER = /\{(\w+)\}/g;

function patternOf(english: string): RegExp {
  const literal = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(PLACEHOLDER, "(?<$1>.+)")}$`, "s");
}
