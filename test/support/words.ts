import type { InLanguages } from "../../src/domain/language.ts";

/** The same words, whatever the language. */
export const inAll = <Words>(words: Words): InLanguages<Words> => ({ en: words, es: words, ru: words });
