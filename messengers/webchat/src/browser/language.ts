/** Languages of the window. */
export const LANGUAGES = ["en", "es", "ru", "pt", "de", "fr", "tr", "ar"] as const;
export type VisitorLanguage = (typeof LANGUAGES)[number];

/** By a language tag such as "es-MX"; undefined when there are no texts in it. */
export function languageOf(tag: string | null | undefined): VisitorLanguage | undefined {
  const [primary = ""] = (tag ?? "").toLowerCase().split(/[-_]/);
  return LANGUAGES.find((language) => language === primary);
}

/** Language tags by their source; unknown ones and missing ones are skipped. */
export interface LanguageTags {
  /** Requested by the page: `data-lang`, or `update`. */
  site: string | undefined;
  /** The browser's, by preference. */
  visitor: readonly string[];
  page: string | undefined;
  channel: string | undefined;
}

/** The language of the texts: the site's choice, else the visitor's, else the page's, else the channel's. */
export const languageFrom = ({ site, visitor, page, channel }: LanguageTags): VisitorLanguage =>
  [site, ...visitor, page, channel].map(languageOf).find((language) => language !== undefined) ?? "en";

/** The tag for times and numbers: in that language, and with a country if one is known. */
export const localeFor = (language: VisitorLanguage, { site, visitor, page }: LanguageTags): string =>
  [site, ...visitor, page].find((tag) => languageOf(tag) === language) ?? language;
