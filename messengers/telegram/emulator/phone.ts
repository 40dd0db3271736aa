import { announceDeleted, announceStanding } from "./announcements.ts";
import { edit, press, react } from "./phone-changes.ts";
import { makeGroup, type NewGroup, upgrade } from "./phone-groups.ts";
import { postOf, sendDraft } from "./phone-sending.ts";
import { chatView } from "./phone-view.ts";
import type { PhoneChat, PhoneDraft, PhoneEdit } from "./phone-wire.ts";
import { PhoneRefusal } from "./refusal.ts";
import { changed, groupRoom, peopleRoom, privateRoom } from "./rooms.ts";
import type { Post, Room, StoredPerson, World } from "./world.ts";

/** People's actions. Each throws PhoneRefusal. */
export interface Phone {
  chats(person: number): PhoneChat[];
  send(person: number, chat: number, draft: PhoneDraft): number[];
  edit(person: number, chat: number, id: number, change: string | PhoneEdit): void;
  erase(person: number, chat: number, ...ids: number[]): void;
  /** `as`: the chat in whose name the person reacts. */
  react(person: number, chat: number, id: number, emoji: string | null, as?: number): void;
  press(person: number, chat: number, id: number, button: string): void;
  block(person: number, chat: number, blocked: boolean): void;
  makeGroup(group: NewGroup): number;
  upgrade(chat: number): number;
}

export function createPhone(world: World): Phone {
  const within = (person: number, chat: number) => {
    const citizen = personOf(world, person);
    return { citizen, room: roomOf(world, citizen, chat) };
  };
  return {
    chats(person) {
      personOf(world, person);
      const rooms = [...world.rooms.values()].filter((room) => room.people.includes(person) && room.posts.size > 0);
      return rooms.sort((a, b) => b.activeAt - a.activeAt).map((room) => chatView(world, room, person));
    },
    send(person, chat, draft) {
      const { citizen, room } = within(person, chat);
      return sendDraft(world, room, citizen, draft);
    },
    edit(person, chat, id, change) {
      const { room } = within(person, chat);
      edit(world, room, ownPost(room, person, id), typeof change === "string" ? { text: change } : change);
    },
    erase(person, chat, ...ids) {
      const { room } = within(person, chat);
      for (const id of ids) postOf(room, id);
      for (const id of ids) room.posts.delete(id);
      changed(world, room);
      announceDeleted(world, room, ids);
    },
    react(person, chat, id, emoji, as) {
      const { room } = within(person, chat);
      react(world, room, person, postOf(room, id), { emoji, ...(as !== undefined && { as }) });
    },
    press(person, chat, id, button) {
      const { room } = within(person, chat);
      press(world, room, person, postOf(room, id), button);
    },
    block(person, chat, blocked) {
      const { room } = within(person, chat);
      if (room.kind !== "private") throw new PhoneRefusal(400, "Only bots can be blocked");
      if (room.blocked === blocked) return;
      room.blocked = blocked;
      announceStanding(world, room, person, blocked ? "member" : "kicked", blocked ? "kicked" : "member");
      changed(world, room);
    },
    makeGroup: (group) => makeGroup(world, group),
    upgrade: (chat) => upgrade(world, chat),
  };
}

export function personOf(world: World, id: number): StoredPerson {
  const person = world.people.get(id);
  if (!person) throw new PhoneRefusal(404, `There is no person ${id}`);
  return person;
}

function roomOf(world: World, person: StoredPerson, chat: number): Room {
  if (world.bots.has(chat)) return privateRoom(world, chat, person.id);
  if (world.people.has(chat) && chat !== person.id) return peopleRoom(world, person.id, chat);
  const group = groupRoom(world, chat);
  if (!group?.people.includes(person.id)) throw new PhoneRefusal(404, `There is no chat ${chat}`);
  return group;
}

function ownPost(room: Room, person: number, id: number): Post {
  const found = postOf(room, id);
  if (found.author !== person) throw new PhoneRefusal(400, "This message is somebody else's");
  return found;
}
