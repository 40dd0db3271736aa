// What a phone and the emulator of the messenger say to each other: JSON over HTTP under `/phone/api`, below the
// address of a person's phone. Nothing here is Telegram's: a real phone speaks a protocol of its own.

/** A person with an account at the messenger; `id` is their user id and the id of every private chat with them. */
export interface Person {
  id: number;
  firstName: string;
  lastName?: string;
  /** Without the `@`. */
  username?: string;
  /** IETF tag of the phone, such as `en` or `pt-br`; some phones tell none. */
  language?: string;
  phone?: string;
  hasPhoto: boolean;
}

/** A bot as `BotFather` made it. */
export interface BotCard {
  id: number;
  username: string;
  name: string;
  token: string;
  /** What is set at the moment. */
  webhook: string;
}

export type MediaKind = "photo" | "video" | "animation" | "video_note" | "voice" | "audio" | "document" | "sticker";

export interface PhoneFile {
  /** Served by the emulator, relative to its origin. */
  url: string;
  name: string;
  mediaType: string;
  size: number;
  /** Seconds. */
  duration?: number;
  width?: number;
  height?: number;
}

/** Formatting, as the Bot API's MessageEntity: offsets and lengths in UTF-16 units. */
export interface Mark {
  type: string;
  offset: number;
  length: number;
  /** Of a `text_link`. */
  url?: string;
  /** Of a `pre`. */
  language?: string;
  /** Of a `custom_emoji`. */
  custom_emoji_id?: string;
}

/** A message as the phone shows it. */
export interface PhoneMessage {
  id: number;
  /** ms since 1970. */
  at: number;
  /** `me`: the person whose phone this is; `bot`; `other`: somebody else in a group; `service`: no message of anybody. */
  from: "me" | "bot" | "other" | "service";
  author?: string;
  text: string;
  marks: Mark[];
  media?: { kind: MediaKind; file: PhoneFile; emoji?: string };
  /** Parts of one album share it. */
  album?: string;
  /** Its words stand above its picture. */
  above?: true;
  /** Contact, place, poll, dice, gift: a line that tells what it is. */
  card?: string;
  forwardedFrom?: string;
  /**
   * The quoted message; `text` is what is shown of it, and is there also when the message is gone. Without an `id` it is
   * a story or a message of another chat.
   */
  quote?: { id?: number; text: string };
  edited: boolean;
  reactions: { emoji: string; mine: boolean }[];
  /** Buttons under the message. */
  inline: PhoneButton[][];
}
export interface PhoneButton {
  text: string;
  url?: string;
  data?: string;
}
/** A keyboard in place of the phone's own; `contact` asks for the person's number. */
export interface ReplyKey {
  text: string;
  contact: boolean;
}

export interface PhoneChat {
  /** The bot's id in a private chat, a negative number in a group. */
  id: number;
  title: string;
  kind: "private" | "group" | "supergroup" | "channel";
  blocked: boolean;
  keyboard: ReplyKey[][];
  typing: boolean;
  messages: PhoneMessage[];
}

/** What a person sends. Files go before it: `POST /phone/api/files` answers with the id. */
export interface PhoneDraft {
  text?: string;
  marks?: Mark[];
  /** More than one: an album, each a message of its own as at the messenger, the first with `text` as its caption. */
  media?: DraftMedium[];
  contact?: { phone: string; firstName: string; lastName?: string };
  place?: { latitude: number; longitude: number; title?: string; address?: string };
  poll?: { question: string; options: string[] };
  dice?: string;
  /** Id of the message it answers. */
  replyTo?: number;
  /** The words of that message that are highlighted; where they stand, when they stand there more than once. */
  quote?: { text: string; position?: number };
  /** A message of another chat that it answers: whose it is, and what of it comes along. */
  external?: { from: string; isChannel?: boolean; text?: string };
  /** The number of a story of the other one that it answers. */
  story?: number;
  /** A gift that was bought for so many stars, or one of a kind. */
  gift?: { stars: number; text?: string; isPrivate?: boolean };
  uniqueGift?: { name: string; number: number };
  /** Whose message it was, when it is passed on. */
  forwardedFrom?: string;
  /** The payload of a `t.me/<bot>?start=<payload>` link. */
  start?: string;
}

export interface DraftMedium {
  kind: MediaKind;
  file: string;
  duration?: number;
  emoji?: string;
  animated?: boolean;
  /** In an album, of a part that is not the first. */
  caption?: string;
}

/** How a person changes a message: what is not there stays; a `text` of null takes the caption away. */
export interface PhoneEdit {
  text?: string | null;
  marks?: Mark[];
  media?: DraftMedium;
}

/*
 * The phone's calls. `:person` is a person's id, `:chat` a chat's.
 *
 * GET    /phone/api/people                                      Person[]
 * POST   /phone/api/people           {firstName, lastName?, username?, language?, phone?, photo?: file id}   Person
 * GET    /phone/api/bots                                        BotCard[]
 * POST   /phone/api/bots             {username, name, isTest?}  BotCard     (as BotFather's /newbot)
 * POST   /phone/api/bots/:bot/revoke                            BotCard     (a new token; the old one is dead at once)
 * POST   /phone/api/files            the bytes; Content-Type and X-File-Name (percent-encoded)   {id}
 * GET    /phone/api/:person/chats                               PhoneChat[] (newest activity first)
 * GET    /phone/api/:person/events                              SSE: a PhoneChat each time one has changed (event: chat)
 * POST   /phone/api/:person/chats/:chat/messages   PhoneDraft   {ids: number[]}
 * PATCH  /phone/api/:person/chats/:chat/messages/:id            PhoneEdit   {}
 * DELETE /phone/api/:person/chats/:chat/messages/:id            {}          (only a business's bot is told)
 * POST   /phone/api/:person/chats/:chat/erase                   {ids: number[]}   (several at once)
 * PUT    /phone/api/:person/chats/:chat/messages/:id/reaction   {emoji: string | null, as?: id}   (as a chat of theirs)
 * POST   /phone/api/:person/chats/:chat/messages/:id/press      {data}      (an inline button)
 * POST   /phone/api/:person/chats/:chat/block                   {blocked: boolean}
 * POST   /phone/api/groups           {title, people: id[], bot: id, supergroup?: boolean, admin?: boolean}   {id}
 * POST   /phone/api/groups/:chat/upgrade                        {id}        (to a supergroup: another id)
 *
 * A private chat needs no making: a draft to the bot's id opens it (`start` is sent as `/start <payload>`).
 * Errors: status 400 or 404 and {error: string}.
 */
