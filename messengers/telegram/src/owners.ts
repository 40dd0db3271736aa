import type { FieldWords } from "gangway-messenger/features";
import { fingerprint, sameSecret } from "gangway-messenger/ids";
import type { InLanguages } from "gangway-messenger/language";
import type { Note, Notes } from "gangway-messenger/port";
import type { TelegramMessage } from "./reading/update.ts";
import type { BotCall, Settings } from "./wire.ts";
import { words } from "./words.ts";

// The owners whose business chats a bot may serve: anybody can connect it to their own chats. The settings name them,
// or they identify themselves by a command that only the channel's page shows.

const OWNERS = "business-owners";

/** User ids. */
export async function ownersOf(
  settings: Pick<Settings, "servesBusiness" | "businessOwners">,
  note: Notes["get"],
): Promise<string[]> {
  const said = settings.servesBusiness ? await note(OWNERS) : undefined;
  return [...settings.businessOwners, ...Object.keys(JSON.parse(said ?? "{}"))];
}

/** At most 64 characters, since a link to the bot carries it (core.telegram.org/bots/features#deep-linking). */
const secretOf = ({ webhookSecret }: Pick<Settings, "webhookSecret">) => `own-${fingerprint(`owner ${webhookSecret}`)}`;
const commandOf = (settings: Pick<Settings, "webhookSecret">) => `/start ${secretOf(settings)}`;

/**
 * Recognizes the command, by which somebody who sees the channel's page says that they are the owner. Undefined: the
 * message says something else.
 */
export function readOwner(
  { text, chat, from }: TelegramMessage,
  settings: Pick<Settings, "webhookSecret" | "language">,
): { notes: Note[]; answer: BotCall } | undefined {
  if (chat.type !== "private" || !from || !text) return undefined;
  if (!sameSecret(text.trim(), commandOf(settings))) return undefined;
  return {
    notes: [{ key: OWNERS, value: JSON.stringify({ [from.id]: true }), merge: true }],
    answer: { method: "sendMessage", chat_id: Number(chat.id), text: WELCOME[settings.language] },
  };
}

const WELCOME: Record<Settings["language"], string> = {
  en: "Thank you. Now add this bot in Settings, Telegram Business, Chatbots, unless you already have: then agents see your customers' chats.",
  es: "Gracias. Si aún no lo ha hecho, añada este bot en Ajustes, Telegram Business, Chatbots: así los agentes verán los chats de sus clientes.",
  ru: "Спасибо. Если ещё не сделали этого, добавьте бота в разделе «Настройки», «Telegram для бизнеса», «Чат-боты»: тогда менеджеры увидят чаты ваших клиентов.",
};

/** `link`: to the bot; without it the owner types the command. */
export function afterwards(settings: Settings, _doorUrl?: string, link?: string): InLanguages<FieldWords> | undefined {
  if (!settings.servesBusiness) return undefined;
  const open = link ? `\`${link}?start=${secretOf(settings)}\`` : `\`${commandOf(settings)}\``;
  const bot = link ? `\`@${link.split("/").at(-1)}\`` : undefined;
  return {
    en: {
      label: "Connect your Telegram account",
      steps: [
        link
          ? `In the Telegram account whose chats agents will answer, open ${open} and press Start. Keep this link to yourself.`
          : `In the Telegram account whose chats agents will answer, open the bot, and send it ${open} (keep it to yourself)`,
        `In the same account: Settings, Telegram Business, Chatbots. Enter ${bot ?? "the bot's name"}, choose the chats, and allow it to reply.`,
        "Ask somebody to write to your account: their message appears in the CRM's chats.",
      ],
    },
    es: {
      label: "Conecte su cuenta de Telegram",
      steps: [
        link
          ? `En la cuenta de Telegram cuyos chats atenderán los agentes, abra ${open} y pulse Iniciar. No comparta este enlace.`
          : `En la cuenta de Telegram cuyos chats atenderán los agentes, abra el bot y envíele ${open} (no lo comparta)`,
        `En la misma cuenta: Ajustes, Telegram Business, Chatbots. Introduzca ${bot ?? "el nombre del bot"}, elija los chats y permítale responder.`,
        "Pida a alguien que escriba a su cuenta: su mensaje aparecerá en los chats del CRM.",
      ],
    },
    ru: {
      label: "Подключите свой аккаунт Telegram",
      steps: [
        link
          ? `В аккаунте Telegram, в чатах которого будут отвечать менеджеры, откройте ${open} и нажмите «Запустить». Никому не показывайте эту ссылку.`
          : `В аккаунте Telegram, в чатах которого будут отвечать менеджеры, откройте бота и отправьте ему команду ${open} (никому её не показывайте)`,
        `В том же аккаунте: «Настройки», «Telegram для бизнеса», «Чат-боты». Введите ${bot ?? "имя бота"}, выберите чаты и разрешите ему отвечать.`,
        "Попросите кого-нибудь написать в ваш аккаунт: сообщение появится в чатах CRM.",
      ],
    },
  };
}

/** Customers write to the account, not to the bot. */
export const tryOut = ({ servesBusiness }: Settings): InLanguages<string> | undefined =>
  servesBusiness ? ASK_SOMEBODY : undefined;

const ASK_SOMEBODY: InLanguages<string> = {
  en: "Ask somebody to write to the Telegram account that is connected to this bot. Their message appears in the CRM's chats within seconds. So does what is written to the bot itself:",
  es: "Pida a alguien que escriba a la cuenta de Telegram conectada a este bot. Su mensaje aparece en los chats del CRM en unos segundos, igual que lo que se escribe al propio bot:",
  ru: "Попросите кого-нибудь написать в аккаунт Telegram, подключённый к этому боту. Сообщение появится в чатах CRM через несколько секунд, как и сообщения самому боту:",
};

const on = (steps: InLanguages<string[]>): InLanguages<Record<"token", FieldWords>> => ({
  en: { token: { ...words.en.token, steps: steps.en } },
  es: { token: { ...words.es.token, steps: steps.es } },
  ru: { token: { ...words.ru.token, steps: steps.ru } },
});

/** For the list of what can be added. */
export const business = {
  name: "business",
  title: { en: "Telegram Business", es: "Telegram Business", ru: "Telegram для бизнеса" },
  about: {
    en: "The chats of your own Telegram account: agents answer in your name through a bot, and what you write yourself reaches the CRM. Needs no Premium. Agents cannot write first, nor later than 24 hours after the customer, nor react with emoji there.",
    es: "Los chats de su propia cuenta de Telegram: los agentes responden en su nombre a través de un bot, y lo que escribe usted llega al CRM. No requiere Premium. Allí los agentes no pueden escribir primero, ni pasadas 24 horas desde el mensaje del cliente, ni reaccionar con emojis.",
    ru: "Чаты вашего собственного аккаунта Telegram: менеджеры отвечают от вашего имени через бота, а то, что пишете вы сами, видно в CRM. Premium не нужен. Там менеджеры не могут писать первыми и позже 24 часов после сообщения клиента, а также ставить реакции.",
  },
  settings: { servesBusiness: true },
  // A new bot does not accept business accounts.
  words: on({
    en: [
      "In Telegram, open the chat with `@BotFather`",
      "Write `/newbot` to it, or `/token` for an existing bot.",
      "Write `/mybots`, choose the bot, then Bot Settings, Business Mode, Turn on.",
      "Copy the token from BotFather's first answer, and paste it here.",
    ],
    es: [
      "En Telegram, abra el chat con `@BotFather`",
      "Escríbale `/newbot`, o `/token` si el bot ya existe.",
      "Escriba `/mybots`, elija el bot y después Bot Settings, Business Mode, Turn on.",
      "Copie el token de la primera respuesta de BotFather y péguelo aquí.",
    ],
    ru: [
      "Откройте в Telegram чат с `@BotFather`",
      "Отправьте ему `/newbot` или, если бот уже есть, `/token`",
      "Отправьте `/mybots`, выберите бота, затем Bot Settings, Business Mode, Turn on.",
      "Скопируйте токен из первого ответа BotFather и вставьте его сюда.",
    ],
  }),
};
