import { IntlMessageFormat } from "intl-messageformat";

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

// Making an Intl formatter takes far longer than using it: each is made once.

/** Currencies and time zones come from outside: a full cache starts anew. */
const MAX_FORMATS = 1_000;

function kept<Options, Format>(make: (locale: string, options?: Options) => Format) {
  const formats = new Map<string, Format>();
  return (locale: string, options?: Options): Format => {
    const key = options ? `${locale} ${JSON.stringify(options)}` : locale;
    let format = formats.get(key);
    if (format) return format;
    if (formats.size >= MAX_FORMATS) formats.clear();
    format = make(locale === "en" ? "en-GB" : locale, options);
    formats.set(key, format);
    return format;
  };
}

export const numberFormat = kept(
  (locale, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);
export const dateFormat = kept(
  (locale, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);
export const pluralRules = kept((locale, options?: Intl.PluralRulesOptions) => new Intl.PluralRules(locale, options));
const lists = kept((locale) => new Intl.ListFormat(locale));

/** "a, b and c". */
export const listText = (language: string, texts: Iterable<string>): string => lists(language).format(texts);

// Texts are ICU messages (unicode-org.github.io/icu/userguide/format_parse/messages): plain, or with placeholders and plurals.

export interface Catalog {
  readonly [key: string]: string | Catalog;
}

/** The same keys in another language. */
export type Translation<Of> = {
  readonly [Key in keyof Of]: Of[Key] extends string ? string : Translation<Of[Key]>;
};

/** Names of a message's placeholders. A branch of a plural is told from a name by its space or `#`. */
type Names<Text extends string> = Text extends `${string}{${infer Rest}`
  ? NameOf<Rest extends `${infer Inner}}${string}` ? Inner : never> | Names<Rest>
  : never;
type NameOf<Inner extends string> = Inner extends `${infer Name},${string}` ? Bare<Name> : Bare<Inner>;
type Bare<Name extends string> = Name extends `${string}${" " | "#" | "{"}${string}` ? never : Name;

type Value = string | number;
/** A text without placeholders is a string, any other a function of their values. */
export type Filled<Of> = {
  readonly [Key in keyof Of]: Of[Key] extends string
    ? [Names<Of[Key]>] extends [never]
      ? string
      : (values: Record<Names<Of[Key]>, Value>) => string
    : Filled<Of[Key]>;
};

/** Texts in every language, ready for use. A message is parsed when it is first shown. */
export const inLanguages = <const Of extends Catalog>(
  en: Of,
  translations: Record<Exclude<Language, "en">, Translation<Of>>,
): InLanguages<Filled<Of>> => ({
  en: filled(en, "en"),
  // A translation has the English placeholders: a test compares them.
  es: filled(translations.es as unknown as Of, "es"),
  ru: filled(translations.ru as unknown as Of, "ru"),
});

function filled<Of extends Catalog>(catalog: Of, language: Language): Filled<Of> {
  return Object.fromEntries(Object.entries(catalog).map(([key, text]) => [key, ready(text, language)])) as Filled<Of>;
}

/** Formatters are shared by all messages. Without them each message would make its own. */
const OPTIONS = {
  ignoreTag: true,
  formatters: {
    getNumberFormat: sharing(numberFormat),
    getDateTimeFormat: sharing(dateFormat),
    getPluralRules: sharing(pluralRules),
  },
};

/** The library passes the languages that it would try: here always one. */
function sharing<Options, Format>(formats: (locale: string, options?: Options) => Format) {
  return (locales?: Intl.LocalesArgument, options?: Options): Format => formats(String(locales), options);
}

function ready(text: Catalog[string], language: Language): unknown {
  if (typeof text === "object") return filled(text, language);
  return text.includes("{") ? messageOf(text, language) : text;
}

/** A message that is known at run time only. It is parsed when it is first shown. */
export function messageOf(text: string, language: Language) {
  let message: IntlMessageFormat | undefined;
  return (values: Record<string, Value>): string => {
    message ??= new IntlMessageFormat(text, language, undefined, OPTIONS);
    return String(message.format(values));
  };
}
