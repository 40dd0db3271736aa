import { announce, announceReaction } from "./announcements.ts";
import { mediumContent } from "./drafts.ts";
import { captionContent, textContent } from "./entities.ts";
import { mediaOf } from "./media.ts";
import { newChatInstance } from "./phone-sending.ts";
import type { PhoneEdit } from "./phone-wire.ts";
import { PhoneRefusal } from "./refusal.ts";
import { changed, groupRoom, userOf } from "./rooms.ts";
import { enqueue } from "./update-queue.ts";
import type { Content, Message } from "./wire.ts";
import type { Post, Room, World } from "./world.ts";

const WORDS = ["text", "entities", "caption", "caption_entities"];
const MEDIA = ["photo", "video", "animation", "audio", "document", "voice", "video_note", "sticker"];

export function edit(world: World, room: Room, made: Post, change: PhoneEdit): void {
  const { message } = made;
  const kept = (gone: readonly string[]) =>
    Object.fromEntries(Object.entries(message).filter(([name]) => !gone.includes(name))) as unknown as Message;
  const medium: Content = change.media ? mediumContent(world, change.media) : {};
  const words = change.text === undefined ? undefined : wordsOf(world, message, change);
  const gone = [...(words ? WORDS : []), ...(change.media ? MEDIA : [])];
  made.message = { ...kept(gone), ...medium, ...words, edit_date: Math.floor(world.clock.now() / 1000) };
  changed(world, room);
  announce(world, room, made, "edited");
}

function wordsOf(world: World, message: Message, { text, marks = [] }: PhoneEdit): Content {
  const input = { text: text ?? "", entities: marks };
  if (message.text !== undefined) {
    if (input.text === "") throw new PhoneRefusal(400, "The message would be empty");
    return textContent(world, input);
  }
  if (!mediaOf(message)) throw new PhoneRefusal(400, "The message has no text");
  return captionContent(world, input);
}

/** `as`: the chat in whose name the person reacts. */
export function react(
  world: World,
  room: Room,
  person: number,
  made: Post,
  { emoji, as }: { emoji: string | null; as?: number },
): void {
  if (as !== undefined && !groupRoom(world, as)) throw new PhoneRefusal(404, `There is no chat ${as}`);
  const actor = as ?? person;
  const before = made.reactions.get(actor) ?? [];
  const after = emoji === null ? [] : [emoji];
  if (before.join() === after.join()) return;
  if (emoji === null) made.reactions.delete(actor);
  else made.reactions.set(actor, after);
  changed(world, room);
  announceReaction(world, room, made, { actor, before, after });
}

export function press(world: World, room: Room, person: number, { message }: Post, button: string): void {
  const buttons = (message.reply_markup?.inline_keyboard ?? []).flat();
  if (!buttons.some((each) => each.callback_data === button)) throw new PhoneRefusal(400, "There is no such button");
  const bot = world.bots.get(room.bot);
  if (!bot) return;
  const id = String(4_000_000_000_000_000 + Math.floor(world.random() * 1e15));
  room.callbacks.set(id, world.clock.now());
  enqueue(world, bot, "callback_query", {
    id,
    from: userOf(world, person),
    message,
    chat_instance: newChatInstance(world),
    data: button,
  });
}
