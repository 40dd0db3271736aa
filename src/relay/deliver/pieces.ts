import * as z from "zod";
import { type ChannelId, type ChatId, fingerprint, type MessengerMessageId } from "../../domain/ids.ts";
import type { OutboundAct } from "../../domain/message/message.ts";
import type { NoteStore } from "../../store/channels.ts";

/** Key prefix of our notes on customers' messages that are several at the gateway, by chat, for every kind of channel. */
export const PIECE_NOTES = "pieces:";
/** Messages of a chat that are remembered; an older one is changed and taken back by its first piece only. */
const MOST = 100;

/** The further pieces of a message. The gateway takes no id twice, not even of one that was taken back. */
export interface Pieces {
  /** Numbers of those that are there, in order. */
  there: number[];
  /** Of the next new one. */
  next: number;
}
const pieces = z.object({ there: z.array(z.number()), next: z.number() });
/** By the message's id; the oldest message first. */
const known = z.array(z.tuple([z.string(), pieces]));

interface At {
  channelId: ChannelId;
  chat: ChatId;
}
type Notes = Pick<NoteStore, "get" | "set">;

/** The messenger knows only the whole, so a further piece has an id of ours. */
export const pieceId = (message: MessengerMessageId, n: number): MessengerMessageId =>
  `piece:${fingerprint(`${message} ${n}`)}` as MessengerMessageId;

async function read(notes: Notes, { channelId, chat }: At): Promise<[string, Pieces][]> {
  const note = await notes.get(channelId, PIECE_NOTES + chat);
  return note ? known.parse(JSON.parse(note)) : [];
}

export const piecesOf = async (notes: Notes, at: At, message: MessengerMessageId): Promise<Pieces> =>
  (await read(notes, at)).find(([id]) => id === message)?.[1] ?? { there: [], next: 0 };

export async function rememberPieces(notes: Notes, at: At, message: MessengerMessageId, now: Pieces): Promise<void> {
  const others = (await read(notes, at)).filter(([id]) => id !== message);
  const value = JSON.stringify([...others, [message, now]].slice(-MOST));
  await notes.set(at.channelId, [{ key: PIECE_NOTES + at.chat, value }]);
}

const named = (act: OutboundAct) => (act.type === "message" ? act.quote?.messengerMessageId : act.messengerMessageId);

/** Whether an agent's act names a further piece, which the messenger does not know. */
export const isOnPiece = (act: OutboundAct): boolean => named(act)?.startsWith("piece:") === true;

/** The act on the whole message in place of a further piece. */
export async function onWhole(notes: Notes, channelId: ChannelId, act: OutboundAct): Promise<OutboundAct> {
  const id = named(act);
  const messages = await read(notes, { channelId, chat: act.chat });
  const whole = messages.find(([message, { there }]) =>
    there.some((n) => pieceId(message as MessengerMessageId, n) === id),
  );
  if (!whole) return act;
  const messengerMessageId = whole[0] as MessengerMessageId;
  return act.type === "message"
    ? { ...act, quote: { ...act.quote, messengerMessageId } }
    : { ...act, messengerMessageId };
}
