import type { FieldWords } from "gangway-messenger/features";
import { fingerprint, sameSecret } from "gangway-messenger/ids";
import type { InLanguages } from "gangway-messenger/language";
import type { Note, Notes } from "gangway-messenger/port";
import type { TelegramMessage } from "./reading/update.ts";
import type { BotCall, Settings } from "./wire.ts";

// Whose business chats a bot may serve: anybody can connect it to their own. The settings name them, or they say so themselves, by a
// command that only the channel's page shows.

type Whose = Pick<Settings, "servesBusiness" | "businessOwners">;

export const isForBusiness = ({ servesBusiness, businessOwners }: Whose): boolean =>
  servesBusiness || businessOwners.length > 0;

const OWNERS = "business-owners";

/** User ids. */
export async function ownersOf(settings: Whose, note: Notes["get"]): Promise<string[]> {
  const said = settings.servesBusiness ? await note(OWNERS) : undefined;
  return [...settings.businessOwners, ...Object.keys(JSON.parse(said ?? "{}"))];
}

/** Of at most 64 characters after the space (core.telegram.org/bots/features#deep-linking). */
const commandOf = ({ webhookSecret }: Pick<Settings, "webhookSecret">) =>
  `/start own-${fingerprint(`owner ${webhookSecret}`)}`;

/** Somebody who has the channel's page says that they are the owner. Undefined: the message says something else. */
export function readOwner(
  { text, chat, from }: TelegramMessage,
  settings: Pick<Settings, "servesBusiness" | "webhookSecret" | "language">,
): { notes: Note[]; answer: BotCall } | undefined {
  if (!settings.servesBusiness || chat.type !== "private" || !from || !text) return undefined;
  if (!sameSecret(text.trim(), commandOf(settings))) return undefined;
  return {
    notes: [{ key: OWNERS, value: JSON.stringify({ [from.id]: true }), merge: true }],
    answer: { method: "sendMessage", chat_id: Number(chat.id), text: WELCOME[settings.language] },
  };
}

const WELCOME: Record<Settings["language"], string> = {
  en: "Thank you. If this bot is among the chatbots of your account, agents now see your customers' chats.",
  es: "Gracias. Si este bot está entre los chatbots de su cuenta, los agentes ya ven los chats de sus clientes.",
  ru: "Спасибо. Если этот бот подключён к вашему аккаунту как чат-бот, операторы теперь видят чаты ваших клиентов.",
};

export function afterwards(settings: Settings): InLanguages<FieldWords> | undefined {
  if (!settings.servesBusiness) return undefined;
  const command = `\`${commandOf(settings)}\``;
  return {
    en: {
      label: "Connect your Telegram account",
      steps: [
        `In the Telegram account whose chats agents shall answer, open the bot, and send it ${command} (keep it to yourself)`,
        "In the same account: Settings, Telegram Business, Chatbots. Enter the bot's name, choose the chats, and allow it to reply.",
      ],
    },
    es: {
      label: "Conecte su cuenta de Telegram",
      steps: [
        `En la cuenta de Telegram cuyos chats atenderán los agentes, abra el bot y envíele ${command} (no lo comparta)`,
        "En la misma cuenta: Ajustes, Telegram Business, Chatbots. Introduzca el nombre del bot, elija los chats y permítale responder.",
      ],
    },
    ru: {
      label: "Подключите свой аккаунт Telegram",
      steps: [
        `В аккаунте Telegram, в чатах которого будут отвечать операторы, откройте бота и отправьте ему ${command} (никому её не показывайте)`,
        "В том же аккаунте: Настройки, Telegram для бизнеса, Чат-боты. Введите имя бота, выберите чаты и разрешите ему отвечать.",
      ],
    },
  };
}

/** In the list of what can be added. */
export const business = {
  name: "business",
  title: { en: "Telegram Business", es: "Telegram Business", ru: "Telegram для бизнеса" },
  about: {
    en: "The chats of your own Telegram account: agents answer in your name through a bot, and what you write yourself reaches the CRM. Needs no Premium. Agents cannot write first, nor later than 24 hours after the customer, nor react with emoji there.",
    es: "Los chats de su propia cuenta de Telegram: los agentes responden en su nombre a través de un bot, y lo que escribe usted llega al CRM. No requiere Premium. Allí los agentes no pueden escribir primero, ni pasadas 24 horas desde el mensaje del cliente, ni reaccionar con emojis.",
    ru: "Чаты вашего собственного аккаунта Telegram: операторы отвечают от вашего имени через бота, а то, что пишете вы сами, видно в CRM. Premium не нужен. Там операторы не могут писать первыми и позже 24 часов после сообщения клиента, а также ставить реакции.",
  },
  settings: { servesBusiness: true },
};
