import type { Explanation } from "gangway-messenger/explanations";
import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

export const titles: InLanguages<string> = { en: "Demo customer", es: "Cliente de prueba", ru: "Пробный клиент" };

export const about: InLanguages<string> = {
  en: "See a message both ways before you have a messenger",
  es: "Vea un mensaje de ida y vuelta antes de tener un canal",
  ru: "Сообщение туда и обратно, пока мессенджера ещё нет",
};

const choices = { en: "English", es: "Español", ru: "Русский" };

export const words: InLanguages<Record<Exclude<keyof Settings, "customerKey">, FieldWords>> = {
  en: { language: { label: "Language", hint: "Of product and order cards.", choices, initial: "en" } },
  es: { language: { label: "Idioma", hint: "De las fichas de productos y pedidos.", choices, initial: "es" } },
  ru: { language: { label: "Язык", hint: "Язык карточек товаров и заказов.", choices, initial: "ru" } },
};

export const explanations: readonly Explanation[] = [
  {
    en: "the demo customer reads texts only",
    es: "el cliente de prueba solo lee textos",
    ru: "пробный клиент читает только тексты",
  },
  {
    en: "the demo customer's chat could not be written",
    es: "no se pudo escribir en el chat del cliente de prueba",
    ru: "не удалось записать чат пробного клиента",
  },
];
