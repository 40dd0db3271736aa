import { businessConnectionView } from "../business.ts";
import { badRequest } from "../refusal.ts";
import { userOfBot } from "../rooms.ts";
import type { Method } from "./request.ts";
import { businessTarget, connectionOf, messageOf } from "./targets.ts";

const getMe: Method = ({ bot }) => ({
  ...userOfBot(bot),
  can_join_groups: true,
  can_read_all_group_messages: true,
  supports_guest_queries: false,
  supports_inline_queries: false,
  can_connect_to_business: true,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
  can_manage_bots: false,
  supports_join_request_queries: false,
});

// Unpublished; much older queries are refused.
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

const readBusinessMessage: Method = (request) => {
  const { business_connection_id: id, chat_id: chat } = request.args;
  const { business, room } = businessTarget(request, id ?? "", chat);
  if (!business.connection.rights.can_read_messages) throw badRequest("BOT_ACCESS_FORBIDDEN");
  const { message } = messageOf(room, request.args.message_id, () => badRequest("MESSAGE_ID_INVALID"));
  const { read } = business.connection;
  read.set(business.customer, Math.max(message.message_id, read.get(business.customer) ?? 0));
  return true;
};

export const ownMethods: Record<string, Method> = {
  getMe,
  answerCallbackQuery,
  readBusinessMessage,
  getBusinessConnection({ world, bot, args }) {
    return businessConnectionView(world, connectionOf(world, bot, args.business_connection_id));
  },
};
