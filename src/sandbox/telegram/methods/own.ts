import { announceStanding } from "../announcements.ts";
import { businessConnectionView } from "../business.ts";
import { badRequest } from "../refusal.ts";
import { userOfBot } from "../rooms.ts";
import type { BotRequest, Method } from "./request.ts";
import { connectionOf, messageOf, targetOf } from "./targets.ts";

const getMe: Method = ({ bot }) => ({
  ...userOfBot(bot),
  can_join_groups: true,
  can_read_all_group_messages: true,
  supports_inline_queries: false,
  can_connect_to_business: true,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
  can_manage_bots: false,
  supports_join_request_queries: false,
});

const scopeKey = ({ args }: BotRequest): string =>
  JSON.stringify([args.scope ?? { type: "default" }, args.language_code ?? ""]);

const setMyCommands: Method = (request) => {
  const commands = request.args.commands ?? [];
  if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  for (const { command, description } of commands) {
    if (!/^\/?[a-z0-9_]{1,32}$/.test(command)) throw badRequest("BOT_COMMAND_INVALID");
    if (description === "" || description.length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
  }
  request.bot.commands.set(scopeKey(request), commands);
  return true;
};

// Not published; a query that is much older is refused.
const CALLBACK_LIFE_MS = 15 * 60 * 1000;

const answerCallbackQuery: Method = ({ world, bot, args }) => {
  const id = args.callback_query_id ?? "";
  const room = [...world.rooms.values()].find((each) => each.bot === bot.id && each.callbacks.has(id));
  const at = room?.callbacks.get(id) ?? 0;
  if (!room || world.clock.now() - at > CALLBACK_LIFE_MS)
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  if ((args.text ?? "").length > 200) throw badRequest("MESSAGE_TOO_LONG");
  return true;
};

const leaveChat: Method = (request) => {
  const { room } = targetOf(request);
  if (room.kind === "private") throw badRequest("chat member status can't be changed in private chats");
  room.kicked = true;
  announceStanding(request.world, room, request.bot.id, "member", "left");
  return true;
};

const readBusinessMessage: Method = (request) => {
  const { business, room } = targetOf(request);
  if (!business) throw badRequest("business connection not found");
  if (!business.connection.rights.can_read_messages) throw badRequest("not enough rights");
  const { message } = messageOf(room, request.args.message_id, () => badRequest("MESSAGE_ID_INVALID"));
  const { read } = business.connection;
  read.set(business.customer, Math.max(message.message_id, read.get(business.customer) ?? 0));
  return true;
};

export const ownMethods: Record<string, Method> = {
  getMe,
  setMyCommands,
  getMyCommands: (request) => request.bot.commands.get(scopeKey(request)) ?? [],
  deleteMyCommands(request) {
    request.bot.commands.delete(scopeKey(request));
    return true;
  },
  answerCallbackQuery,
  leaveChat,
  readBusinessMessage,
  getBusinessConnection({ world, bot, args }) {
    return businessConnectionView(world, connectionOf(world, bot, args.business_connection_id));
  },
};
