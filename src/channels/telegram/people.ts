import type { CustomerId } from "../../domain/ids.ts";
import type { Customer } from "../../domain/message.ts";
import type { Origin, TelegramChat, TelegramUser } from "./update.ts";

/** Control characters, and those that turn the direction of what follows. */
const clean = (name: string): string => name.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f]/gu, "").trim();
const full = ({ first_name: first, last_name: last }: Pick<TelegramUser, "first_name" | "last_name">) =>
  clean([first, last].filter(Boolean).join(" "));

/** Never empty: the gateway refuses a customer without a nickname. */
export const nameOf = (user: TelegramUser): string =>
  full(user) || (user.username ? `@${user.username}` : `Telegram ${user.id.slice(-4)}`);

export function customerOf(user: TelegramUser): Customer {
  const language = user.language_code?.slice(0, 2).toLowerCase();
  return {
    id: user.id as CustomerId,
    nickname: nameOf(user),
    firstName: clean(user.first_name ?? "") || undefined,
    lastName: clean(user.last_name ?? "") || undefined,
    language: language && /^[a-z]{2}$/.test(language) ? language : undefined,
    profileUrl: profileUrl(user.username),
    hasAvatar: true,
  };
}

const profileUrl = (username: string | undefined) =>
  username && /^\w{3,40}$/.test(username) ? `https://t.me/${username}` : undefined;

/** A chat as a person: of a private chat the other side, of a group the group itself. */
export function customerOfChat(chat: TelegramChat): Customer {
  const title = clean(chat.title ?? "");
  if (title) return { id: chat.id as CustomerId, nickname: title, profileUrl: profileUrl(chat.username) };
  return customerOf({ ...chat, is_bot: false, language_code: undefined });
}

export const titleOf = (chat: TelegramChat): string => customerOfChat(chat).nickname;

/** Who wrote first what was passed on. */
export const originName = (origin: Origin | undefined): string | undefined => {
  const { sender_user: user, sender_user_name: name, sender_chat: group, chat: channel } = origin ?? {};
  if (user) return nameOf(user);
  if (name) return clean(name) || undefined;
  const from = group ?? channel;
  return from && titleOf(from);
};
