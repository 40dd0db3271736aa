/** Languages of the pages, and of what the module itself writes to customers and agents. */
export const LANGUAGES = ["en", "es", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The same texts in every language. */
export type InLanguages<Words> = Record<Language, Words>;

/** By a language tag such as "es-MX"; undefined when there are no texts in it. */
export function languageOf(tag: string | null | undefined): Language | undefined {
  const [primary = ""] = (tag ?? "").toLowerCase().split(/[-_]/);
  return LANGUAGES.find((language) => language === primary);
}
