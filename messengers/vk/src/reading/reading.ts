import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId } from "gangway-messenger/ids";
import type { ChannelEvent, Content } from "gangway-messenger/message";
import type { Note } from "gangway-messenger/port";
import { cutText } from "gangway-messenger/text";
import * as z from "zod";
import type { Login } from "../login.ts";
import { oursByNumberKey, oursKey } from "../notes.ts";
import type { People } from "../people.ts";
import { reactionsOf } from "../reactions.ts";
import {
  ANSWER_BYTES,
  chatId,
  type Envelope,
  isPerson,
  type Message,
  message,
  messageId,
  newMessage,
  permission,
  pressed,
  reactionEvent,
  readMark,
} from "../wire.ts";
import { contentOf, wordsOf, writersIn } from "./content.ts";

export interface Reading {
  events: ChannelEvent[];
  notes: Note[];
  unknown?: string;
}
const NOTHING: Reading = { events: [], notes: [] };
const nothing = (unknown?: string): Reading => ({ ...NOTHING, ...(unknown && { unknown }) });

/** Events that contain nothing that the CRM could show. */
const IGNORED = ["message_typing_state"];
const SECOND_MS = 1_000;
/** Maximum length of an event's type in the log. */
const MAX_TYPE = 40;
/** A later time is implausible: the time of arrival is used instead, ms. */
const LATEST = Date.UTC(2200, 0, 1);

export interface Arrived extends Envelope {
  /** VK did not give what the event lacks: it is read as it came. */
  isAsIs?: boolean;
}
type Reader = (login: Login, object: unknown, about: Arrived, signal: AbortSignal) => Promise<Reading>;

const READERS: Record<string, Reader> = {
  async message_new(login, object, about, signal) {
    const read = newMessage.safeParse(object).data;
    return read ? readMessage(login, await whole(login, read.message, about, signal)) : nothing("message_new");
  },
  async message_reply(login, object, about, signal) {
    const read = message.safeParse(object).data;
    if (!read) return nothing("message_reply");
    return (await maybeOurs(login, read)) ? NOTHING : readMessage(login, await whole(login, read, about, signal));
  },
  async message_edit(login, object, about, signal) {
    const read = message.safeParse(object).data;
    if (!read) return nothing("message_edit");
    if (!isPerson(read.peer_id) || (isOut(read) && (await maybeOurs(login, read)))) return NOTHING;
    return edited(login, await whole(login, read, about, signal), about);
  },
  message_read: readUpTo,
  async message_reaction_event(login, object, { event_id: event }) {
    const read = reactionEvent.safeParse(object).data;
    if (!read) return nothing("message_reaction_event");
    // The community's own messages come back, too.
    if (!isPerson(read.peer_id) || read.reacted_id !== read.peer_id) return NOTHING;
    return { events: [reacted(login, read, event)], notes: [] };
  },
  message_event: buttonPressed,
  message_allow: (login, object, about) => permitted(login, object, about, true),
  message_deny: (login, object, about) => permitted(login, object, about, false),
};

/** Reads what VK sent, or returned to a poll. */
export async function readEvent(login: Login, about: Arrived, signal: AbortSignal): Promise<Reading> {
  const read = Object.hasOwn(READERS, about.type) ? READERS[about.type] : undefined;
  if (!read) return IGNORED.includes(about.type) ? NOTHING : nothing(`event ${cutText(about.type, MAX_TYPE)}`);
  return read(login, about.object, about, signal);
}

async function readMessage(login: Login, read: Message): Promise<Reading> {
  if (!isPerson(read.peer_id)) return nothing("a group chat");
  return readMessages(login, [read]);
}

/** Messages as their webhooks or a list give them: all their people are looked up at once. `signal`: of a list. */
export async function readMessages(login: Login, all: Message[], signal?: AbortSignal): Promise<Reading> {
  const read = all.filter((each) => isPerson(each.peer_id) && !each.action);
  if (read.length === 0) return NOTHING;
  const people = await login.ask([...read.map((each) => each.peer_id), ...read.flatMap(writersIn)], signal);
  return { events: read.map((each) => messageOf(login, each, people)), notes: people.notes };
}

export const isOut = ({ out, from_id: from }: Pick<Message, "out" | "from_id">): boolean =>
  out === 1 || out === true || from < 0;

/** Whether this channel sent a listed message: by its random_id, or by its number if VK omits that. */
export async function isOurs({ context: { notes } }: Login, read: Message): Promise<boolean> {
  const { random_id: random, peer_id: peer, conversation_message_id: cmid } = read;
  if (random && (await notes.get(oursKey(chatId(peer), random)))) return true;
  return Boolean(await notes.get(oursByNumberKey(messageId(peer, cmid))));
}

/**
 * Whether an event may be about a message of this channel: it may come before the call's answer, so without a random_id
 * and a name of staff its author is unknown. The list tells whose such a message is.
 */
async function maybeOurs(login: Login, read: Message): Promise<boolean> {
  const { random_id: random, admin_author_id: admin } = read;
  return ((random === undefined || random === null) && !admin) || isOurs(login, read);
}

function messageOf(login: Login, read: Message, people: People): ChannelEvent {
  const { peer_id: peer, conversation_message_id: cmid, reply_message: reply } = read;
  const isOwn = isOut(read);
  const utm = isOwn ? undefined : utmOf(read);
  const sameChat = reply && (reply.peer_id ?? peer) === peer;
  const quote = sameChat && reply.conversation_message_id ? messageId(peer, reply.conversation_message_id) : undefined;
  const head = reply ? wordsOf(reply, login.lines) : "";
  return {
    type: "message",
    key: `message:${peer}:${cmid}`,
    chat: chatId(peer),
    messengerMessageId: messageId(peer, cmid),
    at: timeOf(read.date, login),
    originator: isOwn ? "channel" : "customer",
    customer: { ...people.of(peer), ...(utm && { utm }) },
    content: contentIn(login, read, people),
    ...(quote && { quote }),
    ...(head && { quoted: { head: `${quotedLines(head)}\n`, always: !quote } }),
  };
}

const contentIn = ({ lines }: Login, read: Message, people: People): Content =>
  contentOf(read, lines, (person) => (person > 0 ? people.of(person).nickname : undefined));

const quotedLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

/** From a link such as vk.me/shop?ref=spring. */
const utmOf = ({ ref, ref_source: source }: Message) =>
  ref || source ? { source: source || "vk", medium: "link", ...(ref && { campaign: ref }) } : undefined;

function timeOf(seconds: number | null | undefined, { context: { clock } }: Login): number {
  const ms = Math.floor((seconds ?? 0) * SECOND_MS);
  return ms > 0 && ms < LATEST ? ms : clock.now();
}

const messages = z.object({
  items: z.array(z.unknown()).transform((all) => all.flatMap((each) => message.safeParse(each).data ?? [])),
});

/** A long message comes truncated: the API returns all of it (messages.getById). */
async function whole(login: Login, read: Message, { isAsIs }: Arrived, signal: AbortSignal): Promise<Message> {
  const { peer_id, conversation_message_id: cmid } = read;
  if (!read.is_cropped || isAsIs || !isPerson(peer_id)) return read;
  const items = await byId(login, { peer_id, cmids: cmid }, signal);
  return items.find((each) => each.conversation_message_id === cmid) ?? read;
}

/** None if VK refuses them; if VK is only late, it is asked again. */
async function byId({ api }: Login, params: Record<string, number>, signal: AbortSignal): Promise<Message[]> {
  const request = { method: "messages.getById", params, result: messages, maxBytes: ANSWER_BYTES };
  try {
    return (await api.call(request, signal)).items;
  } catch (error) {
    if (error instanceof DeliveryError && error.verdict.type === "reject") return [];
    throw error;
  }
}

async function edited(login: Login, read: Message, { event_id: event }: Envelope): Promise<Reading> {
  const { peer_id: peer, conversation_message_id: cmid } = read;
  const people = await login.ask([peer, ...writersIn(read)]);
  const content = contentIn(login, read, people);
  // The time is in whole seconds, and one second may contain two edits.
  const version = [read.update_time, event].filter(Boolean).join("-") || "0";
  const words = "files" in content ? content.note : "text" in content ? content.text : undefined;
  const anew = messageId(peer, `${cmid}e${version}`);
  return {
    events: [
      {
        type: "edited",
        key: `edited:${peer}:${cmid}:${version}`,
        chat: chatId(peer),
        messengerMessageId: messageId(peer, cmid),
        at: timeOf(read.update_time, login),
        text: words || login.lines.changed,
        anew: {
          ...{ messengerMessageId: anew, customer: people.of(peer), content },
          originator: isOut(read) ? "channel" : "customer",
        },
      },
    ],
    notes: people.notes,
  };
}

/** The customer has read up to a message, which an older form names only by its number in the community. */
async function readUpTo(login: Login, object: unknown, about: Arrived, signal: AbortSignal): Promise<Reading> {
  const read = readMark.safeParse(object).data;
  if (!read) return nothing("message_read");
  const { peer_id: peer, from_id: reader, read_message_id: number } = read;
  if (!isPerson(peer) || reader !== peer) return NOTHING;
  const cmid =
    read.conversation_message_id ?? (number && !about.isAsIs ? await cmidOf(login, number, signal) : undefined);
  if (!cmid) return nothing("message_read of no message");
  const mark = { chat: chatId(peer), messengerMessageId: messageId(peer, cmid), at: login.context.clock.now() };
  return { events: [{ type: "read", key: `read:${peer}:${cmid}`, ...mark }], notes: [] };
}

async function cmidOf(login: Login, number: number, signal: AbortSignal): Promise<number | undefined> {
  const [found] = await byId(login, { message_ids: number }, signal);
  return found?.conversation_message_id;
}

function reacted(
  { context }: Login,
  read: z.infer<typeof reactionEvent>,
  event: string | null | undefined,
): ChannelEvent {
  const { peer_id: peer, cmid, reaction_id: id } = read;
  const at = context.clock.now();
  return {
    type: "reaction",
    key: `reaction:${peer}:${cmid}:${event ?? `${id}:${at}`}`,
    chat: chatId(peer),
    messengerMessageId: messageId(peer, cmid),
    at,
    reaction: id ? reactionsOf(context.server).emojiOf(id) : null,
  };
}

/** Maximum length of a button's payload that is shown. */
const MAX_PAYLOAD = 200;

/** A button of another program, which has no text; that program answers it. */
async function buttonPressed(login: Login, object: unknown): Promise<Reading> {
  const read = pressed.safeParse(object).data;
  if (!read) return nothing("message_event");
  const { peer_id: peer, event_id, payload } = read;
  if (!isPerson(peer)) return nothing("a group chat");
  const { context, lines } = login;
  const people = await login.ask([peer]);
  const what = cutText(typeof payload === "string" ? payload : JSON.stringify(payload ?? {}), MAX_PAYLOAD);
  const id = messageId(peer, `event${event_id}`);
  const about = { key: `message:${id}`, chat: chatId(peer), messengerMessageId: id, at: context.clock.now() };
  const content: Content = { type: "text", text: lines.pressed({ what }) };
  return {
    events: [{ type: "message", ...about, originator: "customer", customer: people.of(peer), content }],
    notes: people.notes,
  };
}

const deniedKey = (chat: ChatId) => `denied:${chat}`;

/** A customer who allows messages for the first time says nothing by it. */
async function permitted(
  { context, lines }: Login,
  object: unknown,
  { event_id: event }: Envelope,
  isAllowed: boolean,
): Promise<Reading> {
  const read = permission.safeParse(object).data;
  if (!read) return nothing(isAllowed ? "message_allow" : "message_deny");
  const { user_id: peer } = read;
  if (!isPerson(peer)) return NOTHING;
  const key = deniedKey(chatId(peer));
  const wasDenied = Boolean(await context.notes.get(key));
  if (isAllowed && !wasDenied) return NOTHING;
  const at = context.clock.now();
  const id = messageId(peer, `permission${event ?? at}`);
  const text = isAllowed ? lines.allowed : lines.denied;
  return {
    events: [{ type: "note", key: `note:${id}`, chat: chatId(peer), messengerMessageId: id, at, text }],
    notes: [{ key, value: isAllowed ? "" : "1" }],
  };
}
