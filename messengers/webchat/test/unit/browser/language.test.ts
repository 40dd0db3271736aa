import { describe, expect, it } from "vitest";
import { type LanguageTags, languageFrom, localeFor } from "../../../src/browser/language.ts";

const NOBODY: LanguageTags = { site: undefined, channel: undefined, page: undefined, browser: undefined };

describe("the widget's language", () => {
  it.each<[string, string, Partial<LanguageTags>]>([
    ["ru", "ru", { site: "ru", channel: "es", page: "en", browser: "en-US" }],
    ["es", "es", { channel: "es", page: "en", browser: "ru" }],
    ["es", "es-MX", { channel: "es", page: "es-MX", browser: "es-ES" }],
    ["es", "es-AR", { channel: "es", page: "de", browser: "es-AR" }],
    ["en", "en", { site: "fr", channel: "en", page: "fr", browser: "fr" }],
    ["ru", "ru-RU", { page: "ru-RU", browser: "en" }],
    ["es", "es-419", { page: "", browser: "es-419" }],
    ["en", "en", {}],
  ])("is %s, with the times of %s", (language, locale, said) => {
    const tags = { ...NOBODY, ...said };
    expect(languageFrom(tags)).toBe(language);
    expect(localeFor(languageFrom(tags), tags)).toBe(locale);
  });
});
