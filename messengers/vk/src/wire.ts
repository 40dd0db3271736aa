import { type ChatId, type MessengerMessageId, newSecret } from "gangway-messenger/ids";
import type { ChannelContext } from "gangway-messenger/port";
import * as z from "zod";

/** Version of the API (dev.vk.com/reference/versions). */
export const API_VERSION = "5.199";
/** Longest text, characters: as VK's own site allows. */
export const TEXT_LENGTH = 4_096;
export const MAX_FILES = 10;
const MEGABYTE = 1024 * 1024;
/** Largest photo and document, bytes. */
export const PHOTO_BYTES = 50 * MEGABYTE;
export const DOC_BYTES = 200 * MEGABYTE;
/** Largest request, bytes: a message with everything that it may quote and forward. */
export const REQUEST_BYTES = 3 * MEGABYTE;

/** Largest answer with whole messages, bytes. */
export const ANSWER_BYTES = 16 * MEGABYTE;

/** VK accepts letters and digits, at most 50. */
const newAlphanumeric = (): string => newSecret().replaceAll(/[-_]/g, "0");

export const settings = z.object({
  token: z
    .string()
    .trim()
    .regex(/^[\w.-]{60,400}$/, "should be the whole access key, as VK shows it")
    .meta({ secret: true }),
  /** Language of cards, and of texts that the module writes itself. */
  language: z.enum(["en", "es", "ru"]).default("en"),
  /** How events arrive; `server`: as the operator has chosen. */
  updates: z.enum(["server", "webhook", "polling"]).default("server"),
  /** VK repeats it in each event. */
  webhookSecret: z
    .string()
    .regex(/^[A-Za-z\d]{32,50}$/)
    .default(newAlphanumeric)
    .meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

export const serverSettings = z.object({
  VK_API_URL: z
    .url({ protocol: /^https?$/, error: "should be an address such as https://api.vk.com" })
    .overwrite((url) => url.replace(/(?<!\/)\/+$/, ""))
    .prefault("https://api.vk.com")
    .describe("Address of VK's API; https://api.vk.ru where the other is not reached."),
  VK_REACTIONS: z
    .string()
    .regex(/^(\d{1,2}=[^=,\s]+(,\d{1,2}=[^=,\s]+)*)?$/, "should be pairs such as 1=❤️,2=🔥")
    .prefault("")
    .describe("Emoji of VK's reactions by their number, where they differ from the built-in list: 1=❤️,2=🔥."),
});
export type Server = z.infer<typeof serverSettings>;
export type Context = ChannelContext<Settings, Server>;

export const isPolling = ({ settings: own, server }: Pick<Context, "settings" | "server">): boolean =>
  (own.updates === "server" ? server.updates : own.updates) === "polling";

/** Only numbers of people: group chats, communities and mailboxes are not customers. */
const FIRST_GROUP_CHAT = 2_000_000_000;
export const isPerson = (peer: number): boolean => Number.isSafeInteger(peer) && peer > 0 && peer < FIRST_GROUP_CHAT;

/** A message's number within its chat. */
export const messageId = (peer: number | string, part: number | string): MessengerMessageId =>
  `${peer}:${part}` as MessengerMessageId;
export const chatId = (peer: number): ChatId => String(peer) as ChatId;
/** The number in the chat; undefined: not one of VK's. */
export function cmidIn(id: string): number | undefined {
  const found = /^\d+:(\d+)$/.exec(id)?.[1];
  return found === undefined ? undefined : Number(found);
}

// An odd field does not hide the rest: a value of another type counts as absent.

const part = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
const text = part(z.string());
const int = part(z.int());
const list = <Schema extends z.ZodType>(entry: Schema) =>
  part(z.array(z.unknown()).transform((all) => all.flatMap((each) => entry.safeParse(each).data ?? [])));

const image = z.object({ url: z.string(), width: int, height: int });
export const picture = list(image);
export type Picture = z.infer<typeof picture>;

const attachment = z.looseObject({ type: z.string() });
export type Attachment = z.infer<typeof attachment>;
const geo = z.object({
  coordinates: part(z.object({ latitude: z.number(), longitude: z.number() })),
  place: part(z.object({ title: text, address: text })),
});
const content = {
  text,
  attachments: list(attachment),
  geo: part(geo),
};
export interface Foreign {
  from_id?: number | null;
  conversation_message_id?: number | null;
  peer_id?: number | null;
  text?: string | null;
  attachments?: Attachment[] | null;
  geo?: z.infer<typeof geo> | null;
  fwd_messages?: Foreign[] | null;
}
const foreign: z.ZodType<Foreign> = z.object({
  from_id: int,
  conversation_message_id: int,
  peer_id: int,
  ...content,
  get fwd_messages() {
    return list(foreign);
  },
});

/** A message (dev.vk.com/reference/objects/message). */
export const message = z.object({
  id: int,
  conversation_message_id: z.int().min(1),
  peer_id: z.int(),
  from_id: z.int(),
  /** Seconds since 1970. */
  date: part(z.number()),
  update_time: part(z.number()),
  out: part(z.union([z.number(), z.boolean()])),
  /** An int32, signed however VK writes it. */
  random_id: part(z.int().transform((given) => given | 0)),
  admin_author_id: int,
  is_cropped: part(z.boolean()),
  action: part(z.looseObject({})),
  ref: text,
  ref_source: text,
  reply_message: part(foreign),
  fwd_messages: list(foreign),
  ...content,
});
export type Message = z.infer<typeof message>;

/** An event, sent or polled. Zod also measures what is not text, and throws at odd lengths: so there are no limits. */
export const envelope = z.object({
  type: z.string(),
  group_id: z.int(),
  event_id: text,
  secret: text,
  object: z.unknown().optional(),
});
export type Envelope = z.infer<typeof envelope>;

export const newMessage = z.object({ message });
export const readMark = z.object({
  from_id: z.int(),
  peer_id: z.int(),
  read_message_id: int,
  conversation_message_id: int,
});
export const reactionEvent = z.object({
  reacted_id: z.int(),
  peer_id: z.int(),
  cmid: z.int().min(1),
  reaction_id: int,
});
export const permission = z.object({ user_id: z.int() });
export const pressed = z.object({
  user_id: z.int(),
  peer_id: z.int(),
  event_id: z.string(),
  payload: z.unknown().optional(),
});
