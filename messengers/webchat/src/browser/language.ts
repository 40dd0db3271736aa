import { type Language, languageOf } from "gangway-messenger/language";

/** Language tags by who says so; unknown ones and missing ones are skipped. */
export interface LanguageTags {
  /** Of the script's `data-lang`. */
  site: string | undefined;
  channel: string | undefined;
  page: string | undefined;
  browser: string | undefined;
}

/** The language of the texts: as the site says, else the channel, else the page, else the browser. */
export const languageFrom = ({ site, channel, page, browser }: LanguageTags): Language =>
  [site, channel, page, browser].map(languageOf).find((language) => language !== undefined) ?? "en";

/** The tag for times and numbers: of that language, and with a country if somebody names one. */
export const localeFor = (language: Language, { site, page, browser }: LanguageTags): string =>
  [site, page, browser].find((tag) => languageOf(tag) === language) ?? language;
