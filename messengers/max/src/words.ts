import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

const LANGUAGES = { en: "English", es: "Español", ru: "Русский" };

/** What it is for, in one line. */
export const about: InLanguages<string> = {
  en: "Your bot in MAX answers from the CRM",
  es: "Su bot de MAX responde desde el CRM",
  ru: "Ваш бот в MAX отвечает из CRM",
};

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret">, FieldWords>> = {
  en: {
    token: {
      label: "Bot token",
      steps: [
        "Open `business.max.ru` and log in with your company's verified profile.",
        "Open Chat-bots. If you have none, create one, and wait until MAX has reviewed it: up to 48 hours.",
        "In the bot's menu open Settings, copy the token, and paste it here.",
      ],
    },
    language: {
      label: "Language",
      hint: "For product and order cards, and for texts that the module writes itself.",
      choices: LANGUAGES,
      initial: "en",
    },
    updates: {
      label: "How messages arrive",
      hint: "Change this only if the server's operator asks you to. Long polling is only for trying out.",
      choices: {
        server: "Server default",
        webhook: "MAX calls this server (webhook)",
        polling: "This server asks MAX (long polling)",
      },
    },
    takeOver: {
      label: "Take over the bot from another service",
      hint: "Only if the bot is now connected to another service and its messages should arrive here instead.",
    },
  },
  es: {
    token: {
      label: "Token del bot",
      steps: [
        "Abra `business.max.ru` y entre con el perfil verificado de su empresa.",
        "Abra los chatbots. Si no tiene ninguno, cree uno y espere a que MAX lo revise: hasta 48 horas.",
        "En el menú del bot abra la configuración, copie el token y péguelo aquí.",
      ],
    },
    language: {
      label: "Idioma",
      hint: "Para las fichas de productos y pedidos, y para los textos que escribe el propio módulo.",
      choices: LANGUAGES,
      initial: "es",
    },
    updates: {
      label: "Cómo llegan los mensajes",
      hint: "Cámbielo solo si se lo pide el administrador del servidor. El long polling sirve solo para probar.",
      choices: {
        server: "Según el servidor",
        webhook: "MAX llama a este servidor (webhook)",
        polling: "Este servidor consulta a MAX (long polling)",
      },
    },
    takeOver: {
      label: "Traer el bot desde otro servicio",
      hint: "Solo si el bot está conectado ahora a otro servicio y sus mensajes deben llegar aquí en su lugar.",
    },
  },
  ru: {
    token: {
      label: "Токен бота",
      steps: [
        "Откройте `business.max.ru` и войдите в подтверждённый профиль компании.",
        "Откройте «Чат-боты». Если бота ещё нет, создайте его и дождитесь проверки: до 48 часов.",
        "В меню бота откройте «Настройки», скопируйте токен и вставьте его сюда.",
      ],
    },
    language: {
      label: "Язык",
      hint: "Для карточек товаров и заказов и для текстов, которые пишет сам модуль.",
      choices: LANGUAGES,
      initial: "ru",
    },
    updates: {
      label: "Как приходят сообщения",
      hint: "Меняйте, только если об этом попросит администратор сервера. Long polling подходит только для проверки.",
      choices: {
        server: "Как на сервере",
        webhook: "MAX обращается к серверу (webhook)",
        polling: "Сервер спрашивает MAX (long polling)",
      },
    },
    takeOver: {
      label: "Забрать бота у другого сервиса",
      hint: "Только если бот сейчас подключён к другому сервису, а его сообщения должны приходить сюда.",
    },
  },
};
