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
