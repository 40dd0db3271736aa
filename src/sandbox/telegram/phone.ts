import { announce, announceDeleted, announceStanding } from "./announcements.ts";
import { draftContents } from "./drafts.ts";
import { captionContent, textContent } from "./entities.ts";
import { randomText } from "./files.ts";
import { tell } from "./mailbox.ts";
import { mediaOf } from "./media.ts";
import { chatView } from "./phone-view.ts";
import type { PhoneChat, PhoneDraft } from "./phone-wire.ts";
import { PhoneRefusal } from "./refusal.ts";
import { addGroup, changed, chatOf, type Extras, groupRoom, peopleRoom, post, privateRoom, userOf } from "./rooms.ts";
import type { Citizen, Post, Room, World } from "./world.ts";

export interface NewGroup {
  title: string;
  people: number[];
  bot: number;
  supergroup?: boolean;
}
/** What people do with their phones. Each throws a PhoneRefusal. */
export interface Phone {
  chats(person: number): PhoneChat[];
  send(person: number, chat: number, draft: PhoneDraft): number[];
  edit(person: number, chat: number, id: number, text: string): void;
  erase(person: number, chat: number, id: number): void;
  react(person: number, chat: number, id: number, emoji: string | null): void;
  press(person: number, chat: number, id: number, button: string): void;
  block(person: number, chat: number, blocked: boolean): void;
  makeGroup(group: NewGroup): number;
  upgrade(chat: number): number;
}

export function createPhone(world: World): Phone {
  const within = (person: number, chat: number) => {
    const citizen = citizenOf(world, person);
    return { citizen, room: roomOf(world, citizen, chat) };
  };
  return {
    chats(person) {
      citizenOf(world, person);
      const rooms = [...world.rooms.values()].filter((room) => room.people.includes(person) && room.posts.size > 0);
      return rooms.sort((a, b) => b.activeAt - a.activeAt).map((room) => chatView(world, room, person));
    },
    send(person, chat, draft) {
      const { citizen, room } = within(person, chat);
      return sendDraft(world, room, citizen, draft);
    },
    edit(person, chat, id, text) {
      const { room } = within(person, chat);
      edit(world, room, ownPost(room, person, id), text);
    },
    erase(person, chat, id) {
      const { room } = within(person, chat);
      postOf(room, id);
      room.posts.delete(id);
      changed(world, room);
      announceDeleted(world, room, [id]);
    },
    react(person, chat, id, emoji) {
      const { room } = within(person, chat);
      react(world, room, person, postOf(room, id), emoji);
    },
    press(person, chat, id, button) {
      const { room } = within(person, chat);
      press(world, room, person, postOf(room, id), button);
    },
    block(person, chat, blocked) {
      const { room } = within(person, chat);
      if (room.kind !== "private") throw new PhoneRefusal(400, "Only a bot is blocked here");
      if (room.blocked === blocked) return;
      room.blocked = blocked;
      announceStanding(world, room, person, blocked ? "member" : "kicked", blocked ? "kicked" : "member");
      changed(world, room);
    },
    makeGroup: (group) => makeGroup(world, group),
    upgrade: (chat) => upgrade(world, chat),
  };
}

export function citizenOf(world: World, id: number): Citizen {
  const person = world.people.get(id);
  if (!person) throw new PhoneRefusal(404, `There is no person ${id}`);
  return person;
}

function roomOf(world: World, person: Citizen, chat: number): Room {
  if (world.bots.has(chat)) return privateRoom(world, chat, person.id);
  if (world.people.has(chat) && chat !== person.id) return peopleRoom(world, person.id, chat);
  const group = groupRoom(world, chat);
  if (!group?.people.includes(person.id)) throw new PhoneRefusal(404, `There is no chat ${chat}`);
  return group;
}

function postOf(room: Room, id: number): Post {
  const found = room.posts.get(id);
  if (!found) throw new PhoneRefusal(404, `There is no message ${id}`);
  return found;
}
function ownPost(room: Room, person: number, id: number): Post {
  const found = postOf(room, id);
  if (found.author !== person) throw new PhoneRefusal(400, "It is somebody else's message");
  return found;
}

function sendDraft(world: World, room: Room, person: Citizen, draft: PhoneDraft): number[] {
  if (room.blocked) throw new PhoneRefusal(400, "The bot is blocked: unblock it first");
  if (room.movedTo) throw new PhoneRefusal(400, `The group became ${room.movedTo}`);
  const contents = draftContents(world, person, draft);
  const extras = extrasOf(world, room, draft);
  room.opened = true;
  if (room.oneTime && draft.text !== undefined) room.keyboard = [];
  const posts = contents.map((content) => post(world, room, person.id, content, extras));
  for (const each of posts) announce(world, room, each, "new");
  return posts.map(({ message }) => message.message_id);
}

function extrasOf(world: World, room: Room, { replyTo, forwardedFrom }: PhoneDraft): Extras {
  const { reply_to_message: _, ...quoted } = replyTo === undefined ? {} : postOf(room, replyTo).message;
  return {
    ...("message_id" in quoted && { reply_to_message: quoted }),
    ...(forwardedFrom && {
      forward_origin: {
        type: "hidden_user",
        date: Math.floor(world.clock.now() / 1000) - 60,
        sender_user_name: forwardedFrom,
      },
    }),
  };
}

function edit(world: World, room: Room, made: Post, text: string): void {
  const { message } = made;
  if (message.text === undefined && !mediaOf(message)) throw new PhoneRefusal(400, "It has no text");
  const changes = message.text === undefined ? captionContent(text) : textContent(text);
  const { text: _text, entities: _entities, caption: _caption, caption_entities: _marks, ...rest } = message;
  made.message = { ...rest, ...changes, edit_date: Math.floor(world.clock.now() / 1000) };
  changed(world, room);
  announce(world, room, made, "edited");
}

function react(world: World, room: Room, person: number, made: Post, emoji: string | null): void {
  const before = made.reactions.get(person) ?? [];
  const after = emoji === null ? [] : [emoji];
  if (before.join() === after.join()) return;
  if (emoji === null) made.reactions.delete(person);
  else made.reactions.set(person, after);
  changed(world, room);
  const bot = world.bots.get(room.bot);
  if (!bot || room.kicked) return;
  const typed = (emojis: string[]) => emojis.map((each) => ({ type: "emoji", emoji: each }));
  tell(world, bot, "message_reaction", {
    chat: chatOf(world, room),
    message_id: made.message.message_id,
    user: userOf(world, person),
    date: Math.floor(world.clock.now() / 1000),
    old_reaction: typed(before),
    new_reaction: typed(after),
  });
}

function press(world: World, room: Room, person: number, { message }: Post, button: string): void {
  const buttons = (message.reply_markup?.inline_keyboard ?? []).flat();
  if (!buttons.some((each) => each.callback_data === button)) throw new PhoneRefusal(400, "There is no such button");
  const bot = world.bots.get(room.bot);
  if (!bot) return;
  const id = String(4_000_000_000_000_000 + Math.floor(world.random() * 1e15));
  room.callbacks.set(id, world.clock.now());
  tell(world, bot, "callback_query", {
    id,
    from: userOf(world, person),
    message,
    chat_instance: randomText(19, world.random),
    data: button,
  });
}

function makeGroup(world: World, { title, people, bot, supergroup }: NewGroup): number {
  const [creator] = people.map((id) => citizenOf(world, id));
  const member = world.bots.get(bot);
  if (!creator || !member) throw new PhoneRefusal(400, "A group has people and a bot");
  const room = addGroup(world, supergroup ? "supergroup" : "group", { title, people: [...people], bot });
  announceStanding(world, room, creator.id, "left", "member");
  const joined = supergroup ? { new_chat_members: [userOf(world, bot)] } : { group_chat_created: true as const };
  announce(world, room, post(world, room, creator.id, joined), "new");
  return room.id;
}

function upgrade(world: World, chat: number): number {
  const old = groupRoom(world, chat);
  if (old?.kind !== "group" || old.movedTo) throw new PhoneRefusal(400, `There is no group ${chat}`);
  const { title, people, bot } = old;
  const room = addGroup(world, "supergroup", { title, people: [...people], bot });
  old.movedTo = room.id;
  const by = people[0] ?? 0;
  announce(world, old, post(world, old, by, { migrate_to_chat_id: room.id }), "new");
  announce(world, room, post(world, room, by, { migrate_from_chat_id: chat }), "new");
  return room.id;
}
