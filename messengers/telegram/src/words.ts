import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

/** BotFather's answer to `/newbot`, with the token highlighted. The classes are the account page's colours. */
const botFatherAnswer = `<svg viewBox="0 0 340 112" aria-hidden="true">
<circle class="mark" cx="20" cy="88" r="14"/><path class="line" d="M14 88l4 4 8-9" fill="none"/>
<path class="paper line" d="M52 6h270a12 12 0 0 1 12 12v72a12 12 0 0 1-12 12H42c8-3 10-7 10-12z"/>
<text x="66" y="32">Use this token to access the HTTP API:</text>
<rect class="mark" x="62" y="46" width="264" height="26" rx="6"/>
<text class="code" x="68" y="63">110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALD</text>
<text x="66" y="90">Keep your token secure …</text>
</svg>`;

/** What it is for, in one line. */
export const about: InLanguages<string> = {
  en: "Your bot answers from the CRM",
  es: "Su bot responde desde el CRM",
  ru: "Ваш бот отвечает из CRM",
};

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret">, FieldWords>> = {
  en: {
    token: {
      label: "Bot token",
      steps: [
        "In Telegram, open the chat with `@BotFather`",
        "Write `/newbot` to it, or `/token` for an existing bot.",
        "Copy the token from its answer, and paste it here.",
      ],
      picture: { alt: "BotFather's answer, with the token in its middle", svg: botFatherAnswer },
    },
    language: {
      label: "Language",
      hint: "For product and order cards, and for texts that the module writes itself.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "en",
    },
    groups: {
      label: "Groups",
      hint: "To let the bot see the messages of a group, turn off its privacy mode in BotFather.",
      choices: {
        off: "Ignore messages from groups",
        members: "A separate chat for each group member",
        whole: "One chat for the whole group",
      },
    },
    servesBusiness: {
      label: "Telegram Business",
      hint: "The bot also serves the chats of accounts whose owners have connected it, and have sent it a command that its page shows.",
    },
    businessOwners: {
      label: "Business account owners",
      hint: "Telegram user ids, one per line, of the people whose business chats the bot may answer. Empty: none.",
    },
    updates: {
      label: "How messages arrive",
      hint: "Change this only if the server's operator asks you to.",
      choices: {
        server: "Server default",
        webhook: "Telegram calls this server (webhook)",
        polling: "This server asks Telegram (long polling)",
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
        "En Telegram, abra el chat con `@BotFather`",
        "Escríbale `/newbot`, o `/token` si el bot ya existe.",
        "Copie el token de su respuesta y péguelo aquí.",
      ],
      picture: { alt: "La respuesta de BotFather, con el token en el centro", svg: botFatherAnswer },
    },
    language: {
      label: "Idioma",
      hint: "Para las fichas de productos y pedidos, y para los textos que escribe el propio módulo.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "es",
    },
    groups: {
      label: "Grupos",
      hint: "Para que el bot vea los mensajes de un grupo, desactive su modo de privacidad en BotFather.",
      choices: {
        off: "Ignorar los mensajes de los grupos",
        members: "Un chat para cada miembro del grupo",
        whole: "Un solo chat para todo el grupo",
      },
    },
    servesBusiness: {
      label: "Telegram Business",
      hint: "El bot atiende también los chats de las cuentas cuyos titulares lo han conectado y le han enviado el comando que muestra su página.",
    },
    businessOwners: {
      label: "Titulares de cuentas de empresa",
      hint: "Identificadores de usuario de Telegram, uno por línea, de las personas en cuyos chats de empresa puede responder el bot. Vacío: ninguna.",
    },
    updates: {
      label: "Cómo llegan los mensajes",
      hint: "Cámbielo solo si se lo pide el administrador del servidor.",
      choices: {
        server: "Según el servidor",
        webhook: "Telegram llama a este servidor (webhook)",
        polling: "Este servidor consulta a Telegram (long polling)",
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
        "Откройте в Telegram чат с `@BotFather`",
        "Отправьте ему `/newbot` или, если бот уже есть, `/token`",
        "Скопируйте токен из ответа и вставьте его сюда.",
      ],
      picture: { alt: "Ответ BotFather с токеном посередине", svg: botFatherAnswer },
    },
    language: {
      label: "Язык",
      hint: "Для карточек товаров и заказов и для текстов, которые пишет сам модуль.",
      choices: { en: "English", es: "Español", ru: "Русский" },
      initial: "ru",
    },
    groups: {
      label: "Группы",
      hint: "Чтобы бот видел сообщения группы, отключите его режим приватности в BotFather.",
      choices: {
        off: "Не принимать сообщения из групп",
        members: "Отдельный чат с каждым участником группы",
        whole: "Один чат на всю группу",
      },
    },
    servesBusiness: {
      label: "Telegram для бизнеса",
      hint: "Бот ведёт и чаты аккаунтов, владельцы которых подключили его и отправили ему команду с его страницы.",
    },
    businessOwners: {
      label: "Владельцы бизнес-аккаунтов",
      hint: "Идентификаторы пользователей Telegram, по одному в строке, в чьих бизнес-чатах бот может отвечать. Если пусто — ни в чьих.",
    },
    updates: {
      label: "Как приходят сообщения",
      hint: "Меняйте, только если об этом попросит администратор сервера.",
      choices: {
        server: "Как на сервере",
        webhook: "Telegram обращается к серверу (webhook)",
        polling: "Сервер спрашивает Telegram (long polling)",
      },
    },
    takeOver: {
      label: "Забрать бота у другого сервиса",
      hint: "Только если бот сейчас подключён к другому сервису, а его сообщения должны приходить сюда.",
    },
  },
};
