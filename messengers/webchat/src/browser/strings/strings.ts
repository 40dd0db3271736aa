import type { VisitorLanguage } from "../language.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en, type Strings } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";
import { tr } from "./tr.ts";

const all: Record<VisitorLanguage, Strings> = { en, es, ru, pt, de, fr, tr, ar };

/** The texts of the window, in the language that `speak` has set. */
export let strings: Strings = en;
/** That language, for the server's own messages. */
export let spoken: VisitorLanguage = "en";

/** `own`: the page's texts, by name; unknown names are ignored. */
export function speak(language: VisitorLanguage, own: Record<string, string> = {}): void {
  spoken = language;
  const known = Object.entries(own).filter(([name, text]) => name in en && typeof text === "string");
  strings = { ...all[language], ...Object.fromEntries(known) };
}

/** The text with its `{names}` filled in. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
