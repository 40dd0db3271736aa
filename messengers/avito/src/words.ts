import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

export const about: InLanguages<string> = {
  en: "Chats about the listings of an account at Avito",
  es: "Chats sobre los anuncios de una cuenta de Avito",
  ru: "Чаты по объявлениям аккаунта на Авито",
};

const choices = { en: "English", es: "Español", ru: "Русский" };

/** A profile alone cannot be messaged. */
export const tryOut: InLanguages<string> = {
  en: "With another Avito account, open one of your listings and write to the seller; nobody can write to a profile without a listing. Your profile shows your listings. The message appears in the CRM's chats within seconds.",
  es: "Con otra cuenta de Avito, abra uno de sus anuncios y escriba al vendedor; a un perfil sin anuncios no se le puede escribir. En su perfil aparecen sus anuncios. El mensaje llega a los chats del CRM en unos segundos.",
  ru: "Откройте с другого аккаунта Авито одно из своих объявлений и напишите продавцу: в профиль без объявлений написать нельзя. Ваши объявления видны в профиле. Сообщение появится в чатах CRM через несколько секунд.",
};

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret" | "avitoGrant">, FieldWords>> = {
  en: {
    avitoClientId: {
      label: "Client_id",
      steps: [
        "Check the account's plan (тариф): for goods and jobs it must be Maximum (Максимальный), for services Extended (Расширенный) or Maximum. On other plans Avito passes messages to no service.",
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
        "Compruebe el plan (тариф) de la cuenta: para bienes y empleo debe ser Máximo (Максимальный); para servicios, Ampliado (Расширенный) o Máximo. Con otros Avito no entrega los mensajes a ningún servicio.",
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
        "Проверьте тариф аккаунта: в товарах и работе нужен «Максимальный», в услугах «Расширенный» или «Максимальный». С другими Авито не передаёт сообщения сервисам.",
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
