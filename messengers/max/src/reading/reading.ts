import { type ChatId, fingerprint, type MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent, Content } from "gangway-messenger/message";
import type { Note, Receipt } from "gangway-messenger/port";
import { marksOf, plainText, prefixed, wordsIn } from "gangway-messenger/text";
import { emptyReceipt, noUpdate, readWebhook } from "gangway-messenger/webhooks";
import { parseExactly } from "../exact-json.ts";
import { type Message, type Update, type User, update as updateShape } from "../update.ts";
import { type Context, chatOfUser, dialogKey, filesKey, ME, oursKey } from "../wire.ts";
import { cardOf, contentOf, filesDigest, quotedIn } from "./content.ts";
import { linesFor } from "./lines.ts";
import { customerOf, utmOf } from "./people.ts";

/** Holds the subscription's secret. */
export const SECRET_HEADER = "x-max-bot-api-secret";

export interface Reading extends Pick<Receipt, "events" | "unknown"> {
  notes: Note[];
}
type View = Pick<Context, "settings" | "notes" | "clock">;

const nothing = (): Reading => ({ events: [], notes: [] });

/** Updates that are of no use to a CRM. */
const IGNORED =
  /^(bot_added|bot_removed|user_added|user_removed|dialog_(cleared|removed|muted|unmuted)|chat_title_changed|message_chat_created|comment_(created|edited|removed))$/;

/** Handles a webhook. Anything that is not an update also gets a 200: MAX would repeat it for eight hours. */
export function receiving(context: Context): (request: Request) => Promise<Receipt> {
  return async (request) => {
    const copy = request.clone();
    const webhook = await readWebhook(request, { header: SECRET_HEADER, secret: context.settings.webhookSecret });
    if ("refusal" in webhook) return webhook.refusal;
    const reading = await read(context, parseExactly(await copy.text()));
    return reading ? { ...reading, reply: new Response(null) } : noUpdate();
  };
}

/** Undefined: not an update. An update that crashes our code is skipped: repeated, it would block all that follow. */
export async function read(view: View, given: unknown): Promise<Reading | undefined> {
  try {
    const parsed = updateShape.safeParse(given);
    return parsed.success ? await readUpdate(parsed.data, view) : undefined;
  } catch (error) {
    // Skip bugs only: after a database error MAX must send the update again.
    if (!(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)) throw error;
    return { ...nothing(), unknown: `an update that breaks this version (${error.message})` };
  }
}

async function readUpdate(update: Update, view: View): Promise<Reading> {
  const { update_type: type, message, callback } = update;
  if (type === "message_created" && message) return readMessage(update, message, view);
  if (type === "message_edited" && message) return readEdit(update, message, view);
  if (type === "message_removed") return readRemoval(update, view);
  if (type === "message_callback" && callback) return readPress(update, callback, view);
  if (type === "bot_started" && update.user) return readStart(update, update.user, view);
  if (type === "bot_stopped" && update.user) return readStop(update, update.user, view);
  return IGNORED.test(type) ? nothing() : { ...nothing(), unknown: emptyReceipt(200, `event ${type}`).unknown };
}

/** The customer's chat, and the note that records it: of several ids the first stays. */
async function chatOf(
  user: string,
  told: string | null | undefined,
  { notes }: View,
): Promise<{ chat: ChatId; notes: Note[] }> {
  const known = await notes.get(dialogKey(user));
  if (known) return { chat: known as ChatId, notes: [] };
  const chat = told && told !== "0" ? (told as ChatId) : chatOfUser(user);
  return { chat, notes: [{ key: dialogKey(user), value: chat }] };
}

/** A customer in a dialog: neither a group nor the bot itself. */
const speakerOf = ({ sender, recipient }: Message): User | undefined =>
  sender && sender.is_bot !== true && (recipient.chat_type ?? "dialog") === "dialog" ? sender : undefined;

const timeOf = (update: Update, { clock }: View): number => update.timestamp ?? clock.now();
/** For keys and ids, which must be the same in a repeat. */
const stampOf = ({ timestamp }: Update): number => timestamp ?? 0;
const idOf = (text: string) => text as MessengerMessageId;

async function readMessage(update: Update, message: Message, view: View): Promise<Reading> {
  const sender = speakerOf(message);
  if (!sender) return nothing();
  const lines = linesFor(update.user_locale, view.settings.language);
  const { chat, notes } = await chatOf(sender.user_id, message.recipient.chat_id, view);
  const { mid } = message.body;
  const phone = ownPhone(message, sender);
  const event: ChannelEvent = {
    type: "message",
    key: `m:${mid}`,
    chat,
    messengerMessageId: idOf(mid),
    at: message.timestamp ?? timeOf(update, view),
    originator: "customer",
    customer: { ...customerOf(sender, update.user_locale), ...(phone && { phone }) },
    content: contentOf(message, lines),
    quote: message.link?.type === "reply" && message.link.message ? idOf(message.link.message.mid) : undefined,
    quoted: quotedIn(message, lines),
  };
  const files = filesDigest(message.body);
  if (files) notes.push({ key: filesKey(mid), value: files });
  return { events: [event], notes };
}

/** The number that customers share as their own. */
function ownPhone({ body }: Message, sender: User): string | undefined {
  const own = body.attachments?.find(
    ({ type, payload }) => type === "contact" && payload?.max_info?.user_id === sender.user_id,
  );
  return own && cardOf(own).phone;
}

/** The CRM can edit texts only: a replaced file becomes a message of its own. */
async function readEdit(update: Update, message: Message, view: View): Promise<Reading> {
  const sender = speakerOf(message);
  if (!sender) return nothing();
  const lines = linesFor(update.user_locale, view.settings.language);
  const { chat, notes } = await chatOf(sender.user_id, message.recipient.chat_id, view);
  const { mid } = message.body;
  const at = timeOf(update, view);
  const content = contentOf(message, lines);
  const files = filesDigest(message.body);
  const before = await view.notes.get(filesKey(mid));
  if (files !== (before ?? "")) notes.push({ key: filesKey(mid), value: files });
  const copy = (line: string) => ({
    messengerMessageId: idOf(`${mid}:${stampOf(update)}`),
    originator: "customer" as const,
    customer: customerOf(sender, update.user_locale),
    content: prefixed(content, `${line}\n`),
  });
  const shared = { key: `e:${mid}:${stampOf(update)}`, chat, at };
  if (files !== "" && files !== before) {
    const event: ChannelEvent = { type: "message", ...shared, ...copy(lines.changedFile), quote: idOf(mid) };
    return { events: [event], notes };
  }
  const words = wordsOf(content, lines.captionRemoved);
  const anew = copy(lines.changed);
  const event: ChannelEvent = {
    ...{ type: "edited", ...shared, messengerMessageId: idOf(mid), text: words.text, ...marksOf(words), anew },
  };
  return { events: [event], notes };
}

function wordsOf(content: Content, otherwise: string) {
  const words = wordsIn(content);
  return words.text ? words : plainText(otherwise);
}

async function readRemoval({ message_id: mid, chat_id, user_id: by, ...update }: Update, view: View): Promise<Reading> {
  if (!mid || !by || mid.length > 200) return nothing();
  // A deletion by the bot itself, or of a message of the bot's.
  if (by === (await view.notes.get(ME)) || (await view.notes.get(oursKey(mid)))) return nothing();
  // From a group, or from somebody who has never written.
  const chat = (await view.notes.get(dialogKey(by))) as ChatId | undefined;
  if (!chat || (chat !== chat_id && chat !== chatOfUser(by))) return nothing();
  const at = update.timestamp ?? view.clock.now();
  const event: ChannelEvent = { type: "deleted", key: `d:${mid}`, chat, messengerMessageId: idOf(mid), at };
  return { events: [event], notes: [] };
}

type Callback = NonNullable<Update["callback"]>;

/**
 * A pressed button counts as a message with its text. Our buttons send their text themselves; these belong to another
 * program.
 */
async function readPress(
  update: Update,
  { callback_id, payload, user, timestamp }: Callback,
  view: View,
): Promise<Reading> {
  const { message } = update;
  if (message && (message.recipient.chat_type ?? "dialog") !== "dialog") return nothing();
  const { chat, notes } = await chatOf(user.user_id, message?.recipient.chat_id, view);
  const buttons = message?.body.attachments?.flatMap((each) => each.payload?.buttons?.flat() ?? []) ?? [];
  const lines = linesFor(update.user_locale, view.settings.language);
  const title = buttons.find((button) => button.payload === payload)?.text;
  // The id alone may recur with another press.
  const press = `${callback_id}:${timestamp ?? stampOf(update)}`;
  const event: ChannelEvent = {
    type: "message",
    key: `c:${press}`,
    chat,
    // MAX's own ids are longer than an id may be.
    messengerMessageId: idOf(`cb:${fingerprint(press)}`),
    at: timeOf(update, view),
    originator: "customer",
    customer: customerOf(user, update.user_locale),
    content: { type: "text", text: title || payload || lines.empty },
    ...(message && { quote: idOf(message.body.mid) }),
  };
  return { events: [event], notes };
}

/** The button Start, or a link with a payload. From now on the bot may write. */
async function readStart(update: Update, user: User, view: View): Promise<Reading> {
  const { chat, notes } = await chatOf(user.user_id, update.chat_id, view);
  const at = timeOf(update, view);
  const utm = utmOf(update.payload);
  const event: ChannelEvent = {
    type: "message",
    key: `s:${chat}:${stampOf(update)}`,
    chat,
    messengerMessageId: idOf(`start:${chat}:${stampOf(update)}`),
    at,
    originator: "customer",
    customer: { ...customerOf(user, update.user_locale), ...(utm && { utm }) },
    content: { type: "text", text: linesFor(update.user_locale, view.settings.language).started },
  };
  return { events: [event], notes };
}

async function readStop(update: Update, user: User, view: View): Promise<Reading> {
  const chat = (await view.notes.get(dialogKey(user.user_id))) as ChatId | undefined;
  if (!chat) return nothing();
  const at = timeOf(update, view);
  const messengerMessageId = idOf(`stop:${chat}:${stampOf(update)}`);
  const text = linesFor(undefined, view.settings.language).stopped;
  return {
    events: [{ type: "note", key: `b:${chat}:${stampOf(update)}`, chat, messengerMessageId, at, text }],
    notes: [],
  };
}
