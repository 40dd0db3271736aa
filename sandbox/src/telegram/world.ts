import type { Clock } from "../clock.ts";
import { createFiles, type Files, randomText, type StoredFile } from "./files.ts";
import { type Mailbox, newMailbox } from "./mailbox.ts";
import type { Person, ReplyKey } from "./phone-wire.ts";
import { paintPng } from "./picture.ts";
import type { Message } from "./wire.ts";

export interface Citizen extends Person {
  photo?: StoredFile;
  deactivated: boolean;
  /** Nobody learns from a forwarded message whose it was, but for the name. */
  hidesForwards: boolean;
}
export interface Bot {
  id: number;
  token: string;
  username: string;
  name: string;
  /** Of Telegram's test environment, which is reached under `/bot<token>/test/`. */
  isTest: boolean;
  /** By scope and language. */
  commands: Map<string, unknown[]>;
  /** What it calls itself and says of itself, by field and language: `name:en`. */
  profile: Map<string, string>;
  /** Its button beside the line to write in, by chat; 0 is every other. */
  menus: Map<number, unknown>;
  /** One counter for all its private chats and groups, as at Telegram. */
  lastMessage: number;
  mail: Mailbox;
}
/** A message and what only the emulator knows about it. */
export interface Post {
  message: Message;
  at: number;
  /** A person's or bot's id, 0 of nobody. */
  author: number;
  /** By who reacted. */
  reactions: Map<number, string[]>;
  /** It came with a keyboard in place of the phone's own, took one away or forced a reply. */
  hadKeyboard: boolean;
}
/** Where messages are: a private chat with a bot, a group, a channel, or two people among themselves. */
export interface Room {
  key: string;
  kind: "private" | "group" | "supergroup" | "channel" | "people";
  /** Of a group or channel, else 0. */
  id: number;
  title: string;
  bot: number;
  people: number[];
  posts: Map<number, Post>;
  lastMessage: number;
  /** The person has written, so the bot may. */
  opened: boolean;
  blocked: boolean;
  /** The bot is no longer in it. */
  gone: "kicked" | "left" | undefined;
  mayWrite: boolean;
  /** The bot is an administrator of the group. */
  isAdmin: boolean;
  description: string;
  /** Message ids, the last one pinned last. */
  pinned: number[];
  movedTo?: number;
  keyboard: ReplyKey[][];
  oneTime: boolean;
  typingUntil: number;
  activeAt: number;
  callbacks: Map<string, number>;
}
export interface Connection {
  id: string;
  bot: number;
  owner: number;
  at: number;
  enabled: boolean;
  rights: Record<string, true>;
  /** The last message that was marked as read, by customer. */
  read: Map<number, number>;
}
export interface World {
  clock: Pick<Clock, "now" | "after">;
  random(): number;
  bots: Map<number, Bot>;
  people: Map<number, Citizen>;
  rooms: Map<string, Room>;
  connections: Map<string, Connection>;
  files: Files;
  /** Told each time what a room shows has changed. */
  watchers: Set<(room: Room) => void>;
  lastPeopleMessage: number;
}

/** Of the two bots that are there from the start. */
export const HARBOUR_BOT_TOKEN = "7712345601:AAHarbourBotOfTheSandbox00000000001";
export const LIGHTHOUSE_BOT_TOKEN = "7712345602:AALighthouseBotOfTheSandbox00000002";

export function createWorld(clock: World["clock"], random: () => number): World {
  const world: World = {
    clock,
    random,
    bots: new Map(),
    people: new Map(),
    rooms: new Map(),
    connections: new Map(),
    files: createFiles(clock.now, random),
    watchers: new Set(),
    lastPeopleMessage: 0,
  };
  settle(world);
  return world;
}

/** Back to the beginning; whoever waits for updates gets none. */
export function clearWorld(world: World): void {
  for (const { mail } of world.bots.values()) {
    mail.webhook = undefined;
    mail.letters = [];
    for (const wake of [...mail.wakers]) wake();
    mail.wakers.clear();
  }
  for (const map of [world.bots, world.people, world.rooms, world.connections]) map.clear();
  settle(world);
}

function settle(world: World): void {
  addBot(world, { username: "harbour_bot", name: "Harbour" }, HARBOUR_BOT_TOKEN);
  addBot(world, { username: "lighthouse_bot", name: "Lighthouse" }, LIGHTHOUSE_BOT_TOKEN);
  const photo = world.files.add({
    name: "profile.png",
    mediaType: "image/png",
    bytes: paintPng(160, 160, [40, 110, 150]),
  });
  addPerson(world, { id: 1_200_000_000_077, firstName: "Wren", phone: "15550100077" });
  addPerson(
    world,
    {
      id: 5_120_000_042,
      firstName: "Robin",
      lastName: "Field",
      username: "robin_field",
      language: "en",
      phone: "15550100042",
    },
    photo,
  );
}

export function addBot(
  world: World,
  { username, name, isTest = false }: { username: string; name: string; isTest?: boolean },
  token?: string,
): Bot {
  const id = token ? Number(token.split(":")[0]) : 7_712_345_601 + world.bots.size;
  const mail = newMailbox(1_000_000 + Math.floor(world.random() * 800_000_000));
  const bot: Bot = {
    id,
    username,
    name,
    token: token ?? newToken(world, id),
    isTest,
    commands: new Map(),
    profile: new Map(),
    menus: new Map(),
    lastMessage: 0,
    mail,
  };
  world.bots.set(id, bot);
  return bot;
}
export const newToken = (world: World, id: number): string => `${id}:AA${randomText(33, world.random)}`;

export function addPerson(
  world: World,
  { id, ...rest }: Omit<Person, "id" | "hasPhoto"> & { id?: number },
  photo?: StoredFile,
): Citizen {
  const person: Citizen = {
    id: id ?? 6_000_000_001 + world.people.size,
    ...rest,
    hasPhoto: photo !== undefined,
    photo,
    deactivated: false,
    hidesForwards: false,
  };
  world.people.set(person.id, person);
  return person;
}

export const botByToken = (world: World, token: string): Bot | undefined =>
  [...world.bots.values()].find((bot) => bot.token === token);
