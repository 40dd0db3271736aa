import { announce, announceStanding } from "./announcements.ts";
import { PhoneRefusal } from "./refusal.ts";
import { addGroup, groupRoom, post, userOf } from "./rooms.ts";
import type { World } from "./world.ts";

export interface NewGroup {
  title: string;
  people: number[];
  bot: number;
  supergroup?: boolean;
  /** Only an administrator bot receives reactions. */
  admin?: boolean;
}

export function makeGroup(world: World, { title, people, bot, supergroup, admin = false }: NewGroup): number {
  const [creator] = people;
  const unknown = people.find((id) => !world.people.has(id));
  if (unknown !== undefined) throw new PhoneRefusal(404, `There is no person ${unknown}`);
  if (creator === undefined || !world.bots.has(bot)) throw new PhoneRefusal(400, "A group has people and a bot");
  const parts = { title, people: [...people], bot, isAdmin: admin };
  const room = addGroup(world, supergroup ? "supergroup" : "group", parts);
  announceStanding(world, room, creator, "left", admin ? "administrator" : "member");
  const joined = supergroup ? { new_chat_members: [userOf(world, bot)] } : { group_chat_created: true as const };
  announce(world, room, post(world, room, creator, joined), "new");
  return room.id;
}

export function upgrade(world: World, chat: number): number {
  const old = groupRoom(world, chat);
  if (old?.kind !== "group" || old.movedTo) throw new PhoneRefusal(400, `There is no group ${chat}`);
  const { title, people, bot, isAdmin } = old;
  const room = addGroup(world, "supergroup", { title, people: [...people], bot, isAdmin });
  old.movedTo = room.id;
  const by = people[0] ?? 0;
  announce(world, old, post(world, old, by, { migrate_to_chat_id: room.id }), "new");
  announce(world, room, post(world, room, by, { migrate_from_chat_id: chat }), "new");
  return room.id;
}
