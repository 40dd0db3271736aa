import type { CustomerId } from "../../../domain/ids.ts";
import type { Customer } from "../../../domain/message/message.ts";
import { cleanName } from "../../../domain/names.ts";
import type { Origin, TelegramChat, TelegramUser } from "./update.ts";

const full = ({ first_name: first, last_name: last }: Pick<TelegramUser, "first_name" | "last_name">) =>
  cleanName([first, last].filter(Boolean).join(" "));

/** Never empty: the gateway refuses a customer without a nickname. */
export function nameOf(user: TelegramUser): string {
  const handle = cleanName(user.username ?? "");
  return full(user) || (handle ? `@${handle}` : `Telegram ${user.id.slice(-4)}`);
}

export function customerOf(user: TelegramUser): Customer {
  const [language] = (user.language_code ?? "").toLowerCase().split(/[-_]/);
  return {
    id: user.id as CustomerId,
    nickname: nameOf(user),
    firstName: cleanName(user.first_name ?? "") || undefined,
    lastName: cleanName(user.last_name ?? "") || undefined,
    language: language && /^[a-z]{2}$/.test(language) ? language : undefined,
    profileUrl: profileUrl(user.username),
    hasAvatar: true,
  };
}

const profileUrl = (username: string | undefined) =>
  username && /^\w{3,40}$/.test(username) ? `https://t.me/${username}` : undefined;

/** The chat as a customer: the other person of a private chat, or the group itself. */
export function customerOfChat(chat: TelegramChat): Customer {
  const title = cleanName(chat.title ?? "");
  if (title) return { id: chat.id as CustomerId, nickname: title, profileUrl: profileUrl(chat.username) };
  return customerOf({ ...chat, is_bot: false, language_code: undefined });
}

export const titleOf = (chat: TelegramChat): string => customerOfChat(chat).nickname;

/** Original author of a forwarded message. */
export const originName = (origin: Origin | undefined): string | undefined => {
  const { sender_user: user, sender_user_name: name, sender_chat: group, chat: channel } = origin ?? {};
  if (user) return nameOf(user);
  if (name) return cleanName(name) || undefined;
  const from = group ?? channel;
  return from && titleOf(from);
};
