import { describe, expect, it } from "vitest";
import { type LanguageTags, languageFrom, localeFor } from "../../../src/browser/language.ts";

const NOBODY: LanguageTags = { site: undefined, visitor: [], page: undefined, channel: undefined };

describe("the widget's language", () => {
  it.each<[string, string, Partial<LanguageTags>]>([
    ["ru", "ru", { site: "ru", visitor: ["en-US"], channel: "es", page: "en" }],
    ["ru", "ru", { visitor: ["ru"], channel: "es", page: "en" }],
    ["ar", "ar-EG", { visitor: ["nl", "ar-EG", "en"], channel: "es" }],
    ["pt", "pt-BR", { visitor: ["pt-BR"], page: "de" }],
    ["es", "es-MX", { channel: "es", page: "es-MX", visitor: ["nl"] }],
    ["es", "es", { visitor: ["xx"], channel: "es" }],
    ["fr", "fr", { site: "nl", visitor: ["fr"] }],
    ["en", "en", {}],
  ])("is %s, with the times of %s", (language, locale, said) => {
    const tags = { ...NOBODY, ...said };
    expect(languageFrom(tags)).toBe(language);
    expect(localeFor(languageFrom(tags), tags)).toBe(locale);
  });
});
