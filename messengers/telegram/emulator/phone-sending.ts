import { randomText } from "gangway-messenger/kit/emulator/random";
import { announce } from "./announcements.ts";
import { draftContents } from "./drafts.ts";
import { isQuoted, marksWithin } from "./formatting/marked.ts";
import type { PhoneDraft } from "./phone-wire.ts";
import { PhoneRefusal } from "./refusal.ts";
import { chatOf, type Extras, post, privateChat } from "./rooms.ts";
import type { Chat, Message, MessageOrigin } from "./wire.ts";
import type { Post, Room, StoredPerson, World } from "./world.ts";

export function postOf(room: Room, id: number): Post {
  const found = room.posts.get(id);
  if (!found) throw new PhoneRefusal(404, `There is no message ${id}`);
  return found;
}

/** Returns the new ids, one per album part. */
export function sendDraft(world: World, room: Room, person: StoredPerson, draft: PhoneDraft): number[] {
  if (room.blocked) throw new PhoneRefusal(400, "The bot is blocked: unblock it first");
  if (room.movedTo) throw new PhoneRefusal(400, `The group became ${room.movedTo}`);
  const contents = draftContents(world, person, draft);
  const extras = extrasOf(world, room, person, draft);
  room.opened = true;
  if (room.oneTime && draft.text !== undefined) room.keyboard = [];
  const posts = contents.map((content) => post(world, room, person.id, content, extras));
  for (const each of posts) announce(world, room, each, "new");
  return posts.map(({ message }) => message.message_id);
}

function extrasOf(world: World, room: Room, person: StoredPerson, draft: PhoneDraft): Extras {
  const { forwardedFrom, external, story } = draft;
  return {
    ...repliedTo(room, draft),
    ...(external && externalReply(world, external)),
    ...(story !== undefined && { reply_to_story: { chat: storyteller(world, room, person), id: story } }),
    ...(forwardedFrom && {
      forward_origin: {
        type: "hidden_user" as const,
        date: Math.floor(world.clock.now() / 1000) - 60,
        sender_user_name: forwardedFrom,
      },
    }),
  };
}

function repliedTo(room: Room, { replyTo, quote }: PhoneDraft): Extras {
  if (replyTo === undefined) return {};
  const { reply_to_message: _, ...quoted } = postOf(room, replyTo).message;
  return { reply_to_message: quoted, ...(quote && { quote: highlighted(quoted, quote) }) };
}

function highlighted(message: Message, { text, position }: NonNullable<PhoneDraft["quote"]>) {
  const whole = message.text ?? message.caption ?? "";
  const at = whole.indexOf(text, position ?? 0);
  if (at < 0 || text === "") throw new PhoneRefusal(400, "The quoted text is not in the message");
  const marks = (message.entities ?? message.caption_entities ?? []).filter(isQuoted);
  const entities = marksWithin(marks, at, text.length);
  return { text, ...(entities.length > 0 && { entities }), position: at, is_manual: true as const };
}

/** A message of a chat without the bot: the bot sees its origin, and its text as an automatic quote. */
function externalReply(world: World, { from, isChannel, text }: NonNullable<PhoneDraft["external"]>): Extras {
  const date = Math.floor(world.clock.now() / 1000) - 3600;
  const chat: Chat = { id: -1_009_000_000_000 - Math.floor(world.random() * 1e9), type: "channel", title: from };
  const message_id = 1 + Math.floor(world.random() * 1000);
  const origin: MessageOrigin = isChannel
    ? { type: "channel", date, chat, message_id }
    : { type: "hidden_user", date, sender_user_name: from };
  return {
    external_reply: { origin, ...(isChannel && { chat, message_id }) },
    ...(text && { quote: { text, position: 0 } }),
  };
}

/** People, supergroups and channels have stories; bots have none. */
function storyteller(world: World, room: Room, person: StoredPerson): Chat {
  if (room.kind === "people") return privateChat(world, room.people.find((each) => each !== person.id) ?? 0);
  if (room.kind === "private" || room.kind === "group") throw new PhoneRefusal(400, "This chat has no stories");
  return chatOf(world, room);
}

export const newChatInstance = (world: World): string => randomText(19, world.random);
