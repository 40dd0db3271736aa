import { mediaOf } from "./media.ts";
import type { Mark, PhoneChat, PhoneFile, PhoneMessage } from "./phone-wire.ts";
import { fullName, userOf } from "./rooms.ts";
import type { Entity, FileRef, Message, MessageOrigin } from "./wire.ts";
import type { Post, Room, World } from "./world.ts";

const MAX_SHOWN = 300;

/** A room as a member sees it; a bot may be the viewer. */
export function chatView(world: World, room: Room, viewer: number): PhoneChat {
  const other = room.people.find((each) => each !== viewer) ?? 0;
  const title = room.kind === "private" ? (world.bots.get(room.bot)?.name ?? "") : room.title || nameOf(world, other);
  return {
    id: room.kind === "private" ? room.bot : room.kind === "people" ? other : room.id,
    title,
    kind: room.kind === "people" ? "private" : room.kind,
    blocked: room.blocked,
    keyboard: room.keyboard,
    typing: room.typingUntil > world.clock.now(),
    messages: messagesView(world, room, viewer),
  };
}

export const messagesView = (world: World, room: Room, viewer: number): PhoneMessage[] =>
  [...room.posts.values()].slice(-MAX_SHOWN).map((each) => messageView(world, each, viewer));

const nameOf = (world: World, id: number): string => fullName(userOf(world, id));

function messageView(world: World, { message, author, at, reactions }: Post, viewer: number): PhoneMessage {
  const media = mediaOf(message);
  const card = cardOf(message);
  const quote = quoteOf(message);
  const from = fromOf(world, author, message, viewer);
  return {
    id: message.message_id,
    at,
    from,
    ...(from === "other" && { author: nameOf(world, author) }),
    text: message.text ?? message.caption ?? serviceText(message),
    marks: (message.entities ?? message.caption_entities ?? []).map(markOf),
    ...(media && {
      media: {
        kind: media.kind,
        file: fileView(world, message, media.ref),
        ...(message.sticker?.emoji && { emoji: message.sticker.emoji }),
      },
    }),
    ...(message.media_group_id && { album: message.media_group_id }),
    ...(message.show_caption_above_media && { above: true as const }),
    ...(card && { card }),
    ...(message.forward_origin && { forwardedFrom: originName(message.forward_origin) }),
    ...(quote && { quote }),
    edited: message.edit_date !== undefined,
    reactions: [...reactions].flatMap(([who, emojis]) => emojis.map((emoji) => ({ emoji, mine: who === viewer }))),
    inline: (message.reply_markup?.inline_keyboard ?? []).map((row) =>
      row.map(({ text, url, callback_data: data }) => ({ text, ...(url && { url }), ...(data && { data }) })),
    ),
  };
}

const markOf = ({ type, offset, length, url, language, custom_emoji_id }: Entity): Mark => ({
  type,
  offset,
  length,
  ...(url && { url }),
  ...(language && { language }),
  ...(custom_emoji_id && { custom_emoji_id }),
});

function quoteOf({ reply_to_message: replied, external_reply: external, reply_to_story: story, quote }: Message) {
  if (replied) return { id: replied.message_id, text: quote?.text ?? shortly(replied) };
  if (external) return { text: `${originName(external.origin)}: ${quote?.text ?? "…"}` };
  return story && { text: `Story ${story.id}` };
}

function originName(origin: MessageOrigin): string {
  switch (origin.type) {
    case "user":
      return fullName(origin.sender_user);
    case "hidden_user":
      return origin.sender_user_name;
    default: {
      const chat = origin.type === "chat" ? origin.sender_chat : origin.chat;
      return chat.type === "private" ? fullName(chat) : chat.title;
    }
  }
}

function fromOf(world: World, author: number, message: Message, viewer: number): PhoneMessage["from"] {
  if (author === 0 || serviceText(message)) return "service";
  // A bot's business message counts as the owner's, except for the owner.
  if (author === viewer && !world.bots.has(author)) return "me";
  return world.bots.has(author) ? "bot" : "other";
}

function serviceText(message: Message): string {
  if (message.group_chat_created) return "The group was created";
  if (message.new_chat_members) return `${message.new_chat_members.map((each) => each.first_name).join(", ")} joined`;
  if (message.left_chat_member) return `${message.left_chat_member.first_name} left`;
  if (message.pinned_message) return `Pinned: ${shortly(message.pinned_message).split("\n")[0]}`;
  if (message.new_chat_title) return `The group was renamed to ${message.new_chat_title}`;
  if (message.migrate_to_chat_id) return "The group became a supergroup";
  return message.migrate_from_chat_id ? "Upgraded from a group" : "";
}

function cardOf({ contact, venue, location, poll, dice, gift, unique_gift: unique, rich_message }: Message): string {
  if (rich_message) return `Rich text: ${rich_message.blocks.map(({ type }) => type).join(", ")}`;
  if (gift) return `Gift for ${gift.gift.star_count} stars${gift.text ? `: ${gift.text}` : ""}`;
  if (unique) return `Gift: ${unique.gift.base_name} #${unique.gift.number}`;
  if (contact) return `Contact: ${fullName(contact)}, ${contact.phone_number}`;
  if (venue) return `Place: ${venue.title}, ${venue.address}`;
  if (location) return `Place: ${location.latitude}, ${location.longitude}`;
  if (poll) return `Poll: ${poll.question} (${poll.options.map((each) => each.text).join(" / ")})`;
  return dice ? `${dice.emoji} ${dice.value}` : "";
}

const shortly = (message: Message): string =>
  message.text ?? message.caption ?? (cardOf(message) || `(${mediaOf(message)?.kind ?? "message"})`);

function fileView(world: World, message: Message, ref: FileRef): PhoneFile {
  const found = world.files.find(ref.file_id);
  const timed = message.video ?? message.animation ?? message.audio ?? message.voice ?? message.video_note;
  const sized = message.photo?.at(-1) ?? message.video ?? message.animation ?? message.sticker;
  const name = found?.file.name ?? "";
  return {
    url: `/phone/api/files/${found?.file.key ?? "gone"}/${encodeURIComponent(name || "file")}`,
    name,
    mediaType: found?.file.mediaType ?? "application/octet-stream",
    size: ref.file_size ?? 0,
    ...(timed && { duration: timed.duration }),
    ...(sized && { width: sized.width, height: sized.height }),
  };
}
