import { prefixed } from "../../../domain/message/content.ts";
import type { ChannelEvent, Customer } from "../../../domain/message/message.ts";
import { readConnection, readDeletions } from "../business.ts";
import { formatChatRef, messageId, revisionId } from "../ids.ts";
import { contentOf, contentsBeside, plus } from "./content.ts";
import { readEdit, snapshotNotes } from "./edits.ts";
import { LINES, linesFor } from "./lines.ts";
import { customerOf } from "./people.ts";
import { quotedIn } from "./quotes.ts";
import { readReaction, readReactionCount } from "./reaction-updates.ts";
import {
  isOfBot,
  isStaff,
  locate,
  nothing,
  of,
  type Reading,
  type ReadingContext,
  speakerOf,
  timeOf,
} from "./reading-context.ts";
import { IGNORED, type TelegramMessage, type Update, update as updateShape } from "./update.ts";

const FIELDS = ["source", "medium", "campaign", "term", "content"] as const;

/** UTM tags from `t.me/<bot>?start=<payload>`. The payload is a query string in base64url, or a plain campaign name. */
function utmOf(text: string | undefined): Customer["utm"] {
  const payload = /^\/start(?:@\w+)?\s+(\S{1,64})\s*$/.exec(text ?? "")?.[1];
  if (!payload) return undefined;
  return tagsIn(payload) ?? { source: "telegram", medium: "bot", campaign: payload };
}

function tagsIn(payload: string): Customer["utm"] {
  const query = new URLSearchParams(Buffer.from(payload, "base64url").toString("utf8"));
  const tags = FIELDS.flatMap((field) => {
    const value = query.get(`utm_${field}`);
    return value ? [[field, value]] : [];
  });
  return tags.length > 0 ? Object.fromEntries(tags) : undefined;
}

/** Turns one update into events; undefined if the body is not an update. Reads notes, makes no calls. */
export async function readUpdate(body: unknown, view: ReadingContext): Promise<Reading | undefined> {
  const read = updateShape.safeParse(body);
  if (!read.success) return undefined;
  const update = read.data;
  if (update.message) return await readMessage(update.message, view);
  if (update.edited_message) return readEdit(update.edited_message, view);
  if (update.business_message) return readMessage(update.business_message, view);
  if (update.edited_business_message) return readEdit(update.edited_business_message, view);
  if (update.callback_query) return readPress(update.callback_query, view);
  if (update.message_reaction) return readReaction(update.message_reaction, view);
  if (update.message_reaction_count) return readReactionCount(update.message_reaction_count, view);
  if (update.my_chat_member) return readMembership(update.my_chat_member, view);
  if (update.business_connection) return readConnection(update.business_connection, view);
  if (update.deleted_business_messages) return readDeletions(update.deleted_business_messages, view);
  const kind = update.keys.find((key) => key !== "update_id");
  return kind && IGNORED.includes(kind) ? nothing() : { ...nothing(), unknown: kind ?? "an empty update" };
}

async function readMessage(message: TelegramMessage, view: ReadingContext): Promise<Reading> {
  const { chat, from } = message;
  if (message.migrate_to_chat_id) return moved(chat.id, message.migrate_to_chat_id);
  if (message.migrate_from_chat_id) return moved(message.migrate_from_chat_id, chat.id);
  const location = isOfBot(message) ? undefined : await locate(message, view);
  const lines = linesFor(from?.language_code, view.settings.language);
  const unprefixed = location && contentOf(message, lines);
  if (!location || !unprefixed) return nothing();
  const staff = isStaff(message, location);
  const { customer, prefix } = speakerOf(message, view, staff);
  const content = prefix ? prefixed(unprefixed, prefix) : unprefixed;
  const reply = message.reply_to_message;
  const answered = reply && Number(reply.message_id) !== message.message_thread_id ? reply.message_id : undefined;
  const event: ChannelEvent = {
    type: "message",
    key: `m:${location.id}`,
    chat: location.chat,
    messengerMessageId: location.id,
    at: timeOf(message.date, view),
    originator: staff ? "channel" : "customer",
    customer: { ...customer, ...authorDetails(message) },
    content,
    quote: answered ? messageId(chat.id, answered, location.owner) : undefined,
    quoted: quotedIn(message, lines),
    album: message.media_group_id,
  };
  const beside = contentsBeside(message, lines).map(
    (each, n): ChannelEvent => ({
      ...event,
      key: `${event.key}:f${n + 1}`,
      messengerMessageId: revisionId(location.id, `0f${n + 1}`),
      content: prefix ? prefixed(each, prefix) : each,
      quote: location.id,
      quoted: undefined,
      album: undefined,
    }),
  );
  return { events: [event, ...beside], notes: await snapshotNotes(message, location, content, view) };
}

const moved = (old: string, now: string): Reading => ({
  events: [],
  notes: [
    { key: `moved:${old}`, value: now },
    { key: `was:${now}`, value: old },
  ],
});

/** What the message itself reveals about its author. */
function authorDetails({ contact, from, text }: TelegramMessage): Partial<Customer> {
  const own = contact?.user_id !== undefined && contact.user_id === from?.id;
  const utm = utmOf(text);
  return { ...(own && { phone: plus(contact.phone_number) }), ...(utm && { utm }) };
}

type Press = NonNullable<Update["callback_query"]>;

/** A pressed button counts as a message with its text. */
async function readPress(
  { id, from, data, message, game_short_name: game }: Press,
  view: ReadingContext,
): Promise<Reading> {
  const location = message && (await locate({ ...message, from, sender_chat: undefined }, view));
  if (!location) return { ...nothing(), callbackId: id };
  const buttons = message.reply_markup?.inline_keyboard?.flat() ?? [];
  const text = buttons.find((button) => button.callback_data === data)?.text ?? data ?? game ?? "";
  if (!text) return { ...nothing(), callbackId: id };
  const reading = of({
    type: "message",
    key: `c:${id}`,
    chat: location.chat,
    messengerMessageId: messageId(message.chat.id, `cb${id}`, location.owner),
    // A press has no date, and the message may be old.
    at: view.now,
    originator: "customer",
    customer: customerOf(from),
    content: { type: "text", text },
    quote: location.id,
  });
  return { ...reading, callbackId: id };
}

/** The customer blocked or unblocked the bot. */
async function readMembership(change: NonNullable<Update["my_chat_member"]>, view: ReadingContext): Promise<Reading> {
  const { settings, note } = view;
  const { chat, date, new_chat_member: member } = change;
  if (chat.type !== "private") return nothing();
  const blocked = member?.status === "kicked";
  const before = await note(`blocked:${chat.id}`);
  // Starting the chat for the first time is also reported as "member".
  if (!blocked && !before) return nothing();
  const lines = LINES[settings.language];
  const event: ChannelEvent = {
    type: "note",
    key: `b:${chat.id}:${date ?? 0}:${member?.status}`,
    chat: formatChatRef({ chatId: chat.id }),
    messengerMessageId: messageId(chat.id, `b${date ?? 0}`),
    at: timeOf(date, view),
    text: blocked ? lines.blocked : lines.unblocked,
  };
  return { events: [event], notes: [{ key: `blocked:${chat.id}`, value: blocked ? "1" : "" }] };
}
