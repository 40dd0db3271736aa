import { newSecret } from "gangway-messenger/ids";
import { LANGUAGES } from "gangway-messenger/language";
import type { ChannelContext } from "gangway-messenger/port";
import * as z from "zod";

/** Longest text, characters (sendMessageRequestBody). */
export const TEXT_LENGTH = 1_000;
/** An agent may write more: it is sent in pieces. */
export const AGENT_TEXT = 4 * TEXT_LENGTH;
/** Largest picture, bytes (uploadImages). */
export const IMAGE_BYTES = 24 * 1024 * 1024;
/** Largest webhook, bytes: a message of 1,000 characters, what it quotes, and a link's preview. */
export const REQUEST_BYTES = 128 * 1024;
/** How long a message can be deleted, hours (deleteMessage). */
export const DELETE_HOURS = 1;

export const settings = z.object({
  avitoClientId: z
    .string()
    .trim()
    .regex(/^[\w-]{8,64}$/, "should be the Client_id, exactly as Avito shows it"),
  avitoClientSecret: z
    .string()
    .trim()
    .regex(/^[\w-]{16,128}$/, "should be the Client_secret, exactly as Avito shows it")
    .meta({ secret: true }),
  /** Language of cards, and of texts that the module writes itself. */
  language: z.enum(LANGUAGES).default("ru"),
  /** Ends our URL: Avito signs nothing that could be checked. */
  webhookSecret: z.string().min(32).default(newSecret).meta({ hidden: true }),
  /** The current token, as `grants.ts` writes it. Empty: none yet. */
  avitoGrant: z.string().default("").meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

const PUBLIC_API = "https://api.avito.ru";

export const serverSettings = z.object({
  AVITO_API_URL: z
    .string()
    .transform((v) => v.replace(/(?<!\/)\/+$/, ""))
    .refine((v) => URL.canParse(v) && /^https?:$/.test(new URL(v).protocol) && !new URL(v).search, {
      message: `should be an address such as ${PUBLIC_API}`,
    })
    .optional()
    .describe("Another address of Avito's API, such as a proxy's or an emulator's."),
});

export type Context = ChannelContext<Settings, z.infer<typeof serverSettings>>;

/** No trailing slash. */
export const apiUrlOf = ({ server }: Pick<Context, "server">): string => server.AVITO_API_URL ?? PUBLIC_API;

export const webhookUrl = ({ doorUrl, settings: { webhookSecret } }: Pick<Context, "doorUrl" | "settings">): string =>
  `${doorUrl}/${webhookSecret}`;

export const loginOf = (userId: string): string => `avito:${userId}`;

// Avito's answers. No field is required; null, or a value of another type, counts as absent.

const some = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
const text = some(z.string());

/** A number in JSON, an id here. The gateway accepts no longer ids, and no others. */
export const id = z
  .union([z.string(), z.number().int()])
  .transform(String)
  .refine((value) => /^[^\p{Cc}\p{Cs}]{1,150}$/u.test(value));
/** It becomes part of a path, which these two would change. */
const pathId = id.refine((value) => !/^\.{1,2}$/.test(value));
const sizes = some(z.record(z.string(), z.unknown()));

/** Empty for the kinds that the API does not pass on: appCall, file, video. */
const content = z
  .object({
    text,
    image: some(z.object({ sizes })),
    voice: some(z.object({ voice_id: id })),
    link: some(z.object({ text, url: text, preview: some(z.object({ title: text, url: text })) })),
    item: some(z.object({ title: text, item_url: text, price_string: text })),
    location: some(z.object({ lat: some(z.number()), lon: some(z.number()), text, title: text })),
    call: some(z.object({ status: text })),
  })
  .catch(() => ({}) as never);
export type WireContent = z.infer<typeof content>;

/** Quotes are documented for the list alone. */
const quote = some(z.object({ type: text, content }));

/** What webhooks and lists say of a message. */
export const message = z.object({
  id: pathId,
  author_id: id,
  /** Unix time, s. */
  created: some(z.number()),
  type: z.string().catch("text"),
  content,
  quote,
});
export type WireMessage = z.infer<typeof message>;

export const webhookMessage = message.extend({ chat_id: pathId, user_id: id, chat_type: text });
export const webhook = z.object({ payload: z.object({ type: z.string(), value: z.unknown() }) });

/** Null is an empty one. */
const list = z.array(z.unknown()).nullable();
/** The document has a plain list; clients read an object. */
export const messageList = z
  .union([list, z.object({ messages: list })])
  .transform((answer) => (Array.isArray(answer) ? answer : (answer?.messages ?? [])));

const user = z.object({
  id,
  name: text,
  public_user_profile: some(z.object({ url: text, avatar: some(z.object({ images: sizes })) })),
});
export type WireUser = z.infer<typeof user>;

export const chat = z.object({
  id: pathId,
  /** Unix times, s. */
  created: some(z.number()),
  updated: some(z.number()),
  context: some(z.object({ value: some(z.object({ title: text, url: text, price_string: text })) })),
  users: some(z.array(user.nullable().catch(null))),
  last_message: some(message),
});
export type WireChat = z.infer<typeof chat>;

export const chatList = z.object({ chats: list.transform((all) => all ?? []) });
export const self = z.object({ id, name: text, profile_url: text });
export type Self = z.infer<typeof self>;
export const subscriptions = z.object({ subscriptions: z.array(z.object({ url: z.string(), version: text })) });
export const done = z.unknown();
export const sent = z.object({ id });
/** By the picture's id, its sizes. */
export const uploaded = z.record(z.string().min(1), z.unknown()).refine((all) => Object.keys(all).length > 0);
export const voiceFiles = z.object({ voices_urls: z.record(z.string(), z.string()) });
