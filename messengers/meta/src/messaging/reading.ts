import { type ChatId, type CustomerId, fingerprint, type MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent, Content, Customer } from "gangway-messenger/message";
import type { Note } from "gangway-messenger/port";
import type { Entry } from "../envelope.ts";
import { timeOf } from "../time.ts";
import { contentOf } from "./content.ts";
import type { Login } from "./network.ts";
import { fromKey, wroteKey } from "./notes.ts";
import type { AskPeople, People } from "./people.ts";
import {
  IGNORED,
  type MessagingEvent,
  messagingEvent,
  type Referral,
  type WireMessage,
  type WirePostback,
  type WireReaction,
} from "./wire.ts";

type Utm = NonNullable<Customer["utm"]>;

/** How a customer found the chat: an ad, a link with a `ref`, a page's button. Undefined: not stated. */
function utmOf(referral: Referral | null | undefined, network: string): Utm | undefined {
  if (!referral) return undefined;
  const { ref, source, ad_id, ads_context_data: ad } = referral;
  const utm: Utm = {
    source: network,
    medium: ad_id || ad ? "ad" : (source?.toLowerCase() ?? "link"),
    ...((ref || ad_id) && { campaign: ref || (ad_id ?? "") }),
    ...(ad?.ad_title && { content: ad.ad_title }),
    ...(ref && ad_id && { term: ad_id }),
  };
  return utm;
}

/** Emoji of Meta's named reactions, for webhooks that give the name only. */
const NAMED = new Map(
  Object.entries({ smile: "😆", angry: "😠", sad: "😢", wow: "😮", love: "❤", like: "👍", dislike: "👎" }),
);

/** The emoji; null: taken back. */
const reactionOf = ({ action, emoji, reaction }: WireReaction): string | null =>
  action === "unreact" ? null : emoji || (NAMED.get(reaction ?? "") ?? "❤");

export interface Reading {
  events: ChannelEvent[];
  notes: Note[];
  unknown?: string;
}

interface Timed {
  event: MessagingEvent;
  at: number;
}
/** What is being read, with the notes of the batch before those stored. */
interface Draft {
  login: Login;
  people: People;
  events: ChannelEvent[];
  pending: Map<string, string>;
  note(key: string): Promise<string | undefined>;
}

/** The events of one login's entries. Also those on standby: the customer has written, whichever app may answer now. */
export async function readEntries(entries: Entry[], login: Login, ask: AskPeople): Promise<Reading> {
  const unknown = new Set<string>();
  const timed = entries.flatMap(({ time, messaging, standby }) =>
    [...(messaging ?? []), ...(standby ?? [])].flatMap((given): Timed[] => {
      const read = messagingEvent.safeParse(given);
      const name = read.success ? strangeName(given, read.data) : nameOfUnread(given);
      if (name) unknown.add(name);
      const at = timeOf(read.data?.timestamp ?? time, login.context.clock.now());
      return read.success ? [{ event: read.data, at }] : [];
    }),
  );
  const people = await ask(timed.flatMap(({ event }) => writersOf(event, login.ownId)));
  const pending = new Map<string, string>();
  const note = async (key: string) => pending.get(key) ?? (await login.context.notes.get(key));
  const draft: Draft = { login, people, events: [], pending, note };
  for (const { event, at } of timed) await readEvent(draft, event, at);
  const notes = [...people.notes, ...[...pending].map(([key, value]) => ({ key, value }))];
  return { events: draft.events, notes, ...(unknown.size > 0 && { unknown: [...unknown].join(", ") }) };
}

const KNOWN = ["sender", "recipient", "timestamp", ...IGNORED];

/** The name of an event that this version does not know. */
function strangeName(given: unknown, event: MessagingEvent): string | undefined {
  const { sender: _, recipient: __, timestamp: ___, ...read } = event;
  if (Object.values(read).some((value) => value !== undefined && value !== null)) return undefined;
  return Object.keys(Object(given)).find((key) => !KNOWN.includes(key));
}

function nameOfUnread(given: unknown): string | undefined {
  const names = Object.keys(Object(given)).filter((key) => !["sender", "recipient", "timestamp"].includes(key));
  return names.some((name) => IGNORED.includes(name)) ? undefined : (names[0] ?? "an event without a name");
}

/** People whose names are needed. */
function writersOf({ sender, recipient, message, message_edit: edit, postback }: MessagingEvent, ownId: string) {
  if (!message && !edit && !postback) return [];
  if (message?.is_deleted) return [];
  return [sender.id === ownId ? recipient.id : sender.id];
}

async function readEvent(draft: Draft, event: MessagingEvent, at: number): Promise<void> {
  const { sender, recipient, message, message_edit: edit, reaction, postback, referral, optin, read } = event;
  const isOwn = sender.id === draft.login.ownId || message?.is_echo === true;
  const chat = (isOwn ? recipient.id : sender.id) as ChatId;
  if (isOwn) return message ? readEcho(draft, message, { chat, at }) : undefined;
  if (message?.is_deleted) return deleted(draft, message, { chat, at });
  if (message) return said(draft, message, { chat, at });
  if (postback) return pressed(draft, postback, { chat, at });
  if (edit) return edited(draft, edit, { chat, at });
  if (reaction) {
    const key = `reaction:${reaction.mid}:${chat}:${at}`;
    const messengerMessageId = reaction.mid as MessengerMessageId;
    draft.events.push({ type: "reaction", key, chat, messengerMessageId, at, reaction: reactionOf(reaction) });
  }
  if (referral) await arrived(draft, referral, { chat, at });
  // It tells where the customer came from; what they write opens the window.
  if (optin?.ref) keepUtm(draft, { ref: optin.ref, source: "optin" }, chat);
  if (read) readMark(draft, read, { chat, at });
}

interface Where {
  chat: ChatId;
  at: number;
}

async function said(draft: Draft, message: WireMessage, { chat, at }: Where): Promise<void> {
  const { login } = draft;
  await opened(draft, { chat, at });
  const content = contentOf(message, login.lines);
  if (!content) return;
  const customer = await customerFrom(draft, chat, message.referral);
  draft.events.push({
    type: "message",
    key: `message:${message.mid}`,
    chat,
    messengerMessageId: message.mid as MessengerMessageId,
    at,
    originator: "customer",
    customer: { ...customer, ...contactIn(message) },
    content,
    ...(message.reply_to?.mid && { quote: message.reply_to.mid as MessengerMessageId }),
    replyUntil: at + login.windowMs,
  });
}

/** RFC 5321. */
const MAX_EMAIL = 254;

/** The answer of a quick reply for a phone number or an e-mail address; our own payloads begin with a word. */
function contactIn({ quick_reply: reply }: WireMessage): Pick<Customer, "phone" | "email"> {
  const value = reply?.payload?.trim() ?? "";
  if (/^\+?[\d\s()-]{6,20}$/.test(value)) return { phone: value.replace(/[\s()-]/g, "") };
  // A long one would block the process: the pattern tries each dot anew.
  const isEmail = value.length <= MAX_EMAIL && /^[^\s@:]+@[^\s@]+\.[^\s@]+$/.test(value);
  return isEmail ? { email: value } : {};
}

async function readEcho(draft: Draft, message: WireMessage, { chat, at }: Where): Promise<void> {
  const { login, people } = draft;
  const messengerMessageId = message.mid as MessengerMessageId;
  if (message.is_deleted) {
    draft.events.push({ type: "deleted", key: `deleted:${message.mid}`, chat, messengerMessageId, at });
    return;
  }
  const { channelId } = login.context;
  const ours = await login.network.echoes.ofOurs({ message, chat, channelId, at }, { get: draft.note });
  if (ours) {
    for (const { key, value } of ours) draft.pending.set(key, value);
    return;
  }
  const content = contentOf(message, login.lines);
  if (!content) return;
  const quote = message.reply_to?.mid as MessengerMessageId | undefined;
  draft.events.push({
    type: "message",
    key: `message:${message.mid}`,
    chat,
    messengerMessageId,
    at,
    originator: "channel",
    customer: people.of(chat),
    content,
    ...(quote && { quote }),
  });
}

function deleted({ events }: Draft, { mid }: WireMessage, { chat, at }: Where): void {
  events.push({ type: "deleted", key: `deleted:${mid}`, chat, messengerMessageId: mid as MessengerMessageId, at });
}

async function pressed(draft: Draft, { mid, title, payload, referral }: WirePostback, where: Where): Promise<void> {
  const { chat, at } = where;
  await opened(draft, where);
  const customer = await customerFrom(draft, chat, referral);
  const text = title || payload || "";
  if (!text) return;
  const id = mid ?? `postback:${fingerprint(`${chat}:${at}:${payload ?? ""}`)}`;
  const content: Content = { type: "text", text };
  const replyUntil = at + draft.login.windowMs;
  const messengerMessageId = id as MessengerMessageId;
  const key = `message:${id}`;
  const base = { key, chat, messengerMessageId, at };
  draft.events.push({ type: "message", ...base, originator: "customer", customer, content, replyUntil });
}

function edited(
  { events, people }: Draft,
  { mid, text, num_edit: turn }: NonNullable<MessagingEvent["message_edit"]>,
  { chat, at }: Where,
): void {
  // An app in development gets turn 0 for each new message.
  if (!text || turn === 0) return;
  const version = turn ?? at;
  const content: Content = { type: "text", text };
  const anew = `${mid}:edit${version}` as MessengerMessageId;
  events.push({
    type: "edited",
    key: `edited:${mid}:${version}`,
    chat,
    messengerMessageId: mid as MessengerMessageId,
    at,
    text,
    anew: { messengerMessageId: anew, originator: "customer", customer: people.of(chat), content },
  });
}

async function arrived(draft: Draft, referral: Referral, where: Where): Promise<void> {
  await opened(draft, where);
  keepUtm(draft, referral, where.chat);
}

function keepUtm({ login, pending }: Draft, referral: Referral, chat: ChatId): void {
  const utm = utmOf(referral, login.network.kind);
  if (utm) pending.set(fromKey(chat), JSON.stringify(utm));
}

/** The customer, with where they came from, as told by this event or an earlier one. */
async function customerFrom(draft: Draft, chat: ChatId, referral: Referral | null | undefined): Promise<Customer> {
  const customer = draft.people.of(chat);
  const kept = await draft.note(fromKey(chat));
  if (kept) draft.pending.set(fromKey(chat), "");
  const utm = utmOf(referral, draft.login.network.kind) ?? (kept ? (JSON.parse(kept) as Customer["utm"]) : undefined);
  return utm ? { ...customer, utm } : customer;
}

/** Remembers when the customer last wrote; webhooks come in any order. */
async function opened(draft: Draft, { chat, at }: Where): Promise<void> {
  const before = Number(await draft.note(wroteKey(chat))) || 0;
  if (at > before) draft.pending.set(wroteKey(chat), String(at));
}

function readMark({ events }: Draft, { watermark, mid }: NonNullable<MessagingEvent["read"]>, { chat, at }: Where) {
  if (mid) {
    const messengerMessageId = mid as MessengerMessageId;
    events.push({ type: "read", key: `read:${chat}:${mid}`, chat, messengerMessageId, at });
  } else if (watermark && watermark === timeOf(watermark, at)) {
    const messengerMessageId = `read:${chat}:${watermark}` as MessengerMessageId;
    const customer = chat as string as CustomerId;
    events.push({
      type: "read-until",
      key: `read:${chat}:${watermark}`,
      chat,
      messengerMessageId,
      at: watermark,
      customer,
    });
  }
}
