import { randomUUID } from "node:crypto";
import { mixed } from "./mixed.ts";

/** A channel's public endpoints and their credentials. */
export interface Target {
  webhookSecret: string;
  clientId: string;
  gatewayChannelId: string;
  door: string;
  hookSecret: string;
  bot: string;
  botToken: string;
  gatewayToken: string;
  /** Of a web chat. */
  visitors?: Visitor[];
}
export interface Visitor {
  id: string;
  token: string;
}
export type Direction = "inbound" | "outbound" | "both";

interface Webhook {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** First chat id; every account has the same customers. */
const FIRST_CHAT = 700_000_000;
/** A text of typical length. */
const WORDS = "Hello! Is the blue rope of twelve millimetres in stock, and how long does it take to Porto?";

export const chatOf = (n: number): number => FIRST_CHAT + n;

interface Course {
  targets: Target[];
  direction: Direction;
  chats: number;
  /** Not only plain texts. */
  mixed?: boolean;
}

/** The `n`th message: cycles through accounts, then chats; neighbours and rounds alternate in direction. */
export function webhook(at: Course, n: number): Webhook {
  const target = at.targets[n % at.targets.length] as Target;
  const round = Math.floor(n / at.targets.length);
  const both = at.direction === "both";
  const inbound = both ? ((n % at.targets.length) + round) % 2 === 0 : at.direction === "inbound";
  const number = (both ? Math.floor(round / 2) : round) % at.chats;
  const chat = chatOf(number);
  const visitor = target.visitors?.[number];
  if (visitor) return inbound ? fromVisitor(target, visitor, n) : fromGateway(target, visitor.id, n);
  const plain = inbound ? fromTelegram(target, chat, n) : fromGateway(target, String(chat), n);
  if (!at.mixed || !both) return plain;
  const cycle = 2 * at.targets.length * at.chats;
  // The first messages of all chats come one way.
  const earlier = n - cycle > cycle / 2 ? n - cycle : undefined;
  const turn = Math.floor(n / cycle) + (n % at.targets.length) + number;
  return mixed({ plain, chat, inbound, earlier, turn });
}

function fromVisitor({ door }: Target, { token }: Visitor, n: number): Webhook {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const body = { id: randomUUID(), text: `${WORDS} #${n}#`, page: "https://shop.example/ropes/12" };
  return { path: `/m/${door}/messages`, headers, body: JSON.stringify(body) };
}

function fromTelegram(target: Target, chat: number, n: number): Webhook {
  const person = { id: chat, first_name: "Ana", last_name: "Lima", username: `ana_${chat}` };
  const message = {
    message_id: n,
    from: { ...person, is_bot: false, language_code: "pt" },
    chat: { ...person, type: "private" },
    date: Math.floor(Date.now() / 1000),
    text: `${WORDS} #${n}#`,
  };
  const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": target.hookSecret };
  return { path: `/m/${target.door}`, headers, body: JSON.stringify({ update_id: n, message }) };
}

function fromGateway(target: Target, chat: string, n: number): Webhook {
  const data = {
    id: n,
    channel_id: Number(target.gatewayChannelId),
    external_chat_id: chat,
    external_user_id: chat,
    type: "text",
    content: `${WORDS} #${n}#`,
    user: { id: 7, external_id: "7", first_name: "Olga", last_name: "Serova", avatar: "https://example.com/a.png" },
    customer: { external_id: chat, first_name: "Ana", last_name: "Lima", phone: "", email: "" },
    attachments: { suggestions: [] },
    quote_external_id: null,
    quote_content: null,
  };
  const body = { type: "message_sent", meta: { timestamp: 1_790_000_000_000 + n }, data };
  const headers = { "content-type": "application/json", clientid: target.clientId };
  return { path: `/gateway/${target.webhookSecret}`, headers, body: JSON.stringify(body) };
}
