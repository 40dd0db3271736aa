import { decoded, type Fields, fieldsOf, withPrefix } from "../fields.ts";
import { checkedLink } from "../formatting/links.ts";
import { badRequest, Malformed } from "../refusal.ts";
import type { BotRequest, Method } from "./request.ts";
import { checkUser, userIdOf } from "./targets.ts";

type Field = "name" | "description" | "short_description";
// https://core.telegram.org/bots/api#setmyname and the like; code: the server's error for a longer text.
const LIMITS: Record<Field, [characters: number, code: string]> = {
  name: [64, "BOT_TITLE_INVALID"],
  description: [512, "BOT_DESC_INVALID"],
  short_description: [120, "BOT_SHARETEXT_INVALID"],
};

function languageOf({ args }: BotRequest): string {
  const code = args.language_code ?? "";
  if (!/^(?:[a-z]{2})?$/.test(code)) throw new Malformed("Invalid language code specified");
  return code;
}

const set = (field: Field): Method => {
  return (request) => {
    const text = request.args[field] ?? "";
    const key = `${field}:${languageOf(request)}`;
    const [max, code] = LIMITS[field];
    if (text.length > max || (key === "name:" && text === "")) throw badRequest(code);
    if (text === "") request.bot.profile.delete(key);
    else request.bot.profile.set(key, text);
    if (key === "name:" && text !== "") request.bot.name = text;
    return true;
  };
};

const get = (field: Field): Method => {
  return (request) => {
    const { bot } = request;
    const own = bot.profile.get(`${field}:${languageOf(request)}`) ?? bot.profile.get(`${field}:`);
    return { [field]: own ?? (field === "name" ? bot.name : "") };
  };
};

function menuOf(raw: unknown): unknown {
  if (raw === undefined || raw === "") return { type: "default" };
  const value = decoded(raw, "Can't parse menu button JSON object");
  const button = withPrefix("Can't parse menu button: ", () =>
    readMenu(fieldsOf(value, "MenuButton must be an Object")),
  );
  if (!("url" in button)) return button;
  const { type, text, url } = button;
  if (text === "") throw new Malformed("Menu button text must be non-empty");
  return { type, text, web_app: { url: withPrefix("Menu button Web App ", () => checkedLink(url, true)) } };
}

function readMenu(fields: Fields): { type: string } | { type: string; text: string; url: string } {
  const type = fields.text("type");
  if (type === "default" || type === "commands") return { type };
  if (type !== "web_app") throw new Malformed("MenuButton has unsupported type");
  return { type, text: fields.text("text"), url: fields.object("web_app").text("url") };
}

const setChatMenuButton: Method = ({ world, bot, args, raw }) => {
  const button = menuOf(raw.get("menu_button"));
  bot.menus.set(chatOfMenu(world, args.chat_id), button);
  return true;
};

const getChatMenuButton: Method = ({ world, bot, args }) =>
  bot.menus.get(chatOfMenu(world, args.chat_id)) ?? bot.menus.get(0) ?? { type: "commands" };

/** 0: the default for all chats. */
function chatOfMenu(world: BotRequest["world"], chat: string | number | undefined): number {
  if (chat === undefined) return 0;
  const id = userIdOf(chat, "chat_id");
  checkUser(world, id);
  return id;
}

export const profileMethods: Record<string, Method> = {
  setMyName: set("name"),
  getMyName: get("name"),
  setMyDescription: set("description"),
  getMyDescription: get("description"),
  setMyShortDescription: set("short_description"),
  getMyShortDescription: get("short_description"),
  setChatMenuButton,
  getChatMenuButton,
};
