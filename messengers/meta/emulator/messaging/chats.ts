import { randomText } from "gangway-messenger/kit/emulator/random";
import type { Platform } from "./network.ts";
import type { Account, Chat, Message, Person } from "./world.ts";

export function chatOf({ world, network, core }: Platform, account: Account, person: Person): Chat {
  const found = world.chats.find((chat) => chat.account === account && chat.person === person);
  if (found) return found;
  const chat: Chat = {
    account,
    person,
    scopedId: network.newScopedId(core.random),
    thread: `t_${randomText(20, core.random)}`,
    messages: [],
    wroteAt: 0,
    isBlocked: false,
    isMuted: false,
    typingUntil: 0,
    seenAt: 0,
  };
  world.chats.push(chat);
  return chat;
}

export type NewMessage = Pick<Message, "from"> & Partial<Message>;

export function addMessage({ world, network, core }: Platform, chat: Chat, given: NewMessage): Message {
  world.lastMessage += 1;
  const message: Message = {
    n: world.lastMessage,
    mid: network.newMid(core.random),
    // A watermark tells messages apart by their time alone.
    at: Math.max(core.clock.now(), (chat.messages.at(-1)?.at ?? 0) + 1),
    attachments: [],
    choices: [],
    buttons: [],
    reactions: {},
    edits: 0,
    isDeleted: false,
    isDelivered: false,
    isRead: false,
    ...given,
  };
  chat.messages.push(message);
  return message;
}

export function addAccount({ world }: Pick<Platform, "world">, given: Omit<Account, "n" | "subscribed">): Account {
  const account: Account = { n: world.accounts.length + 1, subscribed: new Map(), ...given };
  world.accounts.push(account);
  return account;
}

export function addPerson(
  { world }: Pick<Platform, "world">,
  given: Pick<Person, "firstName" | "lastName"> & Partial<Person>,
): Person {
  const n = world.people.length + 1;
  const username = `${given.firstName}.${n}`.toLowerCase().replaceAll(/[^a-z0-9.]/g, "");
  const person: Person = { n, username, isOnline: true, readsAtOnce: false, isGone: false, ...given };
  world.people.push(person);
  return person;
}
