import type { Clock } from "gangway-messenger/kit/emulator/clock";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { randomText } from "gangway-messenger/kit/emulator/random";
import { createFiles, type Files, type StoredFile } from "./files.ts";
import type { Person, ReplyKey } from "./phone-wire.ts";
import { newUpdateQueue, type UpdateQueue } from "./update-queue.ts";
import type { Message } from "./wire.ts";

export interface StoredPerson extends Person {
  photo?: StoredFile;
  deactivated: boolean;
  /** Forwards show only the person's name. */
  hidesForwards: boolean;
}
export interface Bot {
  id: number;
  token: string;
  username: string;
  name: string;
  /** Reachable only under `/bot<token>/test/`. */
  isTest: boolean;
  /** By scope and language. */
  commands: Map<string, unknown[]>;
  /** Name and descriptions by field and language, e.g. `name:en`. */
  profile: Map<string, string>;
  /** Menu buttons by chat; 0 is the default. */
  menus: Map<number, unknown>;
  /** Message ids of all private chats and groups, as at Telegram. */
  lastMessage: number;
  queue: UpdateQueue;
}
/** A message and the emulator's own data about it. */
export interface Post {
  message: Message;
  at: number;
  /** A person's or bot's id; 0: none. */
  author: number;
  /** By reactor. */
  reactions: Map<number, string[]>;
  /** It came with a reply keyboard, removed one or forced a reply. */
  hadKeyboard: boolean;
}
/** A chat: private with a bot, group, channel, or between two people. */
export interface Room {
  key: string;
  kind: "private" | "group" | "supergroup" | "channel" | "people";
  /** Groups and channels, else 0. */
  id: number;
  title: string;
  bot: number;
  people: number[];
  posts: Map<number, Post>;
  lastMessage: number;
  /** The person has written, so the bot may. */
  opened: boolean;
  blocked: boolean;
  /** Why the bot is no longer a member. */
  gone: "kicked" | "left" | undefined;
  mayWrite: boolean;
  isAdmin: boolean;
  description: string;
  /** Message ids, latest pin last. */
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
  /** Last message marked as read, by customer. */
  read: Map<number, number>;
}
export interface World {
  clock: Pick<Clock, "now" | "after">;
  random(): number;
  bots: Map<number, Bot>;
  people: Map<number, StoredPerson>;
  rooms: Map<string, Room>;
  connections: Map<string, Connection>;
  files: Files;
  /** Called when a room's view changed. */
  watchers: Set<(room: Room) => void>;
  lastPeopleMessage: number;
}

/** Tokens of the two bots that the demo connects; the third waits for whoever tries the form. */
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
  populate(world);
  return world;
}

/** Resets the world and ends open long polls, empty. */
export function clearWorld(world: World): void {
  for (const { queue } of world.bots.values()) {
    queue.webhook = undefined;
    queue.entries = [];
    for (const wake of [...queue.wakers]) wake();
    queue.wakers.clear();
  }
  for (const map of [world.bots, world.people, world.rooms, world.connections]) map.clear();
  populate(world);
}

function populate(world: World): void {
  addBot(world, { username: "harbour_bot", name: "Harbour" }, HARBOUR_BOT_TOKEN);
  addBot(world, { username: "lighthouse_bot", name: "Lighthouse" }, LIGHTHOUSE_BOT_TOKEN);
  addBot(world, { username: "breakwater_bot", name: "Breakwater" }, "7712345603:AABreakwaterBotOfTheSandbox00000003");
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
  const queue = newUpdateQueue(1_000_000 + Math.floor(world.random() * 800_000_000));
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
    queue,
  };
  world.bots.set(id, bot);
  return bot;
}
export const newToken = (world: World, id: number): string => `${id}:AA${randomText(33, world.random)}`;

export function addPerson(
  world: World,
  { id, ...rest }: Omit<Person, "id" | "hasPhoto"> & { id?: number },
  photo?: StoredFile,
): StoredPerson {
  const person: StoredPerson = {
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
