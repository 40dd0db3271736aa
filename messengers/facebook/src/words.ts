import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

/** What it is for, in one line. */
export const about: InLanguages<string> = {
  en: "The inbox of your Facebook page",
  es: "La bandeja de su página de Facebook",
  ru: "Сообщения вашей страницы Facebook",
};

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "verifyToken">, FieldWords>> = {
  en: {
    pageId: {
      label: "Page ID",
      hint: "On your page, About, Page transparency. It stands beside each page in the app's Messenger settings, too.",
    },
    token: {
      label: "Page access token",
      steps: [
        "In `developers.facebook.com`, open your app. If you have none, create one of the type Business.",
        "Add the product Messenger, and open its settings: Messenger API Settings.",
        "Connect your page there, then press Generate beside it. Tick `pages_messaging` and `pages_manage_metadata`.",
        "Copy the token, and paste it here.",
      ],
    },
    appSecret: {
      label: "App secret",
      hint: "In the same app, App settings, Basic: press Show. It proves that messages come from Meta. Leave it empty only if you use the app of this server.",
    },
    language: {
      label: "Language",
      hint: "For product and order cards, and for texts that the module writes itself.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "en",
    },
    humanAgent: {
      label: "Answer for seven days",
      hint: "Only if Meta has granted your app the feature Human Agent. Otherwise a customer can be answered for 24 hours after each of their messages.",
    },
    takeOver: {
      label: "Take over the app from another service",
      hint: "Only if another service receives this app's messages now, and they should arrive here instead.",
    },
  },
  es: {
    pageId: {
      label: "Identificador de la página",
      hint: "En su página, Información, Transparencia de la página. También aparece junto a cada página en la configuración de Messenger de la aplicación.",
    },
    token: {
      label: "Token de acceso de la página",
      steps: [
        "En `developers.facebook.com`, abra su aplicación. Si no tiene ninguna, cree una de tipo Negocios.",
        "Añada el producto Messenger y abra su configuración: Configuración de la API de Messenger.",
        "Conecte allí su página y pulse Generar a su lado. Marque `pages_messaging` y `pages_manage_metadata`.",
        "Copie el token y péguelo aquí.",
      ],
    },
    appSecret: {
      label: "Clave secreta de la aplicación",
      hint: "En la misma aplicación, Configuración de la aplicación, Básica: pulse Mostrar. Demuestra que los mensajes vienen de Meta. Déjela vacía solo si usa la aplicación de este servidor.",
    },
    language: {
      label: "Idioma",
      hint: "Para las fichas de productos y pedidos, y para los textos que escribe el propio módulo.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "es",
    },
    humanAgent: {
      label: "Responder durante siete días",
      hint: "Solo si Meta ha concedido a su aplicación la función Human Agent. Si no, se puede responder a un cliente durante 24 horas tras cada mensaje suyo.",
    },
    takeOver: {
      label: "Traer aquí la aplicación desde otro servicio",
      hint: "Solo si otro servicio recibe ahora los mensajes de esta aplicación y deben llegar aquí.",
    },
  },
  ru: {
    pageId: {
      label: "Идентификатор страницы",
      hint: "На вашей странице: «Информация», «Прозрачность страницы». Он указан и рядом с каждой страницей в настройках Messenger вашего приложения.",
    },
    token: {
      label: "Токен доступа страницы",
      steps: [
        "На `developers.facebook.com` откройте своё приложение. Если его нет, создайте приложение типа «Бизнес».",
        "Добавьте продукт Messenger и откройте его настройки: «Настройки API Messenger».",
        "Подключите там свою страницу и нажмите рядом с ней «Создать токен». Отметьте `pages_messaging` и `pages_manage_metadata`.",
        "Скопируйте токен и вставьте его сюда.",
      ],
    },
    appSecret: {
      label: "Секрет приложения",
      hint: "В том же приложении: «Настройки приложения», «Основное», кнопка «Показать». Он подтверждает, что сообщения пришли от Meta. Оставьте поле пустым, только если используете приложение этого сервера.",
    },
    language: {
      label: "Язык",
      hint: "Для карточек товаров и заказов и для текстов, которые пишет сам модуль.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "ru",
    },
    humanAgent: {
      label: "Отвечать семь дней",
      hint: "Только если Meta разрешила вашему приложению функцию Human Agent. Иначе клиенту можно ответить в течение 24 часов после каждого его сообщения.",
    },
    takeOver: {
      label: "Забрать приложение у другого сервиса",
      hint: "Только если сейчас сообщения этого приложения получает другой сервис, а должны приходить сюда.",
    },
  },
};
