import type { Chat, Content, Message, User } from "./wire.ts";
import type { Bot, Post, Room, StoredPerson, World } from "./world.ts";

export const userOfBot = (bot: Bot): User => ({
  id: bot.id,
  is_bot: true,
  first_name: bot.name,
  username: bot.username,
});
export const userOfPerson = (person: StoredPerson): User => ({
  id: person.id,
  is_bot: false,
  first_name: person.firstName,
  ...(person.lastName && { last_name: person.lastName }),
  ...(person.username && { username: person.username }),
  ...(person.language && { language_code: person.language }),
});
export const fullName = ({ first_name, last_name }: { first_name: string; last_name?: string }): string =>
  [first_name, last_name].filter(Boolean).join(" ");

export function userOf(world: World, id: number): User {
  const bot = world.bots.get(id);
  const person = world.people.get(id);
  if (bot) return userOfBot(bot);
  return person ? userOfPerson(person) : { id, is_bot: false, first_name: "Deleted Account" };
}

export function privateChat(world: World, person: number): Chat {
  const { id, first_name, last_name, username } = userOf(world, person);
  return { id, type: "private", first_name, ...(last_name && { last_name }), ...(username && { username }) };
}
export function chatOf(world: World, room: Room): Chat {
  if (room.kind === "private" || room.kind === "people") return privateChat(world, room.people[0] ?? 0);
  return { id: room.id, type: room.kind, title: room.title };
}

const emptyRoom = (world: World, key: string, kind: Room["kind"]): Room => ({
  key,
  kind,
  id: 0,
  title: "",
  bot: 0,
  people: [],
  posts: new Map(),
  lastMessage: 0,
  opened: false,
  blocked: false,
  gone: undefined,
  mayWrite: true,
  isAdmin: false,
  description: "",
  pinned: [],
  keyboard: [],
  oneTime: false,
  typingUntil: 0,
  activeAt: world.clock.now(),
  callbacks: new Map(),
});

function roomBy(world: World, key: string, parts: Partial<Room>, kind: Room["kind"]): Room {
  const known = world.rooms.get(key);
  if (known) return known;
  const room = { ...emptyRoom(world, key, kind), ...parts };
  world.rooms.set(key, room);
  return room;
}

export const privateRoom = (world: World, bot: number, person: number): Room =>
  roomBy(world, `bot:${bot}:${person}`, { bot, people: [person] }, "private");
export const peopleRoom = (world: World, one: number, other: number): Room => {
  const people = [one, other].sort((a, b) => a - b);
  return roomBy(world, `people:${people.join(":")}`, { people, opened: true }, "people");
};
export const groupRoom = (world: World, id: number): Room | undefined => world.rooms.get(`group:${id}`);

/** Creates a group, supergroup or channel with an id of Telegram's range. */
export function addGroup(world: World, kind: "group" | "supergroup" | "channel", parts: Partial<Room>): Room {
  const made = Math.floor(world.random() * 900_000_000);
  const id = kind === "group" ? -(100_000_000 + made) : -(1_002_000_000_000 + made);
  if (groupRoom(world, id)) return addGroup(world, kind, parts);
  return roomBy(world, `group:${id}`, { ...parts, id, opened: true }, kind);
}

function nextId(world: World, room: Room): number {
  if (room.kind === "people") {
    world.lastPeopleMessage += 1;
    return world.lastPeopleMessage;
  }
  const bot = room.kind === "supergroup" || room.kind === "channel" ? undefined : world.bots.get(room.bot);
  const counter = bot ?? room;
  counter.lastMessage += 1;
  return counter.lastMessage;
}

export type Extras = Partial<Omit<Message, keyof Content | "message_id" | "chat" | "date">>;

/** Adds a message and updates the phones; the caller announces it to bots. */
export function post(world: World, room: Room, author: number, content: Content, extras: Extras = {}): Post {
  const at = world.clock.now();
  const message: Message = {
    message_id: nextId(world, room),
    ...(room.kind === "channel"
      ? { sender_chat: chatOf(world, room) }
      : author !== 0 && { from: userOf(world, author) }),
    chat: chatOf(world, room),
    date: Math.floor(at / 1000),
    ...extras,
    ...content,
  };
  const made: Post = { message, at, author, reactions: new Map(), hadKeyboard: false };
  room.posts.set(message.message_id, made);
  room.activeAt = at;
  room.typingUntil = 0;
  changed(world, room);
  return made;
}

export function changed(world: World, room: Room): void {
  for (const watcher of [...world.watchers]) watcher(room);
}
