import { pictureSize } from "gangway-messenger/kit/emulator/picture";
import { sniff } from "gangway-messenger/kit/emulator/sniff";
import { z } from "zod";
import type { Asked, Operation, Platform } from "./platform.ts";
import { invalid, refusal } from "./refusal.ts";
import { type Chat, type Message, sizesOf } from "./world.ts";

// What the document says of texts, pictures and deletions.
const TEXT_LENGTH = 1_000;
const IMAGE_BYTES = 24 * 1024 * 1024;
const IMAGE_PIXELS = 75_000_000;
const DELETE_WITHIN_MS = 3_600_000;

const text = z.strictObject({
  type: z.literal("text"),
  message: z.strictObject({ text: z.string().min(1).max(TEXT_LENGTH) }),
});
const image = z.strictObject({ image_id: z.string().min(1) });

export function parsed<T>(shape: z.ZodType<T>, given: unknown): T {
  const read = shape.safeParse(given);
  if (!read.success) throw invalid("Validation error");
  return read.data;
}

/** The account's chat of that id. Throws Refusal. */
export function chatIn({ world }: Platform, { account, path }: Asked): Chat {
  const chat = world.chats.find((each) => each.id === path.chatId && each.account === account);
  if (!chat) throw refusal(404);
  return chat;
}

const ACCOUNT = "/messenger/v1/accounts/:userId{\\d+}";
const CHAT = `${ACCOUNT}/chats/:chatId`;

export const sendingOperations = (platform: Platform): Operation[] => [
  {
    id: "postSendMessage",
    method: "POST",
    path: `${CHAT}/messages`,
    async run(asked) {
      const { message } = parsed(text, asked.body);
      const said = await post(platform, writable(platform, asked), contentOf(platform, message.text));
      return {
        id: said.id,
        created: createdOf(platform, said),
        direction: "out",
        type: "text",
        content: { text: message.text },
      };
    },
  },
  {
    id: "postSendImageMessage",
    method: "POST",
    path: `${CHAT}/messages/image`,
    async run(asked) {
      const { image_id: id } = parsed(image, asked.body);
      if (platform.world.pictures.get(id)?.owner !== asked.account.id) throw invalid("Unknown image_id");
      const content = { image: { sizes: sizesOf(platform.origin(), id) } };
      const said = await post(platform, writable(platform, asked), { type: "image", content });
      const { id: messageId } = said;
      const author_id = asked.account.id;
      return { author_id, content, created: createdOf(platform, said), direction: "out", id: messageId, type: "image" };
    },
  },
  {
    id: "deleteMessage",
    method: "POST",
    path: `${CHAT}/messages/:messageId`,
    async run(asked) {
      const chat = chatIn(platform, asked);
      const message = chat.messages.find(({ id }) => id === asked.path.messageId);
      if (!message) throw refusal(404);
      if (message.author !== asked.account.id) throw refusal(403);
      if (platform.clock.now() - message.at > DELETE_WITHIN_MS) throw invalid("Message is too old to be deleted");
      await takeBack(platform, chat, message);
      return {};
    },
  },
  { id: "uploadImages", method: "POST", path: `${ACCOUNT}/uploadImages`, run: (asked) => upload(platform, asked) },
];

/** A chat that the account may write to. Throws Refusal. */
function writable(platform: Platform, asked: Asked): Chat {
  const chat = chatIn(platform, asked);
  if (chat.isBlocked || chat.type === "a2u") throw refusal(403);
  return chat;
}

const createdOf = ({ switches }: Platform, { at }: Message): number =>
  Math.floor((at + switches.values().clockMs) / 1_000);

function contentOf({ switches }: Platform, words: string): Pick<Message, "type" | "content"> {
  const [url] = /https?:\/\/\S+/.exec(words) ?? [];
  if (!url || switches.values().links === "text") return { type: "text", content: { text: words } };
  return { type: "link", content: { link: { text: words, url, preview: null } } };
}

/** A message of the account: by the API, or by its staff in Avito. */
export async function post(platform: Platform, chat: Chat, said: Pick<Message, "type" | "content">): Promise<Message> {
  const { world, clock, courier, switches } = platform;
  const message: Message = { id: world.newId(), author: chat.account.id, at: clock.now(), ...said };
  chat.messages.push(message);
  chat.updatedAt = message.at;
  const { ownAfterMs } = switches.values();
  if (ownAfterMs === 0) await courier.bring(chat, message);
  else clock.after(ownAfterMs, () => void courier.bring(chat, message));
  return message;
}

/** It stays in the history as one of the type deleted. */
export async function takeBack({ switches, courier }: Platform, chat: Chat, message: Message): Promise<void> {
  Object.assign(message, { type: "deleted", content: {} });
  if (switches.values().deletions === "webhook") await courier.bring(chat, message);
}

function upload({ world, origin }: Platform, { account, parts }: Asked): object {
  const [part, ...others] = parts;
  if (part?.name !== "uploadfile[]" || part.fileName === undefined || others.length > 0)
    throw invalid("One file is expected in uploadfile[]");
  if (part.bytes.byteLength > IMAGE_BYTES) throw invalid("The file is too large");
  const size = pictureSize(part.bytes);
  const isHeic = Buffer.from(part.bytes.subarray(4, 12)).toString("latin1").startsWith("ftyphei");
  const mediaType = isHeic ? "image/heic" : sniff(part.bytes);
  if (!/^image\/(jpeg|png|gif|bmp|heic)$/.test(mediaType)) throw invalid("The file is not a picture");
  const { width, height } = size ?? { width: 640, height: 480 };
  if (width * height > IMAGE_PIXELS) throw invalid("The picture has too many pixels");
  const id = `${account.id}.${world.newId()}`;
  world.bytes.put(id, Uint8Array.from(part.bytes));
  world.pictures.set(id, { id, owner: account.id, mediaType, width, height });
  return { [id]: sizesOf(origin(), id) };
}
