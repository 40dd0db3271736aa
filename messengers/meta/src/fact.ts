import { dateFormat, type InLanguages, LANGUAGES, type Language, numberFormat } from "gangway-messenger/language";

// Values of the facts that a messenger reports about a login, in each language.

const DAY: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeZone: "UTC" };

const inEach = (write: (language: Language) => string) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, write(language)])) as InLanguages<string>;

export const dayFact = (at: number): InLanguages<string> => inEach((language) => dateFormat(language, DAY).format(at));
export const numberFact = (value: number): InLanguages<string> =>
  inEach((language) => numberFormat(language).format(value));
