import { randomText } from "gangway-messenger/kit/emulator/random";

/** An attachment as VK writes it: `{type, [type]: {…}}`. */
export type Attachment = { type: string } & Record<string, unknown>;
export type ServerStatus = "unconfigured" | "failed" | "wait" | "ok";
export type EventFlags = Record<string, 0 | 1>;

export interface CallbackServer {
  id: number;
  title: string;
  url: string;
  secret: string;
  status: ServerStatus;
  version: string;
  events: EventFlags;
}
/** An event of the long poll. */
export interface PolledEvent {
  ts: number;
  body: object;
}
export interface Community {
  id: number;
  name: string;
  screenName: string;
  /** The string that confirms an address. */
  confirmation: string;
  servers: CallbackServer[];
  longPoll: { isEnabled: boolean; version: string; events: EventFlags; key: string; keyUntil: number };
  polled: PolledEvent[];
  /** Counts from one. */
  ts: number;
  lastMessageId: number;
  /** Wakes those who poll. */
  waiting: Set<() => void>;
}
export interface Token {
  value: string;
  community: Community;
  rights: Set<string>;
  isEnded?: boolean;
}
export interface Person {
  id: number;
  firstName: string;
  lastName: string;
  photo?: string;
}
export interface Message {
  /** Of the community, and of the chat. */
  id: number;
  cmid: number;
  from: "customer" | "community";
  text: string;
  attachments: Attachment[];
  /** Unix time, ms. */
  at: number;
  randomId: number;
  /** Of staff. */
  admin?: number;
  /** What it quotes. */
  reply?: number;
  forwarded?: object[];
  geo?: object;
  keyboard?: Keyboard;
  payload?: string;
  ref?: string;
  refSource?: string;
  editedAt?: number;
  isDeleted?: boolean;
  /** A webhook brings only its beginning. */
  isCropped?: boolean;
  reactions: { customer?: number; community?: number };
}
export interface Keyboard {
  inline?: boolean;
  one_time?: boolean;
  buttons: { action: Record<string, unknown>; color?: string }[][];
}
export interface Chat {
  community: Community;
  person: Person;
  messages: Message[];
  lastCmid: number;
  /** The customer has written, or allowed it. */
  isAllowed: boolean;
  /** The community has blocked the person. */
  isBlocked: boolean;
  /** VK lets nobody answer any more. */
  isExpired: boolean;
  /** Cmids up to which each side has read. */
  readBy: { customer: number; community: number };
  typingUntil: number;
  /** What was sent under a random_id, and when, ms. */
  known: Map<number, { message: Message; at: number }>;
}
export interface World {
  communities: Community[];
  tokens: Token[];
  people: Person[];
  chats: Chat[];
}

export const emptyWorld = (): World => ({ communities: [], tokens: [], people: [], chats: [] });

export function addCommunity(
  world: World,
  { id, name, screenName }: Pick<Community, "id" | "name" | "screenName">,
  random: () => number,
): Community {
  const community: Community = {
    ...{ id, name, screenName, confirmation: randomText(8, random).toLowerCase(), servers: [], polled: [] },
    longPoll: { isEnabled: false, version: "5.199", events: {}, key: "", keyUntil: 0 },
    ...{ ts: 1, lastMessageId: 0, waiting: new Set() },
  };
  world.communities.push(community);
  return community;
}

export function chatOf(world: World, community: Community, person: Person): Chat {
  const found = world.chats.find((chat) => chat.community === community && chat.person === person);
  if (found) return found;
  const chat: Chat = {
    ...{ community, person, messages: [], lastCmid: 0, isAllowed: false, isBlocked: false, isExpired: false },
    ...{ readBy: { customer: 0, community: 0 }, typingUntil: 0, known: new Map() },
  };
  world.chats.push(chat);
  return chat;
}

/** With its number in the chat and in the community. */
export function addMessage(chat: Chat, given: Pick<Message, "from" | "text" | "at"> & Partial<Message>): Message {
  chat.community.lastMessageId += 1;
  chat.lastCmid += 1;
  const { lastMessageId: id } = chat.community;
  const message: Message = { attachments: [], randomId: 0, reactions: {}, ...given, id, cmid: chat.lastCmid };
  chat.messages.push(message);
  return message;
}

export const seenIn = ({ messages }: Chat): Message[] => messages.filter(({ isDeleted }) => !isDeleted);
export const byCmid = (chat: Chat, cmid: number): Message | undefined =>
  seenIn(chat).find((message) => message.cmid === cmid);
