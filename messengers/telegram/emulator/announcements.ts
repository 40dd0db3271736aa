import { chatOf, groupRoom, privateChat, userOf } from "./rooms.ts";
import { enqueue } from "./update-queue.ts";
import type { Message } from "./wire.ts";
import type { Bot, Connection, Post, Room, World } from "./world.ts";

/** Sends a new or edited message to the bots that may see it. */
export function announce(world: World, room: Room, { message }: Post, change: "new" | "edited"): void {
  const edited = change === "edited";
  if (room.kind === "people") {
    for (const { bot, connection, customer } of watchersOf(world, room)) {
      const seen = businessView(world, message, connection, customer);
      enqueue(world, bot, edited ? "edited_business_message" : "business_message", seen);
    }
    return;
  }
  const bot = world.bots.get(room.bot);
  if (!bot || room.blocked || room.gone) return;
  if (room.kind === "channel") enqueue(world, bot, edited ? "edited_channel_post" : "channel_post", message);
  else enqueue(world, bot, edited ? "edited_message" : "message", message);
}

/** Only business bots learn of deletions. */
export function announceDeleted(world: World, room: Room, ids: readonly number[]): void {
  for (const { bot, connection, customer } of watchersOf(world, room))
    enqueue(world, bot, "deleted_business_messages", {
      business_connection_id: connection.id,
      chat: privateChat(world, customer),
      message_ids: ids,
    });
}

/** A message between two people as the owner's bot sees it: in the private chat with the customer. */
export function businessView(world: World, message: Message, connection: Connection, customer: number): Message {
  return { ...message, business_connection_id: connection.id, chat: privateChat(world, customer) };
}

function watchersOf(world: World, room: Room): { bot: Bot; connection: Connection; customer: number }[] {
  if (room.kind !== "people") return [];
  return [...world.connections.values()].flatMap((connection) => {
    const bot = world.bots.get(connection.bot);
    const customer = room.people.find((each) => each !== connection.owner);
    const isOurs = connection.enabled && room.people.includes(connection.owner);
    return bot && customer !== undefined && isOurs ? [{ bot, connection, customer }] : [];
  });
}

/** In groups only administrators get reactions; in channels they come as counts. */
export function announceReaction(
  world: World,
  room: Room,
  { message: { message_id }, reactions }: Post,
  { actor, before, after }: { actor: number; before: readonly string[]; after: readonly string[] },
): void {
  const bot = world.bots.get(room.bot);
  const isGroup = room.kind === "group" || room.kind === "supergroup";
  if (!bot || room.gone || (isGroup && !room.isAdmin)) return;
  const date = Math.floor(world.clock.now() / 1000);
  const about = { chat: chatOf(world, room), message_id, date };
  if (room.kind === "channel") {
    enqueue(world, bot, "message_reaction_count", { ...about, reactions: counted([...reactions.values()].flat()) });
    return;
  }
  const chat = groupRoom(world, actor);
  enqueue(world, bot, "message_reaction", {
    ...about,
    ...(chat ? { actor_chat: chatOf(world, chat) } : { user: userOf(world, actor) }),
    old_reaction: before.map(typed),
    new_reaction: after.map(typed),
  });
}

const typed = (emoji: string) => ({ type: "emoji", emoji });

function counted(emojis: readonly string[]) {
  const totals = new Map<string, number>();
  for (const emoji of emojis) totals.set(emoji, (totals.get(emoji) ?? 0) + 1);
  return [...totals].map(([emoji, total_count]) => ({ type: typed(emoji), total_count }));
}

type Standing = "member" | "administrator" | "kicked" | "left";

/** The bot was blocked, added, removed or promoted. */
export function announceStanding(world: World, room: Room, by: number, before: Standing, after: Standing): void {
  const bot = world.bots.get(room.bot);
  if (!bot) return;
  const user = userOf(world, bot.id);
  const member = (status: Standing) => ({ status, user, ...(status === "kicked" && { until_date: 0 }) });
  enqueue(world, bot, "my_chat_member", {
    chat: chatOf(world, room),
    from: userOf(world, by),
    date: Math.floor(world.clock.now() / 1000),
    old_chat_member: member(before),
    new_chat_member: member(after),
  });
}
