import type { Explanation } from "gangway-messenger/explanations";
import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

export const titles: InLanguages<string> = { en: "Demo customer", es: "Cliente de prueba", ru: "Пробный клиент" };

export const adding: InLanguages<string> = {
  en: "Add a demo customer",
  es: "Añadir cliente de prueba",
  ru: "Добавить пробного клиента",
};

export const about: InLanguages<string> = {
  en: "Try a conversation without connecting anything",
  es: "Pruebe una conversación sin conectar nada",
  ru: "Попробуйте переписку до подключения мессенджера",
};

const choices = { en: "English", es: "Español", ru: "Русский" };

export const words: InLanguages<Record<Exclude<keyof Settings, "customerKey">, FieldWords>> = {
  en: { language: { label: "Language", hint: "Language of product and order cards.", choices, initial: "en" } },
  es: { language: { label: "Idioma", hint: "Idioma de las fichas de productos y pedidos.", choices, initial: "es" } },
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
