import { decoded, fieldsOf, itemsOf, withPrefix } from "../fields.ts";
import { badRequest, Malformed } from "../refusal.ts";
import type { BotRequest, Method } from "./request.ts";
import { roomOfChat } from "./targets.ts";

interface Command {
  command: string;
  description: string;
}
// https://core.telegram.org/bots/api#botcommand
const MAX_COMMANDS = 100;
const MAX_COMMAND = 32;
const MAX_DESCRIPTION = 256;
const EVERYWHERE = new Set(["default", "all_private_chats", "all_group_chats", "all_chat_administrators"]);
const SOMEWHERE = new Set(["chat", "chat_administrators", "chat_member"]);

function keyOf(request: BotRequest): string {
  const { args, raw } = request;
  const given = raw.get("scope");
  const scope = given === undefined || given === "" ? "default" : scopeOf(request, given);
  const language = args.language_code ?? "";
  if (!/^(?:[a-z]{2})?$/.test(language)) throw new Malformed("Invalid language code specified");
  return `${scope} ${language}`;
}

function scopeOf(request: BotRequest, given: unknown): string {
  const value = decoded(given, "Can't parse BotCommandScope JSON object");
  const { type, chat, user } = withPrefix("Can't parse BotCommandScope: ", () => readScope(value));
  if (chat === "") return type;
  const { kind } = roomOfChat(request, chat);
  if (type !== "chat" && kind === "private") throw badRequest("can't use specified scope in private chats");
  return `${type} ${chat} ${user}`;
}

function readScope(value: unknown): { type: string; chat: string; user: number } {
  const fields = fieldsOf(value, "BotCommandScope must be an Object");
  const type = fields.text("type");
  if (EVERYWHERE.has(type)) return { type, chat: "", user: 0 };
  if (!SOMEWHERE.has(type)) throw new Malformed("Unsupported type specified");
  const chat = fields.text("chat_id");
  if (chat === "") throw new Malformed("Empty chat_id specified");
  const user = type === "chat_member" ? fields.integer("user_id") : 0;
  if (user < 0 || (type === "chat_member" && user === 0)) throw new Malformed("Invalid user_id specified");
  return { type, chat, user };
}

function readCommands(given: unknown): Command[] {
  if (given === undefined || given === "") return [];
  return itemsOf(decoded(given, "Can't parse commands JSON object"), "BotCommand", (each) => {
    const fields = fieldsOf(each, "expected an Object");
    return { command: fields.text("command"), description: fields.text("description") };
  });
}

function checked({ command: given, description: about }: Command): Command {
  const command = given.trim().replace(/^\//, "");
  const description = about.trim();
  if (command === "") throw new Malformed("Command must be non-empty");
  if ([...command].length > MAX_COMMAND) throw new Malformed(`Command length must not exceed ${MAX_COMMAND}`);
  if (description === "") throw new Malformed("Command description must be non-empty");
  if ([...description].length > MAX_DESCRIPTION)
    throw new Malformed(`Command description length must not exceed ${MAX_DESCRIPTION}`);
  return { command, description };
}

const setMyCommands: Method = (request) => {
  const given = readCommands(request.raw.get("commands"));
  const key = keyOf(request);
  const commands = given.map(checked);
  if (commands.length > MAX_COMMANDS) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  if (commands.some(({ command }) => !/^[a-z0-9_]+$/.test(command))) throw badRequest("BOT_COMMAND_INVALID");
  request.bot.commands.set(key, commands);
  return true;
};

export const commandMethods: Record<string, Method> = {
  setMyCommands,
  getMyCommands: (request) => request.bot.commands.get(keyOf(request)) ?? [],
  deleteMyCommands(request) {
    request.bot.commands.delete(keyOf(request));
    return true;
  },
};
