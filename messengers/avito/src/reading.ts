import { type ChatId, type CustomerId, fingerprint, type MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent, Customer } from "gangway-messenger/message";
import type { Note } from "gangway-messenger/port";
import { type About, customerOf, type Known, nameless } from "./chats.ts";
import { contentOf, sayingOf } from "./content.ts";
import type { Lines } from "./lines.ts";
import { digestOf, goneKey, holdsOf, oursKey, sendingKey, settled, staffKey, toldKey } from "./notes.ts";
import type { Context, WireMessage } from "./wire.ts";

/** A message in a chat, as a webhook or a list brings it. */
export interface Said {
  chat: ChatId;
  /** The account's own id. */
  ownId: string;
  message: WireMessage;
  /** For lists: a message under way may not be the listed one, and its source may have come by webhook. */
  isListed?: true;
}
export interface Reading {
  events: ChannelEvent[];
  notes: Note[];
}
type Reader = Pick<Context, "notes" | "clock"> & { lines: Lines };

const NOTHING: Reading = { events: [], notes: [] };
/** Avito itself as the author. */
const NOBODY = ["0", "1"];
/** A message of ours is created within this time of its call, ms; a later one with the same content is from staff. */
const UNDER_WAY_MS = 120_000;
/** A time further ahead is a mistake, ms. */
const AHEAD_MS = 86_400_000;

/** Not a person: a chat bot of Avito's, whatever it says. */
export const isOfAvito = ({ message, type }: { message: WireMessage; type?: string | null }): boolean =>
  type === "a2u" || message.type === "system" || NOBODY.includes(message.author_id);

/** The events of a message. `ask`: for the customer of its chat. */
export async function readMessage(reader: Reader, said: Said, ask: () => Promise<Known>): Promise<Reading> {
  const { message, ownId } = said;
  const isOwn = message.author_id === ownId;
  if (message.type === "deleted") return deleted(reader, said);
  if (!isOwn) return fromCustomer(reader, said, await ask());
  const ours = await ofOurs(reader, said);
  if (ours) return { events: [], notes: ours };
  return fromStaff(reader, said, await ask());
}

const baseOf = ({ clock }: Reader, { chat, message }: Said) => ({
  key: `message:${message.id}`,
  chat,
  messengerMessageId: message.id as MessengerMessageId,
  at: timeOf(message, clock.now()),
});

/** In ms; the current time if Avito gives no plausible one. */
export function timeOf({ created }: Pick<WireMessage, "created">, now: number): number {
  const ms = (created ?? 0) * 1_000;
  return ms > 0 && ms < now + AHEAD_MS ? Math.floor(ms) : now;
}

/** A deleted message gets this type; lists show it for each deleted message. */
async function deleted(reader: Reader, said: Said): Promise<Reading> {
  const { id } = said.message;
  if (said.isListed || (await reader.notes.get(goneKey(id)))) return NOTHING;
  return { events: [{ type: "deleted", ...baseOf(reader, said), key: `deleted:${id}` }], notes: [] };
}

async function fromCustomer(reader: Reader, said: Said, { about, notes }: Known): Promise<Reading> {
  const { message } = said;
  const { author_id: author } = message;
  const customer: Customer =
    about?.customer.id === author ? customerOf(about) : { id: author as CustomerId, nickname: nameless(author) };
  const content = contentOf(message, reader.lines);
  const page = about?.item?.url;
  const listing = await listingOf(reader, said, about?.item);
  return {
    events: [
      { type: "message", ...baseOf(reader, said), originator: "customer", customer, content, ...(page && { page }) },
      ...listing.events,
    ],
    notes: [...notes, ...listing.notes],
  };
}

/** Tells the agent once per chat what it is about, with a message that has created it in the CRM. */
async function listingOf(reader: Reader, said: Said, item: About["item"]): Promise<Reading> {
  const { chat } = said;
  if (!item || said.isListed || (await reader.notes.get(toldKey(chat)))) return NOTHING;
  const title = [item.title, item.price].filter(Boolean).join(", ");
  const text = [reader.lines.about({ title }), item.url].filter(Boolean).join("\n");
  const id = `about:${fingerprint(chat)}`;
  const note = {
    ...baseOf(reader, said),
    type: "note",
    key: id,
    messengerMessageId: id as MessengerMessageId,
    text,
  } as const;
  return { events: [note], notes: [{ key: toldKey(chat), value: "1" }] };
}

/** Written in Avito itself. Without the customer's name it is left to the list, which has it. */
function fromStaff(reader: Reader, said: Said, { about, notes }: Known): Reading {
  // Lists also contain those of ours that are in doubt.
  const staff = said.isListed ? [] : [{ key: staffKey(said.message.id), value: "1" }];
  if (!about) return { events: [], notes: staff };
  const content = contentOf(said.message, reader.lines);
  const customer = customerOf(about);
  return {
    events: [{ type: "message", ...baseOf(reader, said), originator: "channel", customer, content }],
    notes: [...notes, ...staff],
  };
}

/** Whether we sent it, and what is known of it: by its id, or by its content while it is under way. */
async function ofOurs(reader: Reader, { chat, message, isListed }: Said): Promise<Note[] | undefined> {
  const { notes, clock } = reader;
  if (await notes.get(oursKey(message.id))) return [];
  if (isListed) return undefined;
  const digest = digestOf(sayingOf(message));
  const [, since, key] = /^(\d+) (.+)$/.exec((await notes.get(sendingKey(chat, digest))) ?? "") ?? [];
  if (!key || Math.abs(timeOf(message, clock.now()) - Number(since)) > UNDER_WAY_MS) return undefined;
  return settled({ chat, key }, digest, { id: message.id, holds: holdsOf(message) });
}
