import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelId, ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { Content } from "gangway-messenger/message";
import type { MessageRef } from "gangway-messenger/port";
import { wordsIn } from "gangway-messenger/text";
import * as z from "zod";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import { blamingMessenger, type Job } from "../../domain/delivery.ts";
import type { GatewayChannelId } from "../../domain/ids.ts";
import { type EventOf, type OutboundAct, pieceId } from "../../domain/message.ts";
import { type Gateway, renderContent, renderText } from "../../gateway/client.ts";
import type { NoteStore } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";
import type { Sessions } from "../sessions/sessions.ts";

/** The job's destination at the gateway. */
export interface Route {
  channel: Channel;
  gatewayChannelId: GatewayChannelId;
  account: Account;
  gateway: Gateway;
  job: Job;
}

/** Key prefix of our notes, by chat and for every kind, on customers' messages that became several at the gateway. */
export const PIECE_NOTES = "pieces:";
/** Messages remembered per chat. Changes to older ones reach their first piece only. */
const MAX_MESSAGES = 100;

/** The further pieces of a message. The gateway takes no id twice, not even of one that was taken back. */
const pieces = z.object({
  /** Numbers of the pieces that exist, in order. */
  there: z.array(z.number()),
  /** Number of the next new piece. */
  next: z.number(),
});
type Pieces = z.infer<typeof pieces>;
/** By the message's id; the oldest message first. */
const known = z.array(z.tuple([z.string(), pieces]));

type Notes = Pick<NoteStore, "get" | "set">;

async function read(notes: Notes, channelId: ChannelId, chat: ChatId): Promise<[string, Pieces][]> {
  const note = await notes.get(channelId, PIECE_NOTES + chat);
  return note ? known.parse(JSON.parse(note)) : [];
}

async function piecesOf(
  { store: { notes } }: PieceDeps,
  { channel }: Route,
  { chat, messengerMessageId }: MessageRef,
): Promise<Pieces> {
  const found = (await read(notes, channel.id, chat)).find(([id]) => id === messengerMessageId);
  return found?.[1] ?? { there: [], next: 0 };
}

async function rememberPieces(
  { store: { notes } }: PieceDeps,
  { channel }: Route,
  { chat, messengerMessageId }: MessageRef,
  now: Pieces,
): Promise<void> {
  const others = (await read(notes, channel.id, chat)).filter(([id]) => id !== messengerMessageId);
  const value = JSON.stringify([...others, [messengerMessageId, now]].slice(-MAX_MESSAGES));
  await notes.set(channel.id, [{ key: PIECE_NOTES + chat, value }]);
}

/** Redirects an agent's act on a further piece, which the messenger does not know, to the whole message. */
export async function redirectToWhole(notes: Notes, channelId: ChannelId, act: OutboundAct): Promise<OutboundAct> {
  const id = act.type === "message" ? act.quote?.messengerMessageId : act.messengerMessageId;
  const messages = await read(notes, channelId, act.chat);
  const whole = messages.find(([message, { there }]) =>
    there.some((n) => pieceId(message as MessengerMessageId, n) === id),
  );
  if (!whole) return act;
  const messengerMessageId = whole[0] as MessengerMessageId;
  return act.type === "message"
    ? { ...act, quote: { ...act.quote, messengerMessageId } }
    : { ...act, messengerMessageId };
}

// A customer's message that became several at the gateway: an edit or deletion applies to all of them.

interface PieceDeps {
  store: Pick<Store, "notes">;
  sessions: Pick<Sessions, "writingOf">;
}

/** Sends the pieces after the first. Repeating one is harmless. */
export async function sendPieces(
  deps: PieceDeps,
  route: Route,
  message: EventOf<"message">,
  pieces: Content[],
  signal: AbortSignal,
): Promise<void> {
  // Record first: deleting a piece that was never sent is harmless.
  await rememberPieces(deps, route, message, { there: [...pieces.keys()], next: pieces.length });
  for (const [n, piece] of pieces.entries()) await sendPiece(deps, route, message, { piece, number: n }, signal);
}

const writingOf = (sessions: PieceDeps["sessions"], channel: Channel) =>
  blamingMessenger(() => sessions.writingOf(channel));

async function sendPiece(
  { sessions }: PieceDeps,
  { gateway, gatewayChannelId, channel }: Route,
  { quote: _, quoted: __, ...message }: EventOf<"message">,
  { piece, number }: { piece: Content; number: number },
  signal: AbortSignal,
): Promise<void> {
  const content = renderContent(piece, writingOf(sessions, channel));
  const event = { ...message, content, messengerMessageId: pieceId(message.messengerMessageId, number) };
  await gateway.sendMessage(gatewayChannelId, { event, files: [] }, signal);
}

/** After the first piece was edited: edits, deletes or adds the others. */
export async function changePieces(
  deps: PieceDeps,
  route: Route,
  event: EventOf<"edited">,
  pieces: Content[],
  signal: AbortSignal,
): Promise<void> {
  const { there, next } = await piecesOf(deps, route, event);
  const kept = there.slice(0, pieces.length);
  // New pieces need the customer, which only `anew` has.
  const more = event.anew ? pieces.slice(kept.length).map((_, n) => next + n) : [];
  if (more.length > 0)
    await rememberPieces(deps, route, event, { there: [...kept, ...more], next: next + more.length });
  for (const [n, number] of [...kept, ...more].entries()) {
    const piece = pieces[n];
    if (piece) await changePiece(deps, route, event, { piece, number, isNew: n >= kept.length }, signal);
  }
  await removePieces(deps, route, event, there.slice(kept.length), signal);
}

/** Edits a piece; sends it if the gateway does not know it, as after a crash. */
async function changePiece(
  deps: PieceDeps,
  route: Route,
  event: EventOf<"edited">,
  { piece, number, isNew }: { piece: Content; number: number; isNew: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { gateway, gatewayChannelId, channel } = route;
  const { key, chat, at: time, anew, messengerMessageId } = event;
  const changed = { ...event, messengerMessageId: pieceId(messengerMessageId, number), ...wordsIn(piece) };
  if (!isNew)
    try {
      return await gateway.editMessage(
        gatewayChannelId,
        renderText(changed, writingOf(deps.sessions, channel)),
        signal,
      );
    } catch (error) {
      if (!anew || !isRefused(error)) throw error;
    }
  if (!anew) return;
  const whole = { type: "message", key, chat, at: time, ...anew, messengerMessageId } as const;
  await sendPiece(deps, route, whole, { piece, number }, signal);
}

export const isRefused = (error: unknown) => error instanceof DeliveryError && error.verdict.type === "reject";

/** Deletes pieces that the edit no longer needs; where deletion is impossible, empties them. */
async function removePieces(
  deps: PieceDeps,
  route: Route,
  event: EventOf<"edited">,
  numbers: number[],
  signal: AbortSignal,
): Promise<void> {
  if (numbers.length === 0) return;
  const { gateway, gatewayChannelId } = route;
  try {
    await deletePieces(deps, route, event, numbers, signal);
  } catch (error) {
    if (!isRefused(error)) throw error;
    for (const number of numbers) {
      const messengerMessageId = pieceId(event.messengerMessageId, number);
      await gateway.editMessage(
        gatewayChannelId,
        { ...event, messengerMessageId, text: "…", marks: undefined },
        signal,
      );
    }
  }
}

/** Deletes a message with all its pieces. */
export async function deleteWhole(
  deps: PieceDeps,
  route: Route,
  target: MessageRef,
  signal: AbortSignal,
): Promise<void> {
  const { messengerMessageId } = target;
  await route.gateway.deleteMessage(route.gatewayChannelId, { messengerMessageId }, signal);
  const { there } = await piecesOf(deps, route, target);
  if (there.length > 0) await deletePieces(deps, route, target, there, signal);
}

async function deletePieces(
  deps: PieceDeps,
  route: Route,
  target: MessageRef,
  numbers: number[],
  signal: AbortSignal,
): Promise<void> {
  for (const number of numbers) {
    const messengerMessageId = pieceId(target.messengerMessageId, number);
    await route.gateway.deleteMessage(route.gatewayChannelId, { messengerMessageId }, signal);
  }
  const { there, next } = await piecesOf(deps, route, target);
  const left = there.filter((number) => !numbers.includes(number));
  await rememberPieces(deps, route, target, { there: left, next });
}
