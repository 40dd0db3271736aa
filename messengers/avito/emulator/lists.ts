import { z } from "zod";
import type { Asked, Operation, Platform } from "./platform.ts";
import { invalid } from "./refusal.ts";
import { chatIn, parsed } from "./sending.ts";
import { listedChat, listedMessage } from "./wire.ts";
import type { Chat } from "./world.ts";

const number = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const paging = { limit: number(1, 100).default(100), offset: number(0, 1_000).default(0) };
const ofChats = z.strictObject({
  ...paging,
  unread_only: z.enum(["true", "false"]).default("false"),
  chat_types: z.string().default("u2i"),
  item_ids: z.string().optional(),
});
const ofMessages = z.strictObject(paging);
const ofVoices = z.strictObject({ voice_ids: z.string().min(1) });
const ofWebhook = z.strictObject({ url: z.url({ protocol: /^https?$/ }) });
const nothing = z.strictObject({});

const ACCOUNT = "/accounts/:userId{\\d+}";

export const listOperations = (platform: Platform): Operation[] => [
  {
    id: "self",
    method: "GET",
    path: "/core/v1/accounts/self",
    run: ({ account: { id, name }, query }) => {
      parsed(nothing, query);
      const profile_url = `https://avito.ru/user/${id.toString(16).padStart(8, "0")}/profile`;
      return { id, name, email: "shop@example.com", phone: "79990000000", profile_url };
    },
  },
  { id: "getChatsV2", method: "GET", path: `/messenger/v2${ACCOUNT}/chats`, run: (asked) => chats(platform, asked) },
  {
    id: "getChatByIdV2",
    method: "GET",
    path: `/messenger/v2${ACCOUNT}/chats/:chatId`,
    run: (asked) => listedChat(chatIn(platform, asked), viewOf(platform)),
  },
  {
    id: "getMessagesV3",
    method: "GET",
    path: `/messenger/v3${ACCOUNT}/chats/:chatId/messages/`,
    run: (asked) => messages(platform, asked),
  },
  {
    id: "chatRead",
    method: "POST",
    path: `/messenger/v1${ACCOUNT}/chats/:chatId/read`,
    run(asked) {
      const { messages: all, account } = chatIn(platform, asked);
      for (const each of all) if (each.author !== account.id) each.readAt ??= platform.clock.now();
      return { ok: true };
    },
  },
  {
    id: "getVoiceFiles",
    method: "GET",
    path: `/messenger/v1${ACCOUNT}/getVoiceFiles`,
    run: (asked) => voices(platform, asked),
  },
  ...webhookOperations(platform),
];

const viewOf = ({ origin, switches }: Platform) => ({ origin: origin(), aheadMs: switches.values().clockMs });

function chats(platform: Platform, { account, query }: Asked): object {
  const { limit, offset, chat_types, unread_only, item_ids } = parsed(ofChats, query);
  const types = chat_types.split(",");
  if (types.some((type) => !["u2i", "u2u", "a2u"].includes(type))) throw invalid("Unknown chat type");
  const items = item_ids?.split(",").map(Number);
  const isUnread = ({ messages: all }: Chat) => all.some((each) => each.author !== account.id && !each.readAt);
  const found = platform.world.chats
    .filter((chat) => chat.account === account && types.includes(chat.type))
    .filter((chat) => unread_only === "false" || isUnread(chat))
    .filter((chat) => !items || items.includes(chat.item?.id ?? 0))
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
  return { chats: found.slice(offset, offset + limit).map((chat) => listedChat(chat, viewOf(platform))) };
}

function messages(platform: Platform, asked: Asked): object {
  const { limit, offset } = parsed(ofMessages, asked.query);
  const chat = chatIn(platform, asked);
  const { messages: shape, order, listedAfterMs } = platform.switches.values();
  const listed = chat.messages.filter(({ at }) => at <= platform.clock.now() - listedAfterMs || listedAfterMs === 0);
  const all = order === "newest" ? listed.toReversed() : listed;
  const page = all.slice(offset, offset + limit).map((each) => listedMessage(each, chat, viewOf(platform)));
  return shape === "array" ? page : { messages: page, meta: { has_more: offset + limit < all.length } };
}

function voices({ world, origin, clock, switches }: Platform, { account, query }: Asked): object {
  const ids = parsed(ofVoices, query).voice_ids.split(",");
  const until = clock.now() + switches.values().voiceLifeMs;
  const known = ids.filter((id) => world.voices.get(id)?.chat.account === account);
  return { voices_urls: Object.fromEntries(known.map((id) => [id, `${origin()}/voices/${id}.mp4?until=${until}`])) };
}

const webhookOperations = ({ courier, switches }: Platform): Operation[] => [
  {
    id: "postWebhookV3",
    method: "POST",
    path: "/messenger/v3/webhook",
    async run({ account, body }) {
      const { url } = parsed(ofWebhook, body);
      if (switches.values().probe && !(await courier.probe(url))) throw invalid("The url does not answer 200 in 2 s");
      account.webhooks = [...account.webhooks.filter((each) => each.url !== url), { url, version: "3" }];
      return { ok: true };
    },
  },
  {
    id: "getSubscriptions",
    method: "POST",
    path: "/messenger/v1/subscriptions",
    run: ({ account }) => ({ subscriptions: account.webhooks }),
  },
  {
    id: "postWebhookUnsubscribe",
    method: "POST",
    path: "/messenger/v1/webhook/unsubscribe",
    run({ account, body }) {
      const { url } = parsed(ofWebhook, body);
      account.webhooks = account.webhooks.filter((each) => each.url !== url);
      return { ok: true };
    },
  },
];
