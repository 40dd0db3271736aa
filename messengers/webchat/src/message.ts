import type { HostedContext, HostedReceipt, JournalEntry } from "gangway-messenger/hosted";
import { type ChatId, type CustomerId, cleanName, type MessengerMessageId } from "gangway-messenger/ids";
import { isPicture } from "gangway-messenger/kept-files";
import type { InLanguages, Language } from "gangway-messenger/language";
import type { ChannelEvent, Content, Customer } from "gangway-messenger/message";
import { cutText } from "gangway-messenger/text";
import { messageState, ONE, snippet, visitorKey } from "./history.ts";
import { Refusal, readJson, receipt } from "./reply.ts";
import type { VisitorRequest } from "./request.ts";
import { visitNotes } from "./site-visit.ts";
import { type Contact, type Entry, messageBody, type Settings, type ShownFile, type Utm } from "./wire.ts";

/** What a message reveals about its visitor. */
interface Details {
  text?: string;
  /** What the agent asked for, if the text is the answer. */
  answers?: "phone" | "email" | null;
  utm?: Utm;
  contact?: Contact | null;
}

/** An agent's name for a visitor, before an id. */
const VISITOR: InLanguages<string> = { en: "Visitor", es: "Visitante", ru: "Посетитель" };

/** `language`: the chat's. */
function customerOf(visitor: string, language: Language, { text = "", answers, utm, contact }: Details): Customer {
  const tags = Object.entries(utm ?? {}).filter(([, tag]) => tag);
  const name = nameIn(contact?.name);
  return {
    id: visitor as CustomerId,
    nickname: name || `${VISITOR[language]} ${cutText(visitor.replace(/[-_]/g, ""), 5).toUpperCase()}`,
    firstName: name || undefined,
    phone: (answers === "phone" && phoneIn(text.trim())) || phoneIn(contact?.phone?.trim() ?? "") || undefined,
    email: (answers === "email" && emailIn(text.trim())) || emailIn(contact?.email?.trim() ?? "") || undefined,
    utm: tags.length > 0 ? Object.fromEntries(tags) : undefined,
  };
}

const NAME_LENGTH = 100;
const nameIn = (name: string | null | undefined) => cutText(cleanName(name ?? "").trim(), NAME_LENGTH);

/** Digits with the usual separators. E.164 allows 15 digits; local numbers have 5 or more. */
const PHONE = /^\+?[\d\s()./\u2010-\u2015-]{5,40}$/;
const [MIN_DIGITS, MAX_DIGITS] = [5, 15];

/** Text that is not a number reaches the agent as text only. */
function phoneIn(text: string): string | undefined {
  const digits = text.replace(/\D/g, "");
  const isNumber = PHONE.test(text) && digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS;
  return isNumber ? `${text.startsWith("+") ? "+" : ""}${digits}` : undefined;
}

/** Longest mail address (RFC 5321). */
const EMAIL_LENGTH = 254;
const emailIn = (text: string): string | undefined =>
  text.length <= EMAIL_LENGTH && /^[^\s@<>",;:]+@[^\s@<>",;:]+\.[^\s@<>",;:.]+$/.test(text) ? text : undefined;

/** Message ids start with the visitor's id, so visitors cannot overwrite each other's messages. */
export async function takeMessage(req: VisitorRequest): Promise<HostedReceipt> {
  const { context, visitor } = req;
  const body = await readJson(req.request, messageBody);
  const id = `${visitor}.${body.id}`;
  const files = await Promise.all((body.files ?? []).map((file, n) => shownFile(req, file.id, n)));
  const chat = visitor as ChatId;
  const at = context.clock.now();
  const quote = await quoteOf(context, chat, body.quote);
  const { answers, contact, utm } = body;
  const details = { text: body.text ?? "", answers, contact, utm: utm ?? undefined };
  const quoted = await titleBefore(context, chat, body.title);
  const customer = customerOf(visitor, context.settings.language, details);
  const [events, journal]: [ChannelEvent[], JournalEntry[]] = [[], []];
  for (const piece of piecesOf({ id, text: body.text?.trim() ? body.text : undefined, files, quote })) {
    const messengerMessageId = piece.id as MessengerMessageId;
    const event = { type: "message", key: piece.id, chat, messengerMessageId, at, originator: "customer" } as const;
    const about = { quote: piece.quote?.id, quoted: events.length === 0 ? quoted : undefined, page: pageOf(body.page) };
    events.push({ ...event, customer, content: contentOf(piece), ...about });
    const entry: Entry = { type: "message", from: "visitor", ...piece, at };
    journal.push({ chat, key: visitorKey(piece.id), entry });
  }
  const onStored = () => req.limits.uploads.sent(files.map((file) => file.id));
  const notes = await visitNotes(req, body);
  return receipt({ id }, { events, journal, notes, onStored });
}

interface Piece {
  id: string;
  text?: string;
  files: ShownFile[];
  quote?: { id: MessengerMessageId; text?: string };
}

/** The gateway takes pictures or other files in one message. A mix becomes two; the text goes with the pictures. */
function piecesOf(whole: Piece): Piece[] {
  const pictures = whole.files.filter((file) => file.image);
  const others = whole.files.filter((file) => !file.image);
  if (pictures.length === 0 || others.length === 0) return [whole];
  return [
    { ...whole, files: pictures },
    { id: `${whole.id}.files`, files: others },
  ];
}

/** A longer page URL is dropped, not the message. Characters. */
const PAGE_LENGTH = 2048;
const pageOf = (page: string | null | undefined) =>
  page && page.length <= PAGE_LENGTH && /^https?:\/\//.test(page) && URL.canParse(page) ? page : undefined;

const TITLE_LENGTH = 200;

/** The page's title, in brackets, before a chat's first message. */
async function titleBefore({ settings, journal }: HostedContext<Settings>, chat: ChatId, given?: string | null) {
  const title = settings.pageTitle ? cutText(cleanName(given ?? "").trim(), TITLE_LENGTH) : "";
  if (!title || (await journal.latest(chat, ONE)).length > 0) return undefined;
  return { head: `[${title}]\n`, always: true };
}

/** Drops a quote of an unknown message: the gateway would reject the whole message. */
async function quoteOf({ journal }: HostedContext<Settings>, chat: ChatId, id: string | null | undefined) {
  if (!id) return undefined;
  const state = await messageState(journal, chat, id);
  return state.message && { id: id as MessengerMessageId, text: snippet(state) };
}

async function shownFile(
  { context, visitors, visitor }: VisitorRequest,
  ticket: string,
  n: number,
): Promise<ShownFile> {
  const id = visitors.fileOf(visitor, ticket);
  const file = id && (await context.keptFiles.open(id));
  if (!file) throw new Refusal(400, "There is no such file", `files.${n}.id`);
  await file.body.cancel();
  const { name = "file", mediaType, size = 0 } = file;
  return { id, name, mediaType, size, image: isPicture(mediaType) };
}

/** A recording alone is a voice message; beside words or other files it is a file. */
const isVoice = (files: ShownFile[], text: string | undefined) =>
  !text && files.length === 1 && files.every(({ mediaType }) => mediaType.startsWith("audio/"));

function contentOf({ text, files }: Piece): Content {
  if (files.length === 0) return { type: "text", text: text ?? "" };
  return {
    type: files.every((file) => file.image) ? "image" : isVoice(files, text) ? "audio" : "file",
    files: files.map(({ id, name, mediaType, size }) => ({
      file: { at: "messenger", ref: id },
      name,
      mediaType,
      size,
    })),
    note: text,
  };
}
