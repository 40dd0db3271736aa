import { cleanName, type MessengerMessageId } from "gangway-messenger/ids";
import { keepSync } from "../connecting/phone-sync.ts";
import type { Reading } from "../connecting/view.ts";
import { chatOf, learn, reachIn } from "./people.ts";
import { readMessage } from "./reading.ts";
import type { HistoryChunk, StateSync, Value, WireContact, WireMessage } from "./update.ts";

// What was written in the app on a coexistence number's phone before the number was connected, and the phone's address book
// (documentation/business-messaging/whatsapp/webhooks/reference/history, …/smb_app_state_sync).

/** A name in the phone's address book, by number. */
const nameNote = (phone: string) => `book:${phone}`;

/** Files come after the messages, which only mention them: each becomes a message of its own. */
const FILE = ".file";
const DECLINED = 2_593_109;

export async function readHistory({ history, messages, metadata }: Value, reading: Reading): Promise<void> {
  const own = digitsOf(metadata?.display_phone_number);
  for (const chunk of history)
    if (chunk) await readChunk(chunk, own, reading);
    else reading.unknown = "a part of the phone's history that this version cannot read";
  for (const message of messages)
    if (message) {
      const quote = message.id as MessengerMessageId;
      await readPast({ ...message, id: `${quote}${FILE}` }, { own, quote }, reading);
    }
}

async function readChunk({ metadata, threads, errors }: HistoryChunk, own: string, reading: Reading): Promise<void> {
  const refused = errors.find(({ code }) => Number(code) === DECLINED);
  if (refused) await keepSync(reading, { isDeclined: true });
  if (metadata?.progress !== undefined) await keepSync(reading, { progress: metadata.progress });
  for (const thread of threads)
    for (const message of thread?.messages ?? [])
      if (message) await readPast(message, { own, thread: thread?.id }, reading);
}

interface At {
  /** The shop's number, digits. */
  own: string;
  /** The customer's number. */
  thread?: string;
  /** The message to which the file belongs. */
  quote?: MessengerMessageId;
}

async function readPast(message: WireMessage, { own, thread, quote }: At, reading: Reading): Promise<void> {
  const isOwn = message.history_context?.from_me === true || digitsOf(message.from) === own;
  const customer = thread ?? (isOwn ? message.to : message.from);
  if (!customer) return;
  const name = await reading.note(nameNote(customer));
  const contacts: WireContact[] = [
    { wa_id: customer, profile: { name: name || undefined, username: undefined }, user_id: undefined },
  ];
  const before = reading.events.length;
  await readMessage(isOwn ? { ...message, to: customer } : { ...message, from: customer }, contacts, reading, isOwn);
  const read = reading.events.splice(before);
  // Of a change the history brings what it came to.
  for (const event of read)
    if (event.type === "message") reading.events.push({ ...event, past: true, ...(quote && { quote }) });
}

/** Applies to people who have not written yet; for the others the profile's name counts. */
export async function readStateSync(changes: (StateSync | undefined)[], reading: Reading): Promise<void> {
  for (const change of changes) {
    const { phone_number: phone, full_name: full, first_name: first } = change?.contact ?? {};
    const name = cleanName(full ?? first ?? "");
    if (change?.type !== "contact" || !phone) continue;
    const digits = digitsOf(phone);
    reading.set(nameNote(digits), change.action === "remove" ? "" : name);
    const chat = await chatOf({ phone: digits }, reading);
    const known = chat && reachIn(await reading.note(`to:${chat}`));
    if (chat && known && !known.name && name) await learn(chat, { phone: digits }, reading, name);
  }
}

const digitsOf = (phone: string | undefined): string => (phone ?? "").replace(/\D/g, "");
