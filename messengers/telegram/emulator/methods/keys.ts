import { type Fields, fieldsOf, withPrefix } from "../fields.ts";
import { checkedLink, linkedUser } from "../formatting/links.ts";
import type { ReplyKey } from "../phone-wire.ts";
import { badRequest, Malformed } from "../refusal.ts";

/** A key of a reply keyboard and what it requests. */
export interface Key extends ReplyKey {
  asks?: { what: keyof typeof PRIVATE_ONLY; url?: string; quantity?: number };
}

// Errors for requests outside private chats: TDLib's KeyboardButton.cpp.
const PRIVATE_ONLY = {
  contact: "Phone number can be requested in private chats only",
  location: "Location can be requested in private chats only",
  poll: "Poll can be requested in private chats only",
  app: "Web App buttons can be used in private chats only",
  users: "Users can be requested in private chats only",
  chat: "Chats can be requested in private chats only",
  bot: "Managed bots can be requested in private chats only",
};
// https://core.telegram.org/bots/api#keyboardbuttonrequestusers
const MAX_USERS = 10;
const STYLES = new Set(["", "default", "primary", "danger", "success"]);

/** Checks the optional fields common to all buttons. */
export function checkLook(fields: Fields): void {
  fields.optionalLong("icon_custom_emoji_id");
  if (!STYLES.has(fields.optionalText("style").toLowerCase())) throw new Malformed("Invalid button style specified");
}

export function keyOf(value: unknown): Key {
  if (typeof value === "string") return { text: value, contact: false };
  const fields = fieldsOf(value, "KeyboardButton must be a String or an Object");
  const text = fields.text("text");
  checkLook(fields);
  const asks = askedBy(fields);
  return { text, contact: asks?.what === "contact", ...(asks && { asks }) };
}

/** The first request present; `request_phone_number` and `request_user` are older names. */
function askedBy(fields: Fields): Key["asks"] {
  const isForPhone = fields.optionalFlag("request_phone_number");
  if (fields.optionalFlag("request_contact") || isForPhone) return { what: "contact" };
  if (fields.optionalFlag("request_location")) return { what: "location" };
  if (fields.has("request_poll")) {
    fields.object("request_poll").optionalText("type");
    return { what: "poll" };
  }
  if (fields.has("web_app")) return { what: "app", url: fields.object("web_app").text("url") };
  const users = ["request_users", "request_user"].find(fields.has);
  if (users) return { what: "users", quantity: quantityOf(fields.object(users)) };
  for (const [name, what] of [["request_chat", "chat"] as const, ["request_managed_bot", "bot"] as const]) {
    if (!fields.has(name)) continue;
    fields.object(name).integer("request_id");
    return { what };
  }
  return undefined;
}

function quantityOf(fields: Fields): number {
  fields.integer("request_id");
  for (const flag of ["user_is_bot", "user_is_premium"]) fields.optionalFlag(flag);
  return fields.has("max_quantity") ? fields.integer("max_quantity") : 1;
}

export function checkKey({ asks }: Key, isPrivate: boolean): void {
  if (!asks) return;
  if (!isPrivate) throw new Malformed(PRIVATE_ONLY[asks.what]);
  const { url, quantity = 1 } = asks;
  if (url !== undefined) {
    if (linkedUser(url) !== undefined) throw new Malformed("Link to a user can't be used in Web App URL buttons");
    withPrefix("Keyboard button Web App ", () => checkedLink(url, true));
  }
  if (quantity < 1 || quantity > MAX_USERS) throw badRequest("BUTTON_QUANTITY_MAX_INVALID");
}
