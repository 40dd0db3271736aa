import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

export const about: InLanguages<string> = {
  en: "Chats about the listings of an account at Avito",
  es: "Chats sobre los anuncios de una cuenta de Avito",
  ru: "Чаты по объявлениям аккаунта на Авито",
};

const choices = { en: "English", es: "Español", ru: "Русский" };

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret" | "avitoGrant">, FieldWords>> = {
  en: {
    avitoClientId: {
      label: "Client_id",
      steps: [
        "Messages by API need a plan: for goods and jobs Maximum (Максимальный), for services Extended (Расширенный) or Maximum.",
        "At `www.avito.ru`, log in with the shop's account and open its profile.",
        "Choose For professionals (Для профессионалов), then API.",
        "Copy Client_id, and paste it here.",
      ],
    },
    avitoClientSecret: { label: "Client_secret", hint: "On the same page, below Client_id." },
    language: {
      label: "Language",
      hint: "For product and order cards, and for texts that the module writes itself.",
      choices,
      initial: "en",
    },
  },
  es: {
    avitoClientId: {
      label: "Client_id",
      steps: [
        "Los mensajes por API requieren un plan: para bienes y empleo, Máximo (Максимальный); para servicios, Ampliado (Расширенный) o Máximo.",
        "En `www.avito.ru`, entre con la cuenta de la tienda y abra su perfil.",
        "Elija Para profesionales (Для профессионалов) y luego API.",
        "Copie Client_id y péguelo aquí.",
      ],
    },
    avitoClientSecret: { label: "Client_secret", hint: "En la misma página, debajo de Client_id." },
    language: {
      label: "Idioma",
      hint: "Para las fichas de productos y pedidos, y para los textos que escribe el propio módulo.",
      choices,
      initial: "es",
    },
  },
  ru: {
    avitoClientId: {
      label: "Client_id",
      steps: [
        "Для сообщений по API нужен тариф: в товарах и работе «Максимальный», в услугах «Расширенный» или «Максимальный».",
        "Войдите на `www.avito.ru` в аккаунт магазина и откройте профиль.",
        "Выберите «Для профессионалов», затем API.",
        "Скопируйте Client_id и вставьте сюда.",
      ],
    },
    avitoClientSecret: { label: "Client_secret", hint: "На той же странице, под Client_id." },
    language: {
      label: "Язык",
      hint: "Для карточек товаров и заказов и для текстов, которые пишет сам модуль.",
      choices,
      initial: "ru",
    },
  },
};
