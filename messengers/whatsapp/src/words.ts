import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

/** What it is for, in one line. */
export const about: InLanguages<string> = {
  en: "Your business number, with templates",
  es: "Su número de empresa, con plantillas",
  ru: "Ваш бизнес-номер, с шаблонами",
};

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "verifyToken">, FieldWords>> = {
  en: {
    via: {
      label: "Connected through",
      hint: "Choose 360dialog only if the number is hosted there.",
      choices: { meta: "Meta (WhatsApp Cloud API)", "360dialog": "360dialog" },
    },
    token: {
      label: "Access token",
      steps: [
        "In `business.facebook.com`, open Settings, Users, System users, and choose or add an administrator.",
        "Assign to it your app and your WhatsApp account, both with full control.",
        "Press Generate token, choose the app and “Never” as its expiry, and tick `whatsapp_business_messaging` and `whatsapp_business_management`.",
        "Copy the token, and paste it here. At 360dialog it is the API key of the number.",
      ],
    },
    phoneNumberId: {
      label: "Phone number ID",
      hint: "In developers.facebook.com, your app, WhatsApp, API Setup: below “From”. It is not the number itself.",
    },
    wabaId: {
      label: "WhatsApp Business Account ID",
      hint: "On the same page, next to the phone number ID. Also in WhatsApp Manager, Settings.",
    },
    appSecret: {
      label: "App secret",
      hint: "In developers.facebook.com, your app, App settings, Basic: press Show. It proves that messages come from Meta. Leave it empty at 360dialog, or if you use the app of this server.",
    },
    language: {
      label: "Language",
      hint: "For product and order cards, and for texts that the module writes itself.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "en",
    },
    groups: {
      label: "Groups",
      hint: "Groups that your business has made by the API. An answer goes to the whole group.",
      choices: { whole: "One chat for the whole group", off: "Ignore messages from groups" },
    },
    typing: {
      label: "Show “typing…” when an agent has read a message",
      hint: "The customer sees it for 25 seconds, or until the answer comes.",
    },
    importHistory: {
      label: "Import the phone's chats",
      hint: "Only for a number that you also use in the WhatsApp Business app, within a day of its registration: Meta then gives the chats of the last 180 days, if you share them on the phone.",
    },
    takeOver: {
      label: "Take over the account from another service",
      hint: "Only if another service receives its messages now, and they should arrive here instead.",
    },
  },
  es: {
    via: {
      label: "Conectado mediante",
      hint: "Elija 360dialog solo si el número está alojado allí.",
      choices: { meta: "Meta (WhatsApp Cloud API)", "360dialog": "360dialog" },
    },
    token: {
      label: "Token de acceso",
      steps: [
        "En `business.facebook.com`, abra Configuración, Usuarios, Usuarios del sistema, y elija o añada un administrador.",
        "Asígnele su aplicación y su cuenta de WhatsApp, ambas con control total.",
        "Pulse Generar token, elija la aplicación y «Nunca» como caducidad, y marque `whatsapp_business_messaging` y `whatsapp_business_management`.",
        "Copie el token y péguelo aquí. En 360dialog es la clave API del número.",
      ],
    },
    phoneNumberId: {
      label: "Identificador del número de teléfono",
      hint: "En developers.facebook.com, su aplicación, WhatsApp, Configuración de la API: debajo de «De». No es el propio número.",
    },
    wabaId: {
      label: "Identificador de la cuenta de WhatsApp Business",
      hint: "En la misma página, junto al identificador del número. También en el Administrador de WhatsApp, Configuración.",
    },
    appSecret: {
      label: "Clave secreta de la aplicación",
      hint: "En developers.facebook.com, su aplicación, Configuración de la aplicación, Básica: pulse Mostrar. Demuestra que los mensajes vienen de Meta. Déjela vacía en 360dialog o si usa la aplicación de este servidor.",
    },
    language: {
      label: "Idioma",
      hint: "Para las fichas de productos y pedidos, y para los textos que escribe el propio módulo.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "es",
    },
    groups: {
      label: "Grupos",
      hint: "Los grupos que su empresa ha creado mediante la API. La respuesta llega a todo el grupo.",
      choices: { whole: "Un chat para todo el grupo", off: "Ignorar los mensajes de los grupos" },
    },
    typing: {
      label: "Mostrar «escribiendo…» cuando un agente ha leído un mensaje",
      hint: "El cliente lo ve durante 25 segundos o hasta que llega la respuesta.",
    },
    importHistory: {
      label: "Importar los chats del teléfono",
      hint: "Solo para un número que también usa en la aplicación WhatsApp Business y durante el día siguiente a su registro: Meta entrega entonces los chats de los últimos 180 días, si los comparte en el teléfono.",
    },
    takeOver: {
      label: "Traer aquí la cuenta desde otro servicio",
      hint: "Solo si otro servicio recibe ahora sus mensajes y deben llegar aquí.",
    },
  },
  ru: {
    via: {
      label: "Подключение через",
      hint: "Выберите 360dialog, только если номер обслуживается там.",
      choices: { meta: "Meta (WhatsApp Cloud API)", "360dialog": "360dialog" },
    },
    token: {
      label: "Токен доступа",
      steps: [
        "На `business.facebook.com` откройте «Настройки», «Пользователи», «Системные пользователи» и выберите или добавьте администратора.",
        "Назначьте ему приложение и аккаунт WhatsApp, оба с полным доступом.",
        "Нажмите «Создать токен», выберите приложение и срок «Никогда», отметьте `whatsapp_business_messaging` и `whatsapp_business_management`.",
        "Скопируйте токен и вставьте его сюда. В 360dialog это API-ключ номера.",
      ],
    },
    phoneNumberId: {
      label: "Идентификатор номера телефона",
      hint: "На developers.facebook.com, в вашем приложении: WhatsApp, «Настройка API», под строкой «От». Это не сам номер.",
    },
    wabaId: {
      label: "Идентификатор аккаунта WhatsApp Business",
      hint: "На той же странице, рядом с идентификатором номера. Есть и в WhatsApp Manager, в настройках.",
    },
    appSecret: {
      label: "Секрет приложения",
      hint: "На developers.facebook.com, в вашем приложении: «Настройки приложения», «Основное», кнопка «Показать». Он подтверждает, что сообщения пришли от Meta. Оставьте поле пустым в 360dialog или если используете приложение этого сервера.",
    },
    language: {
      label: "Язык",
      hint: "Для карточек товаров и заказов и для текстов, которые пишет сам модуль.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "ru",
    },
    groups: {
      label: "Группы",
      hint: "Группы, которые ваша компания создала через API. Ответ видит вся группа.",
      choices: { whole: "Один чат на всю группу", off: "Не принимать сообщения из групп" },
    },
    typing: {
      label: "Показывать «печатает…», когда менеджер прочитал сообщение",
      hint: "Клиент видит это 25 секунд или до ответа.",
    },
    importHistory: {
      label: "Загрузить чаты с телефона",
      hint: "Только для номера, которым вы пользуетесь и в приложении WhatsApp Business, в течение суток после его регистрации: Meta передаёт чаты за последние 180 дней, если вы поделились ими на телефоне.",
    },
    takeOver: {
      label: "Забрать аккаунт у другого сервиса",
      hint: "Только если сейчас сообщения получает другой сервис, а должны приходить сюда.",
    },
  },
};
