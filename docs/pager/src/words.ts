import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

/** Texts of the form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret">, FieldWords>> = {
  en: {
    apiUrl: { label: "Address of the exchange", hint: "Your exchange prints it at its start." },
    token: { label: "Token", hint: "On the exchange: Settings, Modules, New token." },
  },
  es: {
    apiUrl: { label: "Dirección de la central", hint: "Su central la muestra al arrancar." },
    token: { label: "Token", hint: "En la central: Settings, Modules, New token." },
  },
  ru: {
    apiUrl: { label: "Адрес станции", hint: "Станция показывает его при запуске." },
    token: { label: "Токен", hint: "На станции: Settings, Modules, New token." },
  },
};
