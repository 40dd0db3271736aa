import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

/** What it is for, in one line. */
export const about: InLanguages<string> = {
  en: "The messages of your community",
  es: "Los mensajes de su comunidad",
  ru: "Сообщения вашего сообщества",
};

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret">, FieldWords>> = {
  en: {
    token: {
      label: "Access key of the community",
      steps: [
        "In your community on `vk.com`, open Manage, then Messages, and switch Community messages on.",
        "Open Manage, API usage, Access keys, and press Create key.",
        "Tick all four: manage the community, messages, photos, files. Confirm on your phone.",
        "Press Show, copy the key, and paste it here. Everything else is set up by itself.",
      ],
    },
    language: {
      label: "Language",
      hint: "For product and order cards, and for texts that the module writes itself.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "en",
    },
    updates: {
      label: "How messages arrive",
      hint: "Leave it as it is unless VK cannot reach this server.",
      choices: { server: "As this server is set up", webhook: "VK sends them", polling: "This server fetches them" },
    },
  },
  es: {
    token: {
      label: "Clave de acceso de la comunidad",
      steps: [
        "En su comunidad de `vk.com`, abra Administrar, luego Mensajes, y active los mensajes de la comunidad.",
        "Abra Administrar, Uso de la API, Claves de acceso, y pulse Crear clave.",
        "Marque las cuatro: administración de la comunidad, mensajes, fotos, archivos. Confirme en su teléfono.",
        "Pulse Mostrar, copie la clave y péguela aquí. Todo lo demás se configura solo.",
      ],
    },
    language: {
      label: "Idioma",
      hint: "Para las fichas de productos y pedidos, y para los textos que escribe el propio módulo.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "es",
    },
    updates: {
      label: "Cómo llegan los mensajes",
      hint: "No lo cambie, salvo que VK no pueda conectar con este servidor.",
      choices: {
        server: "Como esté configurado este servidor",
        webhook: "VK los envía",
        polling: "Este servidor los recoge",
      },
    },
  },
  ru: {
    token: {
      label: "Ключ доступа сообщества",
      steps: [
        "В своём сообществе на `vk.com` откройте «Управление», затем «Сообщения» и включите сообщения сообщества.",
        "Откройте «Управление», «Работа с API», «Ключи доступа» и нажмите «Создать ключ».",
        "Отметьте все четыре пункта: управление сообществом, сообщения, фотографии, файлы (документы). Подтвердите на телефоне.",
        "Нажмите «Показать», скопируйте ключ и вставьте его сюда. Остальное настроится само.",
      ],
    },
    language: {
      label: "Язык",
      hint: "Для карточек товаров и заказов и для текстов, которые пишет сам модуль.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "ru",
    },
    updates: {
      label: "Как приходят сообщения",
      hint: "Меняйте, только если ВКонтакте не может связаться с этим сервером.",
      choices: { server: "Как настроен сервер", webhook: "ВКонтакте присылает их", polling: "Сервер забирает их" },
    },
  },
};
