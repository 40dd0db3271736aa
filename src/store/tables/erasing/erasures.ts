import type { Act } from "../../audit.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import { ERASURE } from "../care/sealed.ts";
import { all, first, run, type Verb } from "../engine.ts";

// Erasures under way. They take many transactions; from the first one on, what they cover is neither sent nor changed.

/** Of a customer. */
export interface CustomerErasure {
  channelId: string;
  customer?: string;
  /** Chats with nobody else in them. */
  chats: string[];
  /** The customer's messages in other chats. */
  rows: number[];
  /** By which raw webhooks name the customer. */
  names: string[];
  /** The newest message and line of a history that existed then: later ones are a new conversation. */
  upTo: { message: number; line: number };
}
/** Of an account. */
export interface AccountErasure {
  channels: string[];
}
export interface Pending {
  id: string;
  accountId: string;
  by: Act;
  at: number;
  of: CustomerErasure | AccountErasure;
}

/** How many of each are gone. */
export type Counts = Record<"messages" | "files" | "webhooks" | "notes", number>;

interface Sealed {
  id: string;
  sealed: string;
}
const ERASURES = "SELECT id, sealed FROM erasure";
const ADD = "INSERT INTO erasure (id, sealed) VALUES (@id, @sealed)";
const COUNT = `UPDATE erasure SET messages = messages + @messages, files = files + @files,
  webhooks = webhooks + @webhooks, notes = notes + @notes WHERE id = @id`;
const END = "DELETE FROM erasure WHERE id = @id RETURNING messages, files, webhooks, notes";
/** Of one message, what decides whether it is being erased. */
const COVERED = `SELECT id, channel_id AS "channelId", chat, carrier FROM message WHERE id = @id`;

const addressOf = (row: string): Address => ({ ...ERASURE, row });

/** Those that open. */
export function* pendingErasures(sealer: Sealer): Verb<Pending[]> {
  return (yield* all<Sealed>(ERASURES)).flatMap(({ id, sealed }) => {
    const plain = ifOpens(() => sealer.open(sealed, addressOf(id)));
    return plain === undefined ? [] : [JSON.parse(plain) as Pending];
  });
}

/** Whether a message is being erased. */
export function* covers(sealer: Sealer, id: number): Verb<boolean> {
  const pending = yield* pendingErasures(sealer);
  const row = pending.length > 0 ? yield* first<Covered>(COVERED, { id }) : undefined;
  return row !== undefined && pending.some(({ of }) => inclusion(of)(row));
}

// Within a write.

export const beginErasure = (sealer: Sealer, erasure: Pending): Verb<void> =>
  run(ADD, { id: erasure.id, sealed: sealer.seal(JSON.stringify(erasure), addressOf(erasure.id)) });

export const countErased = (id: string, more: Partial<Counts>): Verb<void> =>
  run(COUNT, { messages: 0, files: 0, webhooks: 0, notes: 0, ...more, id });

/** Undefined when somebody else has ended it. */
export const endErasure = (id: string): Verb<Counts | undefined> => first<Counts>(END, { id });

export interface Covered {
  id: number;
  channelId: string;
  chat: string | null;
  carrier: number | null;
}

/** Whether an erasure covers a message. */
export function inclusion(of: Pending["of"]): (row: Covered) => boolean {
  if ("channels" in of) {
    const channels = new Set(of.channels);
    return ({ channelId }) => channels.has(channelId);
  }
  const [chats, rows] = [new Set(of.chats), new Set(of.rows)];
  return ({ id, channelId, chat, carrier }) =>
    channelId === of.channelId &&
    id <= of.upTo.message &&
    (chats.has(chat ?? "") || rows.has(id) || rows.has(carrier ?? Number.NaN));
}
