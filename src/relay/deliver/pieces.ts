import { DeliveryError } from "gangway-messenger/errors";
import { type ChannelId, type ChatId, fingerprint, type MessengerMessageId } from "gangway-messenger/ids";
import { inLanguages, type Language } from "gangway-messenger/language";
import type { Content } from "gangway-messenger/message";
import type { MessageRef } from "gangway-messenger/port";
import { splitText, wordsIn } from "gangway-messenger/text";
import * as z from "zod";
import type { GatewayChannelId } from "../../domain/ids.ts";
import type { Writing } from "../../domain/markdown.ts";
import type { EventOf, OutboundAct } from "../../domain/message.ts";
import { type Gateway, renderContent, renderText } from "../../gateway/client.ts";
import type { NoteStore } from "../../store/channels.ts";

/** Key prefix of our notes on customers' messages that are several at the gateway, by chat, for every kind of channel. */
export const PIECE_NOTES = "pieces:";
/** Messages of a chat that are remembered; an older one is changed and taken back by its first piece only. */
const MOST = 100;

/** The further pieces of a message. The gateway takes no id twice, not even of one that was taken back. */
const pieces = z.object({
  /** Numbers of those that are there, in order. */
  there: z.array(z.number()),
  /** Of the next new one. */
  next: z.number(),
});
type Pieces = z.infer<typeof pieces>;
/** By the message's id; the oldest message first. */
const known = z.array(z.tuple([z.string(), pieces]));

type Notes = Pick<NoteStore, "get" | "set">;

/** The messenger knows only the whole, so a further piece has an id of ours. */
export const pieceId = (message: MessengerMessageId, n: number): MessengerMessageId =>
  `piece:${fingerprint(`${message} ${n}`)}` as MessengerMessageId;

async function read(notes: Notes, channelId: ChannelId, chat: ChatId): Promise<[string, Pieces][]> {
  const note = await notes.get(channelId, PIECE_NOTES + chat);
  return note ? known.parse(JSON.parse(note)) : [];
}

const piecesOf = async ({ notes, channelId }: AtGateway, { chat, messengerMessageId }: MessageRef): Promise<Pieces> =>
  (await read(notes, channelId, chat)).find(([id]) => id === messengerMessageId)?.[1] ?? { there: [], next: 0 };

async function rememberPieces(
  { notes, channelId }: AtGateway,
  { chat, messengerMessageId }: MessageRef,
  now: Pieces,
): Promise<void> {
  const others = (await read(notes, channelId, chat)).filter(([id]) => id !== messengerMessageId);
  const value = JSON.stringify([...others, [messengerMessageId, now]].slice(-MOST));
  await notes.set(channelId, [{ key: PIECE_NOTES + chat, value }]);
}

/** An agent's act on the whole message in place of a further piece, which the messenger does not know. */
export async function onWhole(notes: Notes, channelId: ChannelId, act: OutboundAct): Promise<OutboundAct> {
  const id = act.type === "message" ? act.quote?.messengerMessageId : act.messengerMessageId;
  if (!id?.startsWith("piece:")) return act;
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

// The gateway refuses a text without visible characters, and one that is longer than the channel has announced.

const WORDS = inLanguages(
  { blank: "[a message of blanks only]" },
  { es: { blank: "[un mensaje solo de espacios]" }, ru: { blank: "[сообщение из одних пробелов]" } },
);

/** White space, and what shows as nothing. */
const BLANK = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

interface Fitting {
  writing: Pick<Writing, "text" | "note">;
  /** Of the agents. */
  language: Language;
  /** Characters that come before the content's own. */
  before?: number;
}

/** A customer's content as the gateway takes it: what is too long follows as texts. */
export function fitted(content: Content, { writing, language, before = 0 }: Fitting): [Content, ...Content[]] {
  const words = wordsIn(content);
  if (content.type === "text" && BLANK.test(words.text)) return [{ type: "text", text: WORDS[language].blank }];
  const first = Math.max(1, ("files" in content ? writing.note : writing.text) - before);
  if (words.text.length <= first) return [content];
  const [head, ...rest] = splitText(words, writing.text, { first });
  const begun = "files" in content ? { note: head?.text } : { text: head?.text ?? "" };
  return [{ ...content, ...begun, marks: head?.marks } as Content, ...rest.map(asText)];
}

const asText = ({ text, marks }: { text: string; marks: Content["marks"] }): Content => ({ type: "text", text, marks });

// A customer's message that became several at the gateway: an edit or deletion applies to all of them.

export interface AtGateway {
  gateway: Gateway;
  gatewayChannelId: GatewayChannelId;
  channelId: ChannelId;
  notes: NoteStore;
  writing(): Writing;
}

/** The pieces behind the first. A repeat of one that is there already changes nothing. */
export async function sendPieces(
  at: AtGateway,
  message: EventOf<"message">,
  pieces: Content[],
  signal: AbortSignal,
): Promise<void> {
  // First: one that is not there can be taken back, too.
  await rememberPieces(at, message, { there: [...pieces.keys()], next: pieces.length });
  for (const [n, piece] of pieces.entries()) await sendPiece(at, message, { piece, number: n }, signal);
}

async function sendPiece(
  { gateway, gatewayChannelId, writing }: AtGateway,
  { quote: _, quoted: __, ...message }: EventOf<"message">,
  { piece, number }: { piece: Content; number: number },
  signal: AbortSignal,
): Promise<void> {
  const content = renderContent(piece, writing());
  const event = { ...message, content, messengerMessageId: pieceId(message.messengerMessageId, number) };
  await gateway.sendMessage(gatewayChannelId, { event, files: [] }, signal);
}

/** After an edit of the first, the others are changed or deleted, or more are sent. */
export async function changePieces(
  at: AtGateway,
  event: EventOf<"edited">,
  pieces: Content[],
  signal: AbortSignal,
): Promise<void> {
  const { there, next } = await piecesOf(at, event);
  const kept = there.slice(0, pieces.length);
  // Without its customer no new message can be sent.
  const more = event.anew ? pieces.slice(kept.length).map((_, n) => next + n) : [];
  if (more.length > 0) await rememberPieces(at, event, { there: [...kept, ...more], next: next + more.length });
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
  await sendPiece(at, whole, { piece, number }, signal);
}

export const isRefused = (error: unknown) => error instanceof DeliveryError && error.verdict.type === "reject";

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
  const { messengerMessageId } = target;
  await at.gateway.deleteMessage(at.gatewayChannelId, { messengerMessageId }, signal);
  const { there } = await piecesOf(at, target);
  if (there.length > 0) await deletePieces(at, target, there, signal);
}

async function deletePieces(at: AtGateway, target: MessageRef, numbers: number[], signal: AbortSignal): Promise<void> {
  for (const number of numbers) {
    const messengerMessageId = pieceId(target.messengerMessageId, number);
    await at.gateway.deleteMessage(at.gatewayChannelId, { messengerMessageId }, signal);
  }
  const { there, next } = await piecesOf(at, target);
  const left = there.filter((number) => !numbers.includes(number));
  await rememberPieces(at, target, { there: left, next });
}
