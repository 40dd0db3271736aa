import type { Asked, Operation } from "../graph.ts";
import { refusal, unknownField } from "../graph-error.ts";
import { listed } from "../listing.ts";
import type { Platform } from "./network.ts";
import { checkListing } from "./pace.ts";
import { messagingAccount } from "./reading.ts";
import { type Attachment, type Chat, type Message, nameOf } from "./world.ts";

// https://developers.facebook.com/docs/messenger-platform/conversations

/** Only so many of a conversation's newest messages have details. */
const DETAILED = 20;
const OF_CONVERSATION = ["id", "updated_time", "link", "participants", "message_count", "messages"];
const OF_MESSAGE = ["id", "created_time", "from", "to", "message", "attachments", "shares"];
/** What each network alone has. */
const MORE = { page: ["sticker", "tags"], instagram: ["story", "is_unsupported", "reactions"] };

/** The conversations of an account, the latest first. */
export const conversationOperations = (platform: Platform): Operation[] => [
  {
    id: "conversations",
    method: "GET",
    path: "/:accountId/conversations",
    run: (asked) => conversations(platform, asked),
  },
];

function conversations(platform: Platform, asked: Asked): object {
  const { account } = messagingAccount(platform, asked);
  checkListing(platform, account, asked.headers);
  const { user_id, platform: named, fields: text } = asked.query;
  const own = platform.network.object === "page" ? "messenger" : "instagram";
  if (named !== undefined && named !== own) throw refusal(100, "(#100) Invalid platform.");
  const fields = fieldsIn(text ?? "updated_time,link");
  const unknown = [...fields.keys()].find((field) => !OF_CONVERSATION.includes(field));
  if (unknown !== undefined) throw unknownField(unknown, "UnifiedThread");
  const chats = platform.world.chats
    .filter((chat) => chat.account === account && (user_id === undefined || chat.scopedId === user_id))
    .filter(({ messages }) => messages.length > 0)
    .sort((a, b) => lastOf(b) - lastOf(a));
  const { data, ...paging } = listed(
    { origin: platform.core.origin, path: `${account.id}/conversations` },
    asked,
    chats,
  );
  return { data: data.map((chat) => conversation(platform, chat, fields)), ...paging };
}

const lastOf = ({ messages }: Chat): number => messages.at(-1)?.at ?? 0;
const iso = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, "+0000");

/** `a,b.limit(2){c,d}`: what is asked of each field, and how many entries. */
function fieldsIn(text: string): Map<string, { limit: number; fields: string }> {
  const found = text.matchAll(/(\w+)(?:\.limit\((\d+)\))?(?:\{([^}]*)\})?,?/g);
  return new Map([...found].map(([, name = "", limit, fields = ""]) => [name, { limit: Number(limit ?? 25), fields }]));
}

function conversation(platform: Platform, chat: Chat, fields: ReturnType<typeof fieldsIn>): object {
  const { thread, messages, account, person, scopedId } = chat;
  const participants = {
    data: [
      { name: nameOf(person), id: scopedId },
      { name: account.name, id: account.id },
    ],
  };
  const view = { id: thread, updated_time: iso(lastOf(chat)), link: `/${account.id}/inbox/${thread}/` };
  const whole = { ...view, participants, message_count: messages.length };
  const asked = Object.entries(whole).filter(([name]) => name === "id" || fields.has(name));
  const edge = fields.get("messages");
  return { ...Object.fromEntries(asked), ...(edge && { messages: messagesOf(platform, chat, edge) }) };
}

function messagesOf(platform: Platform, chat: Chat, { limit, fields }: { limit: number; fields: string }): object {
  const wanted = fields.split(",").filter(Boolean);
  const known = [...OF_MESSAGE, ...MORE[platform.network.object]];
  const unknown = wanted.find((field) => !known.includes(field));
  if (unknown !== undefined) throw unknownField(unknown, "Message");
  const there = chat.messages
    .filter(({ isDeleted }) => !isDeleted)
    .slice(-limit)
    .reverse();
  return {
    data: there.map((message, n) => {
      const whole = n < DETAILED ? Object.entries(detailsOf(platform, chat, message)) : [];
      return {
        id: message.mid,
        ...Object.fromEntries(whole.filter(([name, value]) => value !== undefined && wanted.includes(name))),
      };
    }),
  };
}

function detailsOf(platform: Platform, { account, person, scopedId }: Chat, message: Message): Record<string, unknown> {
  const { at, from, text, attachments, replyTo, more } = message;
  const parties = [
    { name: nameOf(person), id: scopedId },
    { name: account.name, id: account.id },
  ];
  const [sender, recipient] = from === "customer" ? parties : parties.toReversed();
  const edge = (data: object[]) => (data.length > 0 ? { data } : undefined);
  const urlOf = (type: string) => attachments.find((each) => each.type === type)?.payload?.url;
  const mention = urlOf("story_mention");
  const replied = replyTo && "story" in replyTo ? replyTo.story.url : undefined;
  return {
    created_time: iso(at),
    from: sender,
    to: { data: [recipient] },
    message: text ?? "",
    attachments: edge(attachments.flatMap((each) => attachment(platform, each))),
    shares: edge(attachments.flatMap(share)),
    sticker: urlOf("sticker"),
    story:
      mention || replied
        ? { ...(mention ? { mention: { link: mention } } : {}), ...(replied && { reply_to: { link: replied } }) }
        : undefined,
    is_unsupported: more && "is_unsupported" in more ? more.is_unsupported : undefined,
  };
}

function attachment({ core }: Platform, { type, payload }: Attachment): object[] {
  const url = payload?.url;
  if (type === "template") return [{ generic_template: { title: payload?.title ?? "" } }];
  if (typeof url !== "string" || !["image", "sticker", "video", "audio", "file"].includes(type)) return [];
  const medium = core.media.find(new URL(url).searchParams.get("mid") ?? "");
  const about = { id: medium?.id, mime_type: medium?.mediaType, name: medium?.name, size: medium?.size };
  if (type === "video") return [{ ...about, video_data: { url, width: 320, height: 240 } }];
  if (type === "audio" || type === "file") return [{ ...about, file_url: url }];
  return [
    { ...about, image_data: { url, width: 320, height: 240, ...(type === "sticker" && { render_as_sticker: true }) } },
  ];
}

function share({ type, title, url, payload }: Attachment): object[] {
  if (!["fallback", "share", "post", "ig_post", "reel", "ig_reel"].includes(type)) return [];
  const link = payload?.url ?? url;
  return link === undefined ? [] : [{ link, name: payload?.title ?? title }];
}
