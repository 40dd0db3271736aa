import { type Fields, fieldsOf, withPrefix } from "../fields.ts";
import { checkedLink, linkedUser } from "../formatting/links.ts";
import { badRequest, Malformed } from "../refusal.ts";
import type { InlineButton } from "../wire.ts";
import type { World } from "../world.ts";
import { checkLook } from "./keys.ts";

// https://core.telegram.org/bots/api#inlinekeyboardbutton
const MAX_CALLBACK_BYTES = 64;
const MAX_COPIED = 256;

/** Actions of inline buttons other than `url` and `callback_data`; the first present one counts. */
const ACTIONS: readonly [name: string, check: (fields: Fields) => unknown][] = [
  ["callback_game", () => true],
  ["pay", () => true],
  ["switch_inline_query", (fields) => fields.text("switch_inline_query")],
  ["switch_inline_query_chosen_chat", (fields) => chosenChat(fields.object("switch_inline_query_chosen_chat"))],
  ["switch_inline_query_current_chat", (fields) => fields.text("switch_inline_query_current_chat")],
  ["login_url", (fields) => loginOf(fields.object("login_url"))],
  ["web_app", (fields) => fields.object("web_app").text("url")],
  ["copy_text", (fields) => fields.object("copy_text").text("text")],
  ["disabled", () => true],
];

function chosenChat(fields: Fields): void {
  fields.optionalText("query");
  for (const who of ["user", "bot", "group", "channel"]) fields.optionalFlag(`allow_${who}_chats`);
}

function loginOf(fields: Fields): void {
  fields.text("url");
  if (/\W|^@?$/.test(fields.optionalText("bot_username").replace(/^@/, "") || "none"))
    throw new Malformed("LoginUrl bot username is invalid");
  fields.optionalFlag("request_write_access");
}

export function buttonOf(value: unknown): InlineButton {
  const fields = fieldsOf(value, "InlineKeyboardButton must be an Object");
  const text = fields.text("text");
  checkLook(fields);
  const look = Object.fromEntries(
    ["icon_custom_emoji_id", "style"].flatMap((name) => (fields.has(name) ? [[name, fields.raw(name)]] : [])),
  );
  const url = fields.optionalText("url");
  if (url) return { text, ...look, url };
  const callback_data = fields.optionalText("callback_data");
  if (callback_data) return { text, ...look, callback_data };
  const action = ACTIONS.find(([name]) => fields.has(name));
  if (!action) throw new Malformed("Text buttons are not allowed in the inline keyboard");
  const [name, check] = action;
  check(fields);
  return { text, ...look, [name]: fields.raw(name) };
}

/** The button as stored. Throws BotRefusal when it is not allowed. */
export function checkedButton(world: World, button: InlineButton, isPrivate: boolean): InlineButton {
  const { url, callback_data: payload, web_app: app, login_url: login, copy_text: copied } = button;
  const secured = (what: string, link: string) =>
    withPrefix(`Inline keyboard button ${what} `, () => checkedLink(link, true));
  const kept = url === undefined || linkedUser(url) !== undefined ? url : keptUrl(url);
  if (app && linkedUser(app.url) !== undefined)
    throw new Malformed("Link to a user can't be used in Web App URL buttons");
  if (app) secured("Web App", app.url);
  if (login) secured("login", login.url);
  if (login) checkLogin(world, login.bot_username);
  if (payload !== undefined && Buffer.byteLength(payload) > MAX_CALLBACK_BYTES) throw badRequest("BUTTON_DATA_INVALID");
  if (copied && (copied.text === "" || copied.text.length > MAX_COPIED)) throw badRequest("BUTTON_COPY_TEXT_INVALID");
  // Games and invoices are not served; web apps open only in private chats.
  if (button.pay || button.callback_game || (app && !isPrivate)) throw badRequest("BUTTON_TYPE_INVALID");
  return kept === undefined ? button : { ...button, url: kept };
}

const keptUrl = (url: string): string => withPrefix("Inline keyboard button ", () => checkedLink(url));

/** The sandbox's bots have no linked domain. */
function checkLogin(world: World, username = ""): void {
  const name = username.replace(/^@/, "");
  const isKnown = [...world.bots.values()].some((bot) => bot.username.toLowerCase() === name.toLowerCase());
  if (name !== "" && !isKnown) throw badRequest(`bot "${name}" not found`);
  throw badRequest("BOT_DOMAIN_INVALID");
}
