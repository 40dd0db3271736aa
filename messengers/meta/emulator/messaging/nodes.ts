import type { Asked, Operation } from "../graph.ts";
import { unknownField, unknownNode } from "../graph-error.ts";
import { needRight, type Token } from "../tokens.ts";
import type { Platform } from "./network.ts";
import { words } from "./refusals.ts";
import { accountById } from "./world.ts";

/** The account itself and its customers' profiles. */
export function nodeOperations(platform: Platform): Operation[] {
  return [{ id: "profile", method: "GET", path: "/:accountId{me|\\d+}", run: (asked) => node(platform, asked) }];
}

/** `picture{url},name`: names without what is asked of them. */
export const fieldsAsked = ({ query }: Asked): string[] =>
  (query.fields ?? "")
    .replaceAll(/\{[^}]*\}|\.[a-z]+\([^)]*\)/g, "")
    .split(",")
    .map((field) => field.trim())
    .filter(Boolean);

function node(platform: Platform, asked: Asked): object {
  const token = asked.token();
  const { accountId = "" } = asked.path;
  const fields = fieldsAsked(asked);
  if (accountId === "me" && token.type === "USER" && platform.network.object === "page")
    return picked({ id: token.user, name: "Casey Merchant" }, fields, "User");
  const own = accountId === "me" ? firstAccount(platform, token) : accountById(platform.world, accountId);
  if (own && token.nodes.has(own.id))
    return picked(platform.network.accountView(own, token, platform), fields, platform.network.nodeType);
  return profile(platform, token, accountId, fields);
}

const firstAccount = ({ world }: Platform, { nodes }: Token) => world.accounts.find(({ id }) => nodes.has(id));

function profile(platform: Platform, token: Token, id: string, fields: string[]): object {
  const { world, network } = platform;
  const chat = world.chats.find(({ scopedId, account }) => scopedId === id && token.nodes.has(account.id));
  if (!chat) throw unknownNode(id);
  needRight(token, ...network.rights.message);
  if (chat.person.isGone || chat.isBlocked || chat.messages.length + chat.wroteAt === 0) throw words(100, 2018218);
  return picked(network.profileView(chat, platform), fields, "User");
}

/** The fields asked for, and always the id. Throws GraphRefusal for an unknown one. */
function picked(view: Record<string, unknown>, fields: string[], type: string): object {
  const unknown = fields.find((field) => !(field in view));
  if (unknown !== undefined) throw unknownField(unknown, type);
  const wanted = fields.length > 0 ? fields : ["name"];
  const entries = Object.entries(view).filter(([name]) => wanted.includes(name) || name === "id");
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
