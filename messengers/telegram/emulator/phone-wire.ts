// The phone's API: JSON over HTTP under `/phone/api`. It is the sandbox's own; real phones speak another protocol.

/** A person with an account; `id` is the user id and that of every private chat with them. */
export interface Person {
  id: number;
  firstName: string;
  lastName?: string;
  /** Without the `@`. */
  username?: string;
  /** The phone's IETF tag, e.g. `en` or `pt-br`; some phones send none. */
  language?: string;
  phone?: string;
  hasPhoto: boolean;
}

/** A bot as made by BotFather. */
export interface BotCard {
  id: number;
  username: string;
  name: string;
  token: string;
  /** The current URL. */
  webhook: string;
}

export type MediaKind = "photo" | "video" | "animation" | "video_note" | "voice" | "audio" | "document" | "sticker";

export interface PhoneFile {
  /** Relative to the emulator's origin. */
  url: string;
  name: string;
  mediaType: string;
  size: number;
  /** Seconds. */
  duration?: number;
  width?: number;
  height?: number;
}

/** Formatting as in the Bot API's MessageEntity: offsets and lengths in UTF-16 units. */
export interface Mark {
  type: string;
  offset: number;
  length: number;
  /** `text_link` only. */
  url?: string;
  /** `pre` only. */
  language?: string;
  /** `custom_emoji` only. */
  custom_emoji_id?: string;
}

export interface PhoneMessage {
  id: number;
  /** Unix time, ms. */
  at: number;
  /** `me`: the phone's owner; `other`: another member; `service`: Telegram itself. */
  from: "me" | "bot" | "other" | "service";
  author?: string;
  text: string;
  marks: Mark[];
  media?: { kind: MediaKind; file: PhoneFile; emoji?: string };
  /** Shared by the parts of an album. */
  album?: string;
  /** The caption is above the media. */
  above?: true;
  /** Contact, location, poll, dice, gift or rich text in words. */
  card?: string;
  forwardedFrom?: string;
  /** The quoted text, present even when the message is gone. Without `id`: a story or another chat's message. */
  quote?: { id?: number; text: string };
  edited: boolean;
  reactions: { emoji: string; mine: boolean }[];
  inline: PhoneButton[][];
}
export interface PhoneButton {
  text: string;
  url?: string;
  data?: string;
}
/** A key of the reply keyboard; `contact` requests the person's number. */
export interface ReplyKey {
  text: string;
  contact: boolean;
}

export interface PhoneChat {
  /** A private chat has the bot's id, a group a negative one. */
  id: number;
  title: string;
  kind: "private" | "group" | "supergroup" | "channel";
  blocked: boolean;
  keyboard: ReplyKey[][];
  typing: boolean;
  messages: PhoneMessage[];
}

/** A person's message. Upload files first: `POST /phone/api/files` returns their ids. */
export interface PhoneDraft {
  text?: string;
  marks?: Mark[];
  /** Several make an album: one message each, the first with `text` as caption. */
  media?: DraftMedium[];
  contact?: { phone: string; firstName: string; lastName?: string };
  place?: { latitude: number; longitude: number; title?: string; address?: string };
  poll?: { question: string; options: string[] };
  dice?: string;
  /** Blocks of a rich message, as the Bot API names them (RichBlock); 500 at most. */
  rich?: { type: string }[];
  /** Id of the replied message. */
  replyTo?: number;
  /** The quoted part; `position` is needed if it occurs more than once. */
  quote?: { text: string; position?: number };
  /** A replied message of another chat. */
  external?: { from: string; isChannel?: boolean; text?: string };
  /** Number of the replied story. */
  story?: number;
  /** A gift by price in stars; `uniqueGift` is a collectible. */
  gift?: { stars: number; text?: string; isPrivate?: boolean };
  uniqueGift?: { name: string; number: number };
  /** Original author of a forwarded message. */
  forwardedFrom?: string;
  /** Payload of a `t.me/<bot>?start=<payload>` link. */
  start?: string;
}

export interface DraftMedium {
  kind: MediaKind;
  file: string;
  duration?: number;
  emoji?: string;
  animated?: boolean;
  /** Caption of any album part but the first. */
  caption?: string;
}

/** Absent fields stay; `text: null` removes the caption. */
export interface PhoneEdit {
  text?: string | null;
  marks?: Mark[];
  media?: DraftMedium;
}

/*
 * The phone's API. `:person` and `:chat` are ids.
 *
 * GET    /phone/api/people                                      Person[]
 * POST   /phone/api/people           {firstName, lastName?, username?, language?, phone?, photo?: file id}   Person
 * GET    /phone/api/bots                                        BotCard[]
 * POST   /phone/api/bots             {username, name, isTest?}  BotCard     (as BotFather's /newbot)
 * POST   /phone/api/bots/:bot/revoke                            BotCard     (a new token; the old one stops working)
 * PUT    /phone/api/:person/chatbot  {bot: id | null}           {}          (of the person's business account)
 * GET    /phone/api/:person/chatbot                             {bot: id | null}
 * POST   /phone/api/files            the bytes; Content-Type and X-File-Name (percent-encoded)   {id}
 * GET    /phone/api/:person/chats                               PhoneChat[] (newest activity first)
 * GET    /phone/api/:person/events                              SSE: each changed PhoneChat (event: chat)
 * POST   /phone/api/:person/chats/:chat/messages   PhoneDraft   {ids: number[]}
 * PATCH  /phone/api/:person/chats/:chat/messages/:id            PhoneEdit   {}
 * DELETE /phone/api/:person/chats/:chat/messages/:id            {}          (only business bots learn of it)
 * POST   /phone/api/:person/chats/:chat/erase                   {ids: number[]}   (several at once)
 * PUT    /phone/api/:person/chats/:chat/messages/:id/reaction   {emoji: string | null, as?: id}   (`as`: in a chat's name)
 * POST   /phone/api/:person/chats/:chat/messages/:id/press      {data}      (an inline button)
 * POST   /phone/api/:person/chats/:chat/block                   {blocked: boolean}
 * POST   /phone/api/groups           {title, people: id[], bot: id, supergroup?: boolean, admin?: boolean}   {id}
 * POST   /phone/api/groups/:chat/upgrade                        {id}        (a supergroup has a new id)
 *
 * A draft to a bot's id opens the private chat (`start` is sent as `/start <payload>`).
 * Errors: status 400 or 404 and {error: string}.
 */
