import type { MessageRef } from "../../channels/port.ts";
import { DeliveryError } from "../../domain/delivery/delivery.ts";
import type { ChannelId, GatewayChannelId } from "../../domain/ids.ts";
import { wordsIn } from "../../domain/message/content.ts";
import type { Content, RelayedEvent } from "../../domain/message/message.ts";
import type { Writing } from "../../domain/text/markup.ts";
import type { Gateway } from "../../gateway/client.ts";
import { renderContent, renderText } from "../../gateway/markup.ts";
import type { NoteStore } from "../../store/channels.ts";
import { following } from "./fitting.ts";
import { pieceId, piecesOf, rememberPieces } from "./pieces.ts";

// A customer's message that became several at the gateway: an edit or deletion applies to all of them.

export interface AtGateway {
  gateway: Gateway;
  gatewayChannelId: GatewayChannelId;
  channelId: ChannelId;
  notes: NoteStore;
  writing(): Writing;
}
type EventOf<Type extends RelayedEvent["type"]> = Extract<RelayedEvent, { type: Type }>;

/** The pieces behind the first. A repeat of one that is there already changes nothing. */
export async function sendPieces(
  at: AtGateway,
  message: EventOf<"message">,
  pieces: Content[],
  signal: AbortSignal,
): Promise<void> {
  const { notes, channelId } = at;
  const { chat, messengerMessageId } = message;
  const all = following(message, pieces);
  // First: one that is not there can be taken back, too.
  await rememberPieces(notes, { channelId, chat }, messengerMessageId, { there: [...all.keys()], next: all.length });
  for (const piece of all) await sendPiece(at, piece, signal);
}

async function sendPiece(
  { gateway, gatewayChannelId, writing }: AtGateway,
  piece: EventOf<"message">,
  signal: AbortSignal,
): Promise<void> {
  const content = renderContent(piece.content, writing());
  await gateway.sendMessage(gatewayChannelId, { event: { ...piece, content }, files: [] }, signal);
}

/** After an edit of the first, the others are changed or deleted, or more are sent. */
export async function changePieces(
  at: AtGateway,
  event: EventOf<"edited">,
  pieces: Content[],
  signal: AbortSignal,
): Promise<void> {
  const { channelId, notes } = at;
  const { chat, messengerMessageId } = event;
  const place = { channelId, chat };
  const { there, next } = await piecesOf(notes, place, messengerMessageId);
  const kept = there.slice(0, pieces.length);
  // Without its customer no new message can be sent.
  const more = event.anew ? pieces.slice(kept.length).map((_, n) => next + n) : [];
  if (more.length > 0) {
    const now = { there: [...kept, ...more], next: next + more.length };
    await rememberPieces(notes, place, messengerMessageId, now);
  }
  for (const [n, number] of [...kept, ...more].entries()) {
    const piece = pieces[n];
    if (piece) await changePiece(at, event, { piece, number, isNew: n >= kept.length }, signal);
  }
  await endPieces(at, event, there.slice(kept.length), signal);
}

/** One that a crash has kept from being sent is unknown to the gateway: it is sent now. */
async function changePiece(
  at: AtGateway,
  event: EventOf<"edited">,
  { piece, number, isNew }: { piece: Content; number: number; isNew: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { gateway, gatewayChannelId, writing } = at;
  const { key, chat, at: time, anew, messengerMessageId } = event;
  const changed = { ...event, messengerMessageId: pieceId(messengerMessageId, number), ...wordsIn(piece) };
  if (!isNew)
    try {
      return await gateway.editMessage(gatewayChannelId, renderText(changed, writing()), signal);
    } catch (error) {
      if (!anew || !isRefused(error)) throw error;
    }
  if (!anew) return;
  const whole = { type: "message", key, chat, at: time, ...anew, messengerMessageId } as const;
  for (const each of following(whole, [piece], [number])) await sendPiece(at, each, signal);
}

const isRefused = (error: unknown) => error instanceof DeliveryError && error.verdict.type === "reject";

/** What an edit no longer says. Where the channel's messages cannot be taken back the pieces stay, and say nothing. */
async function endPieces(
  at: AtGateway,
  event: EventOf<"edited">,
  numbers: number[],
  signal: AbortSignal,
): Promise<void> {
  if (numbers.length === 0) return;
  const { gateway, gatewayChannelId } = at;
  try {
    await deletePieces(at, event, numbers, signal);
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

/** Takes a message back, with all its pieces. */
export async function deleteWhole(at: AtGateway, target: MessageRef, signal: AbortSignal): Promise<void> {
  const { gateway, gatewayChannelId, channelId, notes } = at;
  const { chat, messengerMessageId } = target;
  await gateway.deleteMessage(gatewayChannelId, { messengerMessageId }, signal);
  const { there } = await piecesOf(notes, { channelId, chat }, messengerMessageId);
  if (there.length > 0) await deletePieces(at, target, there, signal);
}

async function deletePieces(
  { gateway, gatewayChannelId, channelId, notes }: AtGateway,
  { chat, messengerMessageId }: MessageRef,
  numbers: number[],
  signal: AbortSignal,
): Promise<void> {
  for (const number of numbers)
    await gateway.deleteMessage(gatewayChannelId, { messengerMessageId: pieceId(messengerMessageId, number) }, signal);
  const place = { channelId, chat };
  const { there, next } = await piecesOf(notes, place, messengerMessageId);
  const left = there.filter((number) => !numbers.includes(number));
  await rememberPieces(notes, place, messengerMessageId, { there: left, next });
}
