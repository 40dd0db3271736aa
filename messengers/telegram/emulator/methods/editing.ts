import { isDeepStrictEqual } from "node:util";
import { captionContent, textContent } from "../entities.ts";
import { mediaOf } from "../media.ts";
import { badRequest, Malformed } from "../refusal.ts";
import { changed } from "../rooms.ts";
import type { Content, Message } from "../wire.ts";
import type { Post } from "../world.ts";
import { checkEditable, kindOf } from "./editable.ts";
import { fitting, readMarkup } from "./markup.ts";
import { captionOf, inputContent, isVisual, mediumOf } from "./media.ts";
import { asSeen } from "./posting.ts";
import type { BotRequest, Method } from "./request.ts";
import { locationOf, textOf } from "./sending.ts";
import { messageOf, type Target, targetOf } from "./targets.ts";

const NOT_MODIFIED =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";

interface Change {
  /** Fields of the old message to remove. */
  drops: readonly (keyof Message)[];
  /** Throws when the message has no such content. */
  check(post: Post, target: Target): void;
  make(message: Message): Content | Promise<Content>;
  onlyMarkup?: boolean;
}

async function edit(request: BotRequest, change: Change): Promise<Message> {
  const { world, bot, args, raw } = request;
  const markup = readMarkup(raw.get("reply_markup"));
  checkNamed(request);
  const target = targetOf(request);
  const found = messageOf(target.room, args.message_id, () => missing(target));
  checkEditable(world, target, found, bot.id, change.onlyMarkup ?? false);
  change.check(found, target);
  const inline = fitting(markup, { ...target, world, onlyInline: true });
  const content = await change.make(found.message);
  const gone: readonly string[] = [...change.drops, "reply_markup"];
  const kept = Object.fromEntries(Object.entries(found.message).filter(([key]) => !gone.includes(key)));
  const message = {
    ...kept,
    ...content,
    ...(inline?.kind === "inline" && { reply_markup: { inline_keyboard: inline.rows } }),
  } as Message;
  if (isDeepStrictEqual(message, found.message)) throw badRequest(NOT_MODIFIED);
  found.message = { ...message, edit_date: Math.floor(world.clock.now() / 1000) };
  changed(world, target.room);
  return asSeen(request, target, found);
}

const missing = ({ business }: Target) =>
  business ? badRequest("MESSAGE_ID_INVALID") : new Malformed("Message to edit not found");

/** Inline messages live in chats without the bot; they are not served. */
function checkNamed({ args }: BotRequest): void {
  const isNamed = (args.chat_id !== undefined && args.chat_id !== "") || (args.message_id ?? 0) > 0;
  if (!isNamed)
    throw args.inline_message_id
      ? badRequest("MESSAGE_ID_INVALID")
      : new Malformed("Message identifier is not specified");
}

const TEXT = ["text", "entities", "link_preview_options"] as const;
const CAPTION = ["caption", "caption_entities", "show_caption_above_media"] as const;
const MEDIA = [...TEXT, ...CAPTION, "photo", "video", "animation", "audio", "document", "has_media_spoiler"] as const;

const editText: Method = (request) => {
  if (request.args.rich_message !== undefined)
    throw badRequest("can't parse InputRichMessage: the sandbox does not serve rich messages");
  const text = textOf(request);
  const preview = request.args.link_preview_options;
  return edit(request, {
    drops: TEXT,
    check({ message }, { business }) {
      // Over a business connection only the server checks, and it sets the text as caption.
      if (message.text === undefined && !business) throw new Malformed("There is no text in the message to edit");
    },
    make: (message) =>
      message.text === undefined
        ? captionContent(request.world, text)
        : { ...textContent(request.world, text), ...(preview && { link_preview_options: preview }) },
  });
};

const editCaption: Method = (request) => {
  const text = captionOf(request);
  return edit(request, {
    drops: CAPTION,
    check({ message }) {
      const kind = kindOf(message);
      if (!kind || !CAPTIONED.has(kind)) throw new Malformed("There is no caption in the message to edit");
    },
    make: (message) => ({
      ...captionContent(request.world, text),
      ...(request.args.show_caption_above_media &&
        isVisual(kindOf(message) ?? "") && { show_caption_above_media: true as const }),
    }),
  });
};
const CAPTIONED = new Set(["photo", "video", "animation", "audio", "document", "voice"]);

const editMedia: Method = (request) => {
  const input = mediumOf(request);
  return edit(request, {
    drops: MEDIA,
    check({ message }) {
      const kind = kindOf(message);
      if (message.text === undefined && !(kind && CAPTIONED.has(kind) && kind !== "voice"))
        throw new Malformed("Message media can't be edited");
      if (message.media_group_id) checkSameAlbum(message, input.type);
    },
    make: () => inputContent(request, input),
  });
};

const ALBUM = new Set(["photo", "video", "audio", "document"]);
const ALONE = new Set(["audio", "document"]);

function checkSameAlbum(message: Message, type: string): void {
  const kind = mediaOf(message)?.kind ?? "";
  if (kind === type) return;
  if (!ALBUM.has(type)) throw new Malformed("Message content type can't be used in an album");
  if (ALONE.has(kind) || ALONE.has(type)) throw new Malformed("Can't change media type in the album");
}

const checkLive = ({ message }: Post): void => {
  if (message.location?.live_period === undefined)
    throw new Malformed("There is no live location in the message to edit");
};

const editLiveLocation: Method = (request) => {
  const { live_period, ...rest } = locationOf({ ...request.args, live_period: request.args.live_period ?? 1 });
  return edit(request, {
    drops: ["location"],
    check: checkLive,
    make: ({ location }) => ({
      location: { ...rest, live_period: request.args.live_period ? (live_period ?? 0) : (location?.live_period ?? 0) },
    }),
  });
};

const stopLiveLocation: Method = (request) =>
  edit(request, {
    drops: ["location"],
    check: checkLive,
    make({ location }) {
      const {
        live_period: _,
        heading: __,
        proximity_alert_radius: ___,
        ...rest
      } = location ?? { latitude: 0, longitude: 0 };
      return { location: rest };
    },
  });

export const editingMethods: Record<string, Method> = {
  editMessageText: editText,
  editMessageCaption: editCaption,
  editMessageMedia: editMedia,
  editMessageLiveLocation: editLiveLocation,
  stopMessageLiveLocation: stopLiveLocation,
  editMessageReplyMarkup: (request) =>
    edit(request, { drops: [], check: () => undefined, make: () => ({}), onlyMarkup: true }),
};
