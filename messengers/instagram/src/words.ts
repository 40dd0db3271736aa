import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

/** What it is for, in one line. */
export const about: InLanguages<string> = {
  en: "Direct messages and answers to stories",
  es: "Mensajes directos y respuestas a historias",
  ru: "Сообщения в директ и ответы на истории",
};

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "verifyToken" | "issued">, FieldWords>> = {
  en: {
    accountId: {
      label: "Instagram account ID",
      hint: "It stands below the account's name where the token is generated (see below): digits only, and not the @name.",
    },
    token: {
      label: "Access token",
      steps: [
        "The account must be a professional one. In the Instagram app, allow access to messages: Settings, Messages and story replies, Message controls, Connected tools.",
        "In `developers.facebook.com`, open your app, add the product Instagram, and open API setup with Instagram login.",
        "Press Add account, log in with the shop's account, then press Generate token beside it.",
        "Copy the token, and paste it here. It is renewed by itself every week.",
      ],
    },
    appSecret: {
      label: "Instagram app secret",
      hint: "At the top of the same page: it is not the secret in App settings. It proves that messages come from Instagram. Leave it empty only if you use the app of this server.",
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
    comments: {
      label: "Comments on posts become messages",
      hint: "The first answer goes to the comment's author in private. Your app needs the permission instagram_business_manage_comments.",
    },
  },
  es: {
    accountId: {
      label: "Identificador de la cuenta de Instagram",
      hint: "Aparece debajo del nombre de la cuenta donde se genera el token (véase abajo): solo dígitos, no es el @nombre.",
    },
    token: {
      label: "Token de acceso",
      steps: [
        "La cuenta debe ser profesional. En la aplicación de Instagram, permita el acceso a los mensajes: Configuración, Mensajes y respuestas a historias, Controles de mensajes, Herramientas conectadas.",
        "En `developers.facebook.com`, abra su aplicación, añada el producto Instagram y abra Configuración de la API con inicio de sesión de Instagram.",
        "Pulse Agregar cuenta, inicie sesión con la cuenta de la tienda y pulse Generar token a su lado.",
        "Copie el token y péguelo aquí. Se renueva solo cada semana.",
      ],
    },
    appSecret: {
      label: "Clave secreta de la aplicación de Instagram",
      hint: "En la parte superior de la misma página: no es la clave de la configuración de la aplicación. Demuestra que los mensajes vienen de Instagram. Déjela vacía solo si usa la aplicación de este servidor.",
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
    comments: {
      label: "Los comentarios de las publicaciones se convierten en mensajes",
      hint: "La primera respuesta llega en privado al autor del comentario. Su aplicación necesita el permiso instagram_business_manage_comments.",
    },
  },
  ru: {
    accountId: {
      label: "Идентификатор аккаунта Instagram",
      hint: "Указан под именем аккаунта там, где создаётся токен (см. ниже): только цифры, а не @имя.",
    },
    token: {
      label: "Токен доступа",
      steps: [
        "Аккаунт должен быть профессиональным. В приложении Instagram разрешите доступ к сообщениям: «Настройки», «Сообщения и ответы на истории», «Управление сообщениями», «Подключённые инструменты».",
        "На `developers.facebook.com` откройте своё приложение, добавьте продукт Instagram и откройте «Настройка API с входом через Instagram».",
        "Нажмите «Добавить аккаунт», войдите в аккаунт магазина и нажмите рядом с ним «Создать токен».",
        "Скопируйте токен и вставьте его сюда. Он сам обновляется каждую неделю.",
      ],
    },
    appSecret: {
      label: "Секрет приложения Instagram",
      hint: "Вверху той же страницы: это не секрет из настроек приложения. Он подтверждает, что сообщения пришли от Instagram. Оставьте поле пустым, только если используете приложение этого сервера.",
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
    comments: {
      label: "Комментарии к публикациям становятся сообщениями",
      hint: "Первый ответ приходит автору комментария в личные сообщения. Приложению нужно разрешение instagram_business_manage_comments.",
    },
  },
};
