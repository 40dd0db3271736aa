import { addMessage } from "./chats.ts";
import { announce, fromCustomer, wireMessage } from "./events.ts";
import type { Platform } from "./network.ts";
import type { Attachment, Chat, Message, ReplyTo } from "./world.ts";

/** A file that a customer sends. */
export interface CustomerFile {
  /** Of the attachment, e.g. `image`, `reel`, `story_mention`. */
  type: string;
  name: string;
  mediaType: string;
  bytes: Uint8Array;
  /** More of its payload. */
  payload?: Record<string, unknown>;
}
export interface Said {
  text?: string;
  files?: CustomerFile[];
  /** Attachments without bytes of ours: locations, shares, links. */
  attachments?: Attachment[];
  /** Payload of the quick reply pressed. */
  quickReply?: string;
  replyTo?: ReplyTo;
  stickerId?: number;
  /** More fields of the message, e.g. `referral`, `is_unsupported`. */
  more?: Record<string, unknown>;
}

const STORY_TYPES = ["story_mention", "ig_story", "story"];

/** A customer's act that opens the window. Throws an Error if the account is blocked. */
export function wrote({ core }: Platform, chat: Chat): void {
  if (chat.isBlocked) throw new Error("The person has blocked this account");
  chat.wroteAt = core.clock.now();
}

/** A customer's message. Resolves when its webhook's first try is over. */
export async function says(platform: Platform, chat: Chat, said: Said): Promise<Message> {
  const { core, network } = platform;
  wrote(platform, chat);
  const files = (said.files ?? []).map((file) => attachmentOf(platform, chat, file));
  const sticker = said.stickerId === undefined ? [] : [stickerOf(platform, chat, said.stickerId)];
  const message = addMessage(platform, chat, {
    from: "customer",
    at: core.clock.now(),
    ...(said.text !== undefined && { text: said.text }),
    attachments: [...sticker, ...files, ...(said.attachments ?? [])],
    ...(said.quickReply !== undefined && { quickReply: said.quickReply }),
    ...(said.replyTo && { replyTo: quoted(platform, chat, said.replyTo) }),
    more: { ...(said.stickerId !== undefined && { sticker_id: said.stickerId }), ...said.more },
    isDelivered: true,
  });
  const event = fromCustomer(platform, chat, { message: wireMessage(message) }, message.at);
  await announce(platform, chat, network.events.message, event);
  if (platform.values().editOfNew && message.text !== undefined) await editOfNew(platform, chat, message);
  return message;
}

/** What Instagram sends to apps in development, beside the message itself. */
async function editOfNew(platform: Platform, chat: Chat, { mid, text }: Message): Promise<void> {
  const message_edit = { mid, text, num_edit: 0 };
  await announce(platform, chat, platform.network.events.edit, fromCustomer(platform, chat, { message_edit }));
}

/** Messenger tells when people quote themselves. */
function quoted({ network }: Platform, { messages }: Chat, replyTo: ReplyTo): ReplyTo {
  if (!("mid" in replyTo) || network.object !== "page") return replyTo;
  const target = messages.find(({ mid }) => mid === replyTo.mid);
  return { mid: replyTo.mid, is_self_reply: target?.from === "customer" };
}

/** An attachment with an address that lives as long as the settings say. */
function attachmentOf(
  { core, values }: Platform,
  { account }: Chat,
  { type, payload, ...file }: CustomerFile,
): Attachment {
  const { fileLifeMs, storyLifeMs } = values();
  const lifeMs = STORY_TYPES.includes(type) ? storyLifeMs : fileLifeMs;
  const medium = core.media.add({ owner: account.id, ...file, lifeMs });
  return { type, payload: { url: `${core.origin()}${core.media.link(medium, lifeMs, false)}`, ...payload } };
}

function stickerOf(platform: Platform, chat: Chat, sticker_id: number): Attachment {
  const bytes = STICKER();
  const file = { type: platform.values().stickers, name: "sticker.png", mediaType: "image/png", bytes };
  return attachmentOf(platform, chat, { ...file, payload: { sticker_id } });
}

// 1×1, blue.
const STICKER = (): Uint8Array =>
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNgYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==",
    "base64",
  );
