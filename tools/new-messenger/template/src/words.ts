import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

/** Texts of the form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret">, FieldWords>> = {
  en: {
    apiUrl: { label: "Address of the API" },
    token: { label: "Token", hint: "Where in Acme the owner finds it, step by step (write me)." },
  },
  es: {
    apiUrl: { label: "Dirección de la API" },
    token: { label: "Token", hint: "Dónde lo encuentra el dueño en Acme, paso a paso (write me)." },
  },
  ru: {
    apiUrl: { label: "Адрес API" },
    token: { label: "Токен", hint: "Где владелец находит его в Acme, шаг за шагом (write me)." },
  },
};
