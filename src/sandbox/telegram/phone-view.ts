import { mediaOf } from "./media.ts";
import type { PhoneChat, PhoneFile, PhoneMessage } from "./phone-wire.ts";
import { userOf } from "./rooms.ts";
import type { FileRef, Message } from "./wire.ts";
import type { Post, Room, World } from "./world.ts";

const MOST_SHOWN = 300;

/** A room as one of those in it sees it; a bot's eyes may be meant, too. */
export function chatView(world: World, room: Room, viewer: number): PhoneChat {
  const other = room.people.find((each) => each !== viewer) ?? 0;
  const title = room.kind === "private" ? (world.bots.get(room.bot)?.name ?? "") : room.title || nameOf(world, other);
  return {
    id: room.kind === "private" ? room.bot : room.kind === "people" ? other : room.id,
    title,
    kind: room.kind === "group" || room.kind === "supergroup" ? room.kind : "private",
    blocked: room.blocked,
    keyboard: room.keyboard,
    typing: room.typingUntil > world.clock.now(),
    messages: messagesView(world, room, viewer),
  };
}

export const messagesView = (world: World, room: Room, viewer: number): PhoneMessage[] =>
  [...room.posts.values()].slice(-MOST_SHOWN).map((each) => messageView(world, each, viewer));

function nameOf(world: World, id: number): string {
  const { first_name, last_name } = userOf(world, id);
  return last_name ? `${first_name} ${last_name}` : first_name;
}

function messageView(world: World, { message, author, at, reactions }: Post, viewer: number): PhoneMessage {
  const media = mediaOf(message);
  const card = cardOf(message);
  const quoted = message.reply_to_message;
  const from = fromOf(world, author, message, viewer);
  return {
    id: message.message_id,
    at,
    from,
    ...(from === "other" && { author: nameOf(world, author) }),
    text: message.text ?? message.caption ?? serviceText(message),
    marks: (message.entities ?? message.caption_entities ?? []).map(({ type, offset, length, url }) => ({
      type,
      offset,
      length,
      ...(url && { url }),
    })),
    ...(media && {
      media: {
        kind: media.kind,
        file: fileView(world, message, media.ref),
        ...(message.sticker?.emoji && { emoji: message.sticker.emoji }),
      },
    }),
    ...(message.media_group_id && { album: message.media_group_id }),
    ...(card && { card }),
    ...(message.forward_origin && { forwardedFrom: message.forward_origin.sender_user_name }),
    ...(quoted && { quote: { id: quoted.message_id, text: message.quote?.text ?? shortly(quoted) } }),
    edited: message.edit_date !== undefined,
    reactions: [...reactions].flatMap(([who, emojis]) => emojis.map((emoji) => ({ emoji, mine: who === viewer }))),
    inline: (message.reply_markup?.inline_keyboard ?? []).map((row) =>
      row.map(({ text, url, callback_data: data }) => ({ text, ...(url && { url }), ...(data && { data }) })),
    ),
  };
}

function fromOf(world: World, author: number, message: Message, viewer: number): PhoneMessage["from"] {
  if (author === 0 || serviceText(message)) return "service";
  // What a bot writes for a business is the owner's for everybody but the owner.
  if (author === viewer && !world.bots.has(author)) return "me";
  return world.bots.has(author) ? "bot" : "other";
}

function serviceText(message: Message): string {
  if (message.group_chat_created) return "The group was created";
  if (message.new_chat_members) return `${message.new_chat_members.map((each) => each.first_name).join(", ")} joined`;
  if (message.left_chat_member) return `${message.left_chat_member.first_name} left`;
  if (message.migrate_to_chat_id) return "The group became a supergroup";
  return message.migrate_from_chat_id ? "It was a group before" : "";
}

function cardOf({ contact, venue, location, poll, dice }: Message): string {
  if (contact)
    return `Contact: ${[contact.first_name, contact.last_name].filter(Boolean).join(" ")}, ${contact.phone_number}`;
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
