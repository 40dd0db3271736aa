import { BotRefusal, badRequest, forbidden, Malformed } from "../refusal.ts";
import { groupRoom, peopleRoom, privateRoom } from "../rooms.ts";
import type { Bot, Connection, Post, Room, World } from "../world.ts";
import type { BotRequest } from "./request.ts";

export interface Target {
  room: Room;
  /** Set when the bot acts for a business owner. */
  business?: { connection: Connection; customer: number };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The chat of a call. Throws BotRefusal when the bot does not know it. */
export function targetOf(request: BotRequest): Target {
  const { args } = request;
  if (args.business_connection_id) return businessTarget(request, args.business_connection_id, args.chat_id);
  return { room: roomOfChat(request, args.chat_id) };
}

export function userIdOf(value: string | number | undefined, name: string): number {
  const id = Number(value ?? 0);
  if (!Number.isSafeInteger(id) || id <= 0) throw new Malformed(`Invalid ${name} specified`);
  return id;
}
export function checkUser(world: World, id: number): void {
  if (!world.people.has(id) && !world.bots.has(id)) throw badRequest("user not found");
}

export function roomOfChat({ world, bot }: BotRequest, id: string | number | undefined): Room {
  if (id === undefined || id === "") throw badRequest("chat_id is empty");
  const chat = Number(id);
  if (!Number.isSafeInteger(chat)) throw badRequest("chat not found");
  return chat < 0 ? ownGroup(world, bot, chat) : ownPrivate(world, bot, chat);
}

function ownGroup(world: World, bot: Bot, chat: number): Room {
  const room = groupRoom(world, chat);
  if (room?.bot !== bot.id) throw badRequest("chat not found");
  if (room.gone === "kicked") throw forbidden(`bot was kicked from the ${room.kind} chat`);
  if (room.gone === "left") throw forbidden(`bot is not a member of the ${room.kind} chat`);
  if (room.movedTo)
    throw new BotRefusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
      migrate_to_chat_id: room.movedTo,
    });
  return room;
}

function ownPrivate(world: World, bot: Bot, chat: number): Room {
  if (world.bots.has(chat)) throw forbidden("bots can't send messages to bots");
  if (!world.people.has(chat)) throw badRequest("chat not found");
  return privateRoom(world, bot.id, chat);
}

export function connectionOf(world: World, bot: Bot, id: string | undefined): Connection {
  const connection = world.connections.get(id ?? "");
  if (connection?.bot !== bot.id) throw badRequest("business connection not found");
  return connection;
}

/** A business owner's chat. */
export function businessTarget(
  { world, bot }: BotRequest,
  id: string,
  chat: string | number | undefined,
): Required<Target> {
  if (chat === undefined || chat === "") throw badRequest("chat identifier is empty");
  const customer = Number(chat);
  if (!Number.isSafeInteger(customer)) throw badRequest("chat identifier must be a valid Integer");
  const connection = connectionOf(world, bot, id);
  if (customer <= 0) throw badRequest("chat must be a private chat");
  if (customer === connection.owner) throw badRequest("messages must not be sent to self");
  checkEnabled(connection);
  if (!world.people.has(customer)) throw badRequest("BUSINESS_PEER_INVALID");
  return { room: peopleRoom(world, connection.owner, customer), business: { connection, customer } };
}

/** The server's check, over a disabled connection. */
export function checkEnabled({ enabled }: Connection): void {
  if (!enabled) throw badRequest("BUSINESS_CONNECTION_INVALID");
}

/** Throws BotRefusal when the bot may not write; `what` is Telegram's name of the content. */
export function checkMayWrite(world: World, { room, business }: Target, what: string): void {
  if (business) checkBusiness(world, room, business.connection, business.customer);
  const [person] = room.people;
  if (room.kind === "private") {
    if (world.people.get(person ?? 0)?.deactivated) throw forbidden("user is deactivated");
    if (!room.opened) throw forbidden("bot can't initiate conversation with a user");
    if (room.blocked) throw forbidden("bot was blocked by the user");
  }
  if (!room.mayWrite) throw badRequest(`not enough rights to send ${what} to the chat`);
}

function checkBusiness(world: World, room: Room, { rights }: Connection, customer: number): void {
  if (!rights.can_reply) throw badRequest("BOT_ACCESS_FORBIDDEN");
  const oldest = world.clock.now() - DAY_MS;
  // "can_reply: True, if the bot can send and edit messages in the private chats that had incoming messages in the
  // last 24 hours": https://core.telegram.org/bots/api#businessbotrights
  const wrote = [...room.posts.values()].some(({ author, at }) => author === customer && at >= oldest);
  if (!wrote) throw badRequest("BUSINESS_PEER_USAGE_MISSING");
}

export function messageOf(room: Room, id: number | undefined, missing: () => BotRefusal): Post {
  const found = id === undefined ? undefined : room.posts.get(id);
  if (!found) throw missing();
  return found;
}
