import { createByteStore } from "gangway-messenger/kit/emulator/byte-store";

/** A seller's account. Its client has the credentials of the API. */
export interface Account {
  id: number;
  name: string;
  clientId: string;
  clientSecret: string;
  /** Whether its plan includes messages by API. */
  hasPlan: boolean;
  webhooks: { url: string; version: string }[];
}
export interface Person {
  n: number;
  id: number;
  name: string;
  hasFace: boolean;
}
export interface Item {
  id: number;
  title: string;
  price: string;
  url: string;
}
export interface Message {
  id: string;
  author: number;
  /** Unix time, ms. */
  at: number;
  type: string;
  content: Record<string, unknown>;
  quote?: Message;
  /** When the other one of the chat has read it, ms. */
  readAt?: number;
}
export interface Chat {
  id: string;
  type: "u2i" | "u2u" | "a2u";
  account: Account;
  person: Person;
  item?: Item;
  createdAt: number;
  updatedAt: number;
  /** Oldest first. */
  messages: Message[];
  /** The customer has blocked the account. */
  isBlocked: boolean;
}
export interface Picture {
  id: string;
  owner: number;
  mediaType: string;
  /** Of the original; undefined where the emulator cannot tell. */
  width: number;
  height: number;
}

export interface World {
  accounts: Account[];
  people: Person[];
  items: Item[];
  chats: Chat[];
  pictures: Map<string, Picture>;
  voices: Map<string, { chat: Chat }>;
  bytes: ReturnType<typeof createByteStore>;
  newId(): string;
}

const hex = (length: number, random: () => number) =>
  Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");

export const createWorld = (random: () => number): World => ({
  ...{ accounts: [], people: [], items: [], chats: [], pictures: new Map(), voices: new Map() },
  bytes: createByteStore(),
  newId: () => hex(32, random),
});

const SIZES = ["1280x960", "640x480", "140x105", "32x32"];

/** By size, as Avito shows a picture. */
export const sizesOf = (origin: string, id: string): Record<string, string> =>
  Object.fromEntries(SIZES.map((size) => [size, `${origin}/img/${size}/${id}.jpg`]));

/** The chat of a person with an account, begun if there is none. */
export function chatOf(
  world: World,
  now: number,
  { account, person, item }: Pick<Chat, "account" | "person" | "item">,
): Chat {
  const known = world.chats.find(
    (chat) => chat.account === account && chat.person === person && chat.item === item && chat.type !== "a2u",
  );
  if (known) return known;
  const type = item ? "u2i" : "u2u";
  const id = `${type}-${world.newId().slice(0, 20)}~${person.n}`;
  const chat: Chat = {
    ...{ id, type, account, person, ...(item && { item }) },
    ...{ createdAt: now, updatedAt: now, messages: [], isBlocked: false },
  };
  world.chats.push(chat);
  return chat;
}

export function findMessage(world: World, id: string): { chat: Chat; message: Message } | undefined {
  for (const chat of world.chats) {
    const message = chat.messages.find((each) => each.id === id);
    if (message) return { chat, message };
  }
  return undefined;
}
