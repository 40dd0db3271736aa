import type { Asked, Operation } from "../graph.ts";
import { unknownField, unknownNode } from "../graph-error.ts";
import { needRight, type Token } from "../tokens.ts";
import type { Platform } from "./network.ts";
import { checkListing } from "./pace.ts";
import { messagingAccount } from "./reading.ts";
import { words } from "./refusals.ts";
import { accountById, type Chat, nameOf } from "./world.ts";

/** The account itself, its customers' profiles and its conversations. */
export function nodeOperations(platform: Platform): Operation[] {
  return [
    {
      id: "conversations",
      method: "GET",
      path: "/:accountId/conversations",
      run: (asked) => conversations(platform, asked),
    },
    { id: "profile", method: "GET", path: "/:accountId{me|\\d+}", run: (asked) => node(platform, asked) },
  ];
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

function conversations(platform: Platform, asked: Asked): object {
  const { account } = messagingAccount(platform, asked);
  checkListing(platform, account);
  const { user_id, fields = "" } = asked.query;
  const chats = platform.world.chats.filter(
    (chat) =>
      chat.account === account && chat.messages.length > 0 && (user_id === undefined || chat.scopedId === user_id),
  );
  const isFull = /\bmessages\b/.test(fields);
  return { data: chats.map((chat) => conversation(chat, isFull)) };
}

const MAX_LISTED = 25;
const iso = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, "+0000");

function conversation(chat: Chat, isFull: boolean): object {
  const { thread, messages, account, person, scopedId } = chat;
  const customer = { name: nameOf(person), id: scopedId };
  const listed = messages
    .slice(-MAX_LISTED)
    .reverse()
    .map(({ mid, at, from, text }) => ({
      id: mid,
      created_time: iso(at),
      from: from === "customer" ? customer : { name: account.name, id: account.id },
      message: text ?? "",
    }));
  return {
    id: thread,
    updated_time: iso(messages.at(-1)?.at ?? 0),
    link: `/${account.id}/inbox/${thread}/`,
    ...(isFull && { messages: { data: listed } }),
  };
}
