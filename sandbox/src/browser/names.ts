import type { Channel, Item, Message, Person, WaitingLevel } from "./model.ts";
import { wordsOf } from "./model.ts";

const CHANNELS: Record<string, string> = {
  avito: "Avito",
  consultant: "Web chat",
  custom: "Messenger",
  drom: "Drom",
  fbmessenger: "Messenger",
  instagram: "Instagram",
  max: "MAX",
  mega_market: "MegaMarket",
  odnoklassniki: "OK",
  ozon: "Ozon",
  skype: "Skype",
  telegram: "Telegram",
  viber: "Viber",
  vk: "VK",
  whatsapp: "WhatsApp",
  wildberries: "Wildberries",
  yandex_chat: "Yandex Chat",
  yandex_market: "Yandex Market",
  youla: "Youla",
};
export const channelName = ({ type }: Pick<Channel, "type">): string => CHANNELS[type] ?? type;

const FAULTS: Record<string, string> = {
  access_restricted: "the customer does not accept messages",
  async_send_timeout: "the messenger did not confirm in time",
  customer_not_exists: "there is no such customer in the messenger",
  general: "the messenger refused the message",
  malformed_response: "the channel's answer was unreadable",
  network_error: "the channel could not be reached",
  reply_timed_out: "the time to reply is over",
  spam_suspicion: "the messenger suspected spam",
  unknown: "unknown reason",
};
/** Why a message was not delivered, with the error code. */
export function faultWords({ code, message }: { code: string; message?: string }): string {
  const words = FAULTS[code] ?? FAULTS.unknown;
  return `Not delivered: ${words}${message ? ` (${message})` : ""} [${code}]`;
}

export const WAITING: Record<WaitingLevel, string> = {
  danger: "Overdue",
  warning: "Waiting",
  none: "",
};

export function systemWords({ action, from, responsible }: Message): string {
  const who = from?.name || "Somebody";
  switch (action) {
    case "customer_blocked":
      return `${who} blocked the customer`;
    case "customer_unblocked":
      return `${who} unblocked the customer`;
    case "dialog_assign":
      return responsible && responsible.id !== from?.id
        ? `${who} assigned the dialog to ${responsible.name}`
        : `${who} took the dialog`;
    case "dialog_unassign":
      return responsible ? `${who} took the dialog from ${responsible.name}` : `${who} unassigned the dialog`;
    case "dialog_opened":
      return `Dialog opened by ${who}`;
    case "dialog_closed":
      return `${who} closed the dialog`;
    case "dialog_tag_added":
      return `${who} added a tag`;
    case "dialog_tag_removed":
      return `${who} removed a tag`;
    case "user_joined":
      return `${who} joined`;
    case "user_left":
      return `${who} left`;
    default:
      return action ? `${who}: ${action.replaceAll("_", " ")}` : who;
  }
}

const KINDS: Record<string, string> = {
  audio: "Voice message",
  command: "Command",
  file: "File",
  image: "Picture",
  order: "Order",
  product: "Product",
};
const kindWords = (type: string): string => KINDS[type] ?? "Message";

export function previewOf(message: Message): string {
  if (message.type === "system") return systemWords(message);
  const words = wordsOf(message).replaceAll(/\s+/g, " ").trim();
  if (message.type === "product") return `Product: ${message.product?.name ?? words}`;
  if (message.type === "order") return `Order ${message.order?.number ?? words}`.trim();
  if (message.type === "text" || message.type === "command") return words;
  const count = message.items.length > 1 ? ` (${message.items.length})` : "";
  return `${kindWords(message.type)}${count}${words ? `: ${words}` : ""}`;
}

/** A quote's text, else its kind. */
export const quoteWords = (text: string, type: string | undefined, items: Item[]): string =>
  text || items.find((item) => item.caption)?.caption || kindWords(type ?? "");

export function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const initials =
    words.length > 1 ? [words[0], words.at(-1)].map((word) => [...(word ?? "")][0]) : [...(words[0] ?? "?")];
  return initials.slice(0, 2).join("").toUpperCase();
}

/** A stable colour per id. */
export const toneOf = (id: number): string => String(id % 6);

const DAY_MS = 86_400_000;
const midnight = (at: number) => new Date(at).setHours(0, 0, 0, 0);
export const clockTime = (at: number): string =>
  new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
export const fullTime = (at: number): string =>
  new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

export function dayName(at: number): string {
  const days = Math.round((midnight(Date.now()) - midnight(at)) / DAY_MS);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  const sameYear = new Date(at).getFullYear() === new Date().getFullYear();
  const year = sameYear ? undefined : ("numeric" as const);
  return new Date(at).toLocaleDateString([], { weekday: "short", day: "numeric", month: "short", year });
}
export const dayOf = (at: number): number => midnight(at);

/** Short form for lists. */
export const shortTime = (at: number): string =>
  midnight(at) === midnight(Date.now())
    ? clockTime(at)
    : new Date(at).toLocaleDateString([], { day: "numeric", month: "short" });

export function sizeWords(bytes: number | undefined): string {
  if (bytes === undefined) return "";
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export const personWords = (person: Person | undefined): string => person?.name ?? "Nobody";
