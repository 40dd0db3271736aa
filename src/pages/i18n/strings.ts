import { type Filled, type InLanguages, inLanguages, type Language } from "gangway-messenger/language";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { ru } from "./ru.ts";

/** The texts of the pages in one language. */
export type Strings = Filled<typeof en> & { language: Language };

const texts = inLanguages(en, { es, ru });

export const strings: InLanguages<Strings> = {
  en: { ...texts.en, language: "en" },
  es: { ...texts.es, language: "es" },
  ru: { ...texts.ru, language: "ru" },
};

/** Each language by its own name. */
export const LANGUAGE_NAMES: InLanguages<string> = { en: "English", es: "Español", ru: "Русский" };
