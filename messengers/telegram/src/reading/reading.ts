import type { MessengerMessageId } from "gangway-messenger/ids";
import type { AlbumWords, ChannelEvent, Content, Customer, MarkedText } from "gangway-messenger/message";
import type { Note, Receipt } from "gangway-messenger/port";
import { albumText, cutText, joinTexts, marksOf, plainText, prefixed, wordsIn } from "gangway-messenger/text";
import { noUpdate, readWebhook } from "gangway-messenger/webhooks";
import type { BotApi } from "../api.ts";
import { learnConnection, readConnection, readDeletions } from "../business.ts";
import { readOwner } from "../owners.ts";
import {
  type BotCall,
  botIdOf,
  type Context,
  formatChatRef,
  isForBusiness,
  messageId,
  parseChatRef,
  parseMessageId,
  revisionId,
} from "../wire.ts";
import { contentOf, contentsBeside, fileIn, plus, wordsOf } from "./content.ts";
import { readReaction, readReactionCount } from "./reaction-updates.ts";
import {
  type Album,
  albumKey,
  albumNote,
  albumOf,
  customerOf,
  digest,
  digestOf,
  inOrder,
  isOfBot,
  isStaff,
  locate,
  type MessageLocation,
  nothing,
  of,
  originName,
  type Reading,
  type ReadingContext,
  type Snapshot,
  snapshotNote,
  snapshotOf,
  speakerOf,
  timeOf,
  titleOf,
} from "./reading-context.ts";
import {
  IGNORED,
  LINES,
  type Lines,
  linesFor,
  type TelegramMessage,
  type Update,
  update as updateShape,
} from "./update.ts";

/** Longest quote above a reply, code points. */
const MAX_QUOTED = 300;

/** Quote lines above a reply. `always` is false if the gateway's own quote can replace them. */
interface Quoted {
  head: string;
  always: boolean;
}

/** Quotes what the message replies to: selected text, another chat's message, a story, or a message of this chat. */
function quotedIn(message: TelegramMessage, lines: Lines): Quoted | undefined {
  const { quote, external_reply: elsewhere, reply_to_story: story, reply_to_message: reply } = message;
  if (story) {
    const whose = story.chat && titleOf(story.chat);
    return { head: `${whose ? lines.repliedToStoryOf({ whose }) : lines.repliedToStory}\n`, always: true };
  }
  if (elsewhere) {
    const text = quote?.text || wordsOf(elsewhere, lines);
    return {
      head: `${lines.repliedTo({ who: originName(elsewhere.origin) ?? lines.hidden })}\n${cited(text)}`,
      always: true,
    };
  }
  if (!reply || Number(reply.message_id) === message.message_thread_id) return undefined;
  if (quote?.is_manual && quote.text.trim()) return { head: cited(quote.text), always: true };
  const text = wordsOf(reply, lines);
  return text ? { head: cited(text), always: false } : undefined;
}

/** Plain-text quote: `> ` before each line. */
function cited(text: string): string {
  const whole = text.trim();
  const kept = cutText(whole, MAX_QUOTED);
  const short = kept === whole ? whole : `${kept.trimEnd()}…`;
  return short ? `${short.replace(/^/gm, "> ")}\n` : "";
}

/** Notes to store with a message, so that its edits can be compared later. */
async function snapshotNotes(
  message: TelegramMessage,
  location: MessageLocation,
  content: Content,
  view: ReadingContext,
): Promise<Note[]> {
  const now = currentSnapshot(message, location, content);
  const notes = [snapshotNote(location.id, now)];
  if (now.album) notes.push(albumNote(now.album, await albumWith(now.album, location.id, wordsIn(content), view)));
  return notes;
}

function currentSnapshot(message: TelegramMessage, location: MessageLocation, content: Content): Snapshot {
  const file = fileIn(message);
  const group = message.media_group_id;
  return {
    words: digestOf(wordsIn(content)),
    file: file && (file.file_unique_id ?? file.file_id),
    album: group === undefined ? undefined : albumKey(location.chat, group),
  };
}

const albumWith = async (key: string, id: MessengerMessageId, words: MarkedText, view: ReadingContext) => ({
  ...(await albumOf(key, view)),
  [parseMessageId(id).messageId]: words,
});

interface Edit {
  message: TelegramMessage;
  view: ReadingContext;
  location: MessageLocation;
  lines: Lines;
  content: Content;
  /** Lines above the text. */
  head: string;
  before: Snapshot | undefined;
  now: Snapshot;
}

/** Edited text becomes an edit at the CRM. The CRM cannot replace a file, so a new file becomes a new message. */
async function readEdit(message: TelegramMessage, view: ReadingContext): Promise<Reading> {
  const location = isOfBot(message) ? undefined : await locate(message, view);
  const lines = linesFor(message.from?.language_code, view.settings.language);
  const unprefixed = location && contentOf(message, lines);
  if (!location || !unprefixed) return nothing();
  const { prefix = "" } = speakerOf(message, view, isStaff(message, location));
  const quoted = quotedIn(message, lines);
  const content = prefixed(unprefixed, prefix);
  const before = await snapshotOf(location.id, view);
  const now = { ...currentSnapshot(message, location, content), copy: before?.copy };
  if (before && before.words === now.words && before.file === now.file) return nothing();
  const edit = { message, view, location, lines, content, head: quoted?.always ? quoted.head : "", before, now };
  const isReplaced = before ? before.file !== now.file : now.file !== undefined && wordsIn(unprefixed).text === "";
  if (isReplaced) return fileReplaced(edit);
  const isRemoved = wordsIn(unprefixed).text === "";
  return textEdited(edit, isRemoved ? plainText(prefix + lines.captionRemoved) : wordsIn(content));
}

const editTime = ({ edit_date: edited, date = 0 }: TelegramMessage) => edited ?? date;

function newVersion({ message, view, location, content, head }: Edit, line: string) {
  const staff = isStaff(message, location);
  return {
    messengerMessageId: revisionId(location.id, editTime(message)),
    originator: staff ? ("channel" as const) : ("customer" as const),
    customer: speakerOf(message, view, staff).customer,
    content: prefixed(content, `${head}${line}\n`),
  };
}

function fileReplaced(edit: Edit): Reading {
  const { message, view, location, lines, now } = edit;
  const copy = newVersion(edit, lines.changedFile);
  const key = `e:${location.id}:${editTime(message)}:${digest(`${now.file} ${now.words}`)}`;
  const at = timeOf(message.edit_date, view);
  const event: ChannelEvent = { type: "message", key, chat: location.chat, at, ...copy, quote: location.id };
  return { events: [event], notes: [snapshotNote(location.id, { ...now, copy: copy.messengerMessageId })] };
}

async function textEdited(edit: Edit, words: MarkedText): Promise<Reading> {
  const { message, view, location, lines, content, head, before, now } = edit;
  const notes = [snapshotNote(location.id, now)];
  let album: AlbumWords | undefined;
  if (now.album && !before?.copy) {
    const parts = await albumWith(now.album, location.id, wordsIn(content), view);
    notes.push(albumNote(now.album, parts));
    album = { head, captions: captionsOf(parts, location.id), otherwise: words };
  }
  const own = joinTexts([plainText(head), words], "");
  const edited = album ? albumText(album) : own;
  const event: ChannelEvent = {
    type: "edited",
    // From its own words only: a repeat must have the same key even if other captions have changed since.
    key: `e:${location.id}:${editTime(message)}:${digestOf(own)}`,
    chat: location.chat,
    messengerMessageId: (before?.copy as MessengerMessageId | undefined) ?? location.id,
    at: timeOf(message.edit_date, view),
    text: edited.text,
    ...marksOf(edited),
    ...(album && { album }),
    anew: newVersion(edit, lines.changed),
  };
  return { events: [event], notes };
}

/** `id`: of one of its parts. */
function captionsOf(album: Album, id: MessengerMessageId): AlbumWords["captions"] {
  const { chatId, owner } = parseMessageId(id);
  return inOrder(album).flatMap((number) => {
    const words = album[number];
    return words ? [{ messengerMessageId: messageId(chatId, number, owner), ...words }] : [];
  });
}

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
  const owner = view.settings.servesBusiness ? readOwner(message, view.settings) : undefined;
  if (owner) return { ...nothing(), ...owner };
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

const stopSpinner = (id: string): BotCall => ({ method: "answerCallbackQuery", callback_query_id: id });

/** A pressed button counts as a message with its text. */
async function readPress(
  { id, from, data, message, game_short_name: game }: Press,
  view: ReadingContext,
): Promise<Reading> {
  const location = message && (await locate({ ...message, from, sender_chat: undefined }, view));
  if (!location) return { ...nothing(), answer: stopSpinner(id) };
  const buttons = message.reply_markup?.inline_keyboard?.flat() ?? [];
  const text = buttons.find((button) => button.callback_data === data)?.text ?? data ?? game ?? "";
  if (!text) return { ...nothing(), answer: stopSpinner(id) };
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
  return { ...reading, answer: stopSpinner(id) };
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

/** Holds the secret that setWebhook has set. */
export const SECRET_HEADER = "x-telegram-bot-api-secret-token";

/** Handles webhook calls. Anything that is not an update also gets a 200: Telegram would repeat it for a day. */
export function receiving(context: Context, api: BotApi): (request: Request) => Promise<Receipt> {
  return async (request) => {
    const webhook = await readWebhook(request, { header: SECRET_HEADER, secret: context.settings.webhookSecret });
    if ("refusal" in webhook) return webhook.refusal;
    const reading = await read(context, api, webhook.body);
    if (!reading) return noUpdate();
    const { answer } = reading;
    // The response can carry a method call.
    const reply = answer ? Response.json(answer) : new Response(null);
    return { reply, ...arrivalOf(reading) };
  };
}

/** Reads one update. An update that crashes our code is skipped: repeated, it would block all that follow. */
export async function read(
  { settings, notes, clock, closed }: Context,
  api: BotApi,
  update: unknown,
): Promise<Reading | undefined> {
  try {
    const view = { botId: botIdOf(settings), settings, note: notes.get, now: clock.now() };
    const learned = isForBusiness(settings) ? await learnConnection(update, view, api, closed) : [];
    if (learned.length === 0) return await readUpdate(update, view);
    const note = async (key: string) => learned.find((each) => each.key === key)?.value ?? notes.get(key);
    const reading = await readUpdate(update, { ...view, note });
    return reading && { ...reading, notes: [...learned, ...reading.notes] };
  } catch (error) {
    // Skip bugs only: after a database error Telegram must send the update again.
    if (!(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)) throw error;
    return { events: [], notes: [], unknown: `an update that breaks this version (${error.message})` };
  }
}

/** What to store of the updates read. */
export function arrivalOf({ events, notes, unknown }: Reading): Omit<Receipt, "reply"> {
  return { events, notes: [...notes, ...events.flatMap(lastMessage)], unknown };
}

/** Remembers a group member's last message. An answer to them is sent as a reply to it, so the group sees whom it is for. */
function lastMessage(event: ChannelEvent): Note[] {
  if (event.type !== "message" || parseChatRef(event.chat).member === undefined) return [];
  return [{ key: `last:${event.chat}`, value: event.messengerMessageId }];
}
