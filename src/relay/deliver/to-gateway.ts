import type { Clock } from "gangway-messenger/clock";
import type { Explain } from "gangway-messenger/explanations";
import { fingerprint, type MessengerMessageId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import type { Content, FilePart } from "gangway-messenger/message";
import type { ChannelSession, MessageRef } from "gangway-messenger/port";
import { albumText, prefixed, wordsIn } from "gangway-messenger/text";
import { type Account, agentsLanguage } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import { type Ack, INBOUND_PATIENCE_MS, type Job, notSent, type Task } from "../../domain/delivery.ts";
import { sentence } from "../../domain/explanations.ts";
import type { GatewayChannelId } from "../../domain/ids.ts";
import type { Writing } from "../../domain/markdown.ts";
import { type EventOf, leavesLast, type RelayedEvent } from "../../domain/message.ts";
import { listedReaction, reactionText, unchangedText } from "../../domain/revision.ts";
import { type Gateway, renderContent, renderText } from "../../gateway/client.ts";
import type { Outcome } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import type { ForeignAnswers, Sessions } from "../sessions/sessions.ts";
import { type AtGateway, changePieces, deleteWhole, fitted, isRefused, sendPieces } from "./pieces.ts";
import {
  avatarOf,
  blameMessenger,
  LINE_MS,
  lateFilesOf,
  lateMessage,
  rememberLate,
  type Uploaded,
  type UploadParts,
  uploadFiles,
  uploadLate,
} from "./uploads.ts";

// What customers do, and the acks of what agents do, at the gateway.

export interface ToGatewayParts {
  store: Pick<Store, "messages" | "notes">;
  sessions: Sessions;
  foreignAnswers: ForeignAnswers;
  clock: Clock;
  explain: Explain;
}

export interface ToGateway {
  channel: Channel;
  gatewayChannelId: GatewayChannelId;
  account: Account;
  gateway: Gateway;
  job: Job;
}

type Change = Exclude<RelayedEvent, { type: "message" }>;

/** How often to check whether a due ack was given, or a message resent, ms. */
const POLL_MS = 500;

/** How long an event about a message must wait until the gateway can accept it, ms. */
export async function blockedMs(
  { store, clock }: ToGatewayParts,
  { channelId, id }: Job,
  event: Change,
): Promise<number> {
  const { type, chat, messengerMessageId } = event;
  // A customer can be faster than the ack; until then the gateway does not know the message.
  const dueAt =
    type === "read-until"
      ? await store.messages.acksDue(channelId, chat, id)
      : await store.messages.ackDue(channelId, messengerMessageId);
  if (dueAt !== undefined) return Math.max(0, dueAt - clock.now()) + POLL_MS;
  // An imported message has a lane of its own.
  if (type !== "read" && (await store.messages.isComing(channelId, messengerMessageId))) return POLL_MS;
  // A status can overtake the answer to the call that sent the message.
  if (type === "read" || type === "reaction")
    return (await store.messages.mayBeUnderWay(channelId, chat, messengerMessageId)) ? POLL_MS : 0;
  // This may be our own deletion, followed by a resend: wait for its result.
  if (type !== "deleted") return 0;
  return (await store.messages.isBeingReplaced(channelId, chat, messengerMessageId)) ? POLL_MS : 0;
}

export function toGateway(
  parts: ToGatewayParts,
  route: ToGateway,
  task: Exclude<Task, { direction: "outbound" }>,
  signal: AbortSignal,
): Promise<Outcome> {
  if (task.direction === "ack") return tell(parts, route, task.ack, signal);
  const { event } = task;
  if (event.type === "message") return messageToGateway(parts, route, event, signal);
  return changeToGateway(parts, route, event, signal);
}

async function tell(parts: ToGatewayParts, route: ToGateway, ack: Ack, signal: AbortSignal): Promise<Outcome> {
  const error = ack.error && { ...ack.error, message: sentence(explainedTo(parts, route, ack.error.message)) };
  await route.gateway.ack(route.gatewayChannelId, error ? { ...ack, error } : ack, signal);
  return {};
}

async function changeToGateway(
  parts: ToGatewayParts,
  route: ToGateway,
  event: Change,
  signal: AbortSignal,
): Promise<Outcome> {
  const { channel } = route;
  const { messages } = parts.store;
  // The gateway knows a message of many parts by its first part only.
  const head = async () => ({
    ...event,
    messengerMessageId: await messages.root(channel.id, event.messengerMessageId),
  });
  switch (event.type) {
    case "note":
      return noteToGateway(parts, route, event, signal);
    case "unchanged": {
      const { change } = event;
      const said = change.said && explainedTo(parts, route, change.said);
      const text = unchangedText({ ...change, said }, languageFor(parts, route));
      return noteToGateway(parts, route, { ...event, type: "note", text }, signal);
    }
    case "edited":
      return editAtGateway(parts, route, await inOneMessage(parts, route, (await head()) as EventOf<"edited">), signal);
    case "deleted": {
      const { messengerMessageId } = await head();
      // One picture of an album is gone, not the message; the gateway cannot delete a part.
      if ((await messages.current(channel.id, messengerMessageId)) !== event.messengerMessageId) return {};
      const target = { chat: event.chat, messengerMessageId };
      const remove = async () => {
        const late = await endLate(parts, route, target);
        await deleteWhole(piecesAt(parts, route), target, signal);
        for (const messengerMessageId of late)
          await route.gateway.deleteMessage(route.gatewayChannelId, { messengerMessageId }, signal);
      };
      return (await orAnew(parts, route, event, signal, remove)) ?? {};
    }
    case "read":
    case "read-until":
      await readToGateway(parts, route, event, signal);
      return {};
    case "reaction":
      return reactionToGateway(parts, route, (await head()) as EventOf<"reaction">, signal);
  }
}

/** Cancels what is still to follow of a message that was taken back. Resolves with the messages that carried its files. */
async function endLate(
  { store: { notes } }: ToGatewayParts,
  { channel }: ToGateway,
  message: MessageRef,
): Promise<MessengerMessageId[]> {
  const of = { channelId: channel.id, ...message };
  const known = await lateFilesOf(notes, of);
  if (known.leftOut.length > 0 && !known.isGone) await rememberLate(notes, of, { ...known, isGone: true });
  return known.came;
}

/** The gateway refuses a reaction that the channel has not announced: agents read of it instead. */
async function reactionToGateway(
  parts: ToGatewayParts,
  route: ToGateway,
  event: EventOf<"reaction">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const { dictionary = [] } = blaming(() => parts.sessions.featuresOf(channel)).reactions ?? {};
  const { reaction: emoji } = event;
  const reaction = emoji === null ? null : (listedReaction(emoji, dictionary) ?? null);
  await gateway.setReaction(gatewayChannelId, { ...event, reaction }, signal);
  if (emoji === null || reaction !== null) return {};
  const messengerMessageId = `reaction:${fingerprint(event.key)}` as MessengerMessageId;
  const text = reactionText(emoji, languageFor(parts, route));
  return noteToGateway(parts, route, { ...event, type: "note", messengerMessageId, text }, signal);
}

async function noteToGateway(
  parts: ToGatewayParts,
  route: ToGateway,
  event: EventOf<"note">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const note = renderText(event, writingOf(parts, channel));
  const { gatewayMessageId } = await gateway.sendNote(gatewayChannelId, note, signal);
  return { gatewayMessageId };
}

/** Also of a channel whose messenger is not installed: its acks go all the same. */
const languageFor = ({ sessions }: ToGatewayParts, { account, channel }: ToGateway) =>
  agentsLanguage(account, sessions.adapter(channel.kind) ? sessions.open(channel).capabilities.language : "en");

/** As the account's agents read it. */
const explainedTo = (parts: ToGatewayParts, route: ToGateway, text: string): string =>
  parts.explain(text, languageFor(parts, route));

const writingOf = ({ sessions }: ToGatewayParts, channel: Channel): Writing =>
  blaming(() => sessions.writingOf(channel));

/** Its messenger may be unknown, or its settings may not fit. */
function blaming<T>(ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    return blameMessenger(notSent(error));
  }
}

/** Parts of an album that came late are a message of their own: the edit says what the edited one's message says now. */
async function inOneMessage(
  { store: { messages } }: ToGatewayParts,
  { channel }: ToGateway,
  event: EventOf<"edited">,
): Promise<EventOf<"edited">> {
  const { album, messengerMessageId } = event;
  if (!album) return event;
  const parts = await messages.parts(channel.id, messengerMessageId);
  const own = new Set(parts.map((part) => part.messengerMessageId));
  const captions = album.captions.filter((caption) => own.has(caption.messengerMessageId));
  return { ...event, ...albumText({ ...album, captions }) };
}

/** The gateway refuses to edit what it does not know, and kinds that it cannot edit. */
async function editAtGateway(
  parts: ToGatewayParts,
  route: ToGateway,
  event: EventOf<"edited">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const writing = writingOf(parts, channel);
  const whole = { type: "text", text: event.text, marks: event.marks } as const;
  const [first, ...rest] = fitted(whole, { writing, language: languageFor(parts, route) });
  const edited = renderText({ ...event, ...wordsIn(first) }, writing);
  const anew = await orAnew(parts, route, event, signal, () => gateway.editMessage(gatewayChannelId, edited, signal));
  if (anew) return anew;
  await changePieces(piecesAt(parts, route), event, rest, signal);
  return {};
}

/** If the gateway refuses the change for good, sends what the event has for that. Undefined: the change was made. */
async function orAnew(
  parts: ToGatewayParts,
  route: ToGateway,
  { key, chat, at, anew, messengerMessageId: quote }: EventOf<"edited"> | EventOf<"deleted">,
  signal: AbortSignal,
  change: () => Promise<unknown>,
): Promise<Outcome | undefined> {
  try {
    await change();
    return undefined;
  } catch (error) {
    if (!anew || !isRefused(error)) throw error;
    const { note } = await messageToGateway(parts, route, { type: "message", key, chat, at, quote, ...anew }, signal);
    return { note };
  }
}

const piecesAt = (parts: ToGatewayParts, { gateway, gatewayChannelId, channel }: ToGateway): AtGateway => ({
  ...{ gateway, gatewayChannelId, channelId: channel.id, notes: parts.store.notes },
  writing: () => writingOf(parts, channel),
});

async function messageToGateway(
  parts: ToGatewayParts,
  route: ToGateway,
  event: EventOf<"message">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const session = blaming(() => parts.sessions.of(channel));
  const writing = writingOf(parts, channel);
  const language = languageFor(parts, route);
  const { quoted } = event;
  const said = quoted?.always ? prefixed(event.content, quoted.head) : event.content;
  const went = await uploaded(parts, route, { event, said, session, language }, signal);
  if (!went) return {};
  const { content: whole, files } = went;
  const before = quoted && !quoted.always ? quoted.head.length : 0;
  const [content, ...rest] = fitted(whole, { writing, language, before });
  const at = { channelId: channel.id, session, gateway: forFilesOf(event, gateway) };
  const avatar = await avatarOf(parts, at, event.customer, signal);
  const quote = event.quote && (await parts.store.messages.root(channel.id, event.quote));
  const written = {
    content: renderContent(content, writing),
    quoted: quoted && { ...quoted, head: renderText({ text: quoted.head }, writing).text },
    quote,
  };
  const message = { event: Object.assign({}, event, written), files, avatar };
  const posted = await gateway.sendMessage(gatewayChannelId, message, signal);
  if (rest.length > 0) await sendPieces(piecesAt(parts, route), event, rest, signal);
  // Before the job settles: a repeat after a crash is harmless, since the messenger recognizes it. Failure is ignored: the
  // gateway has the message, and a missing tick must not make it look undelivered.
  if (!event.late) await session.readMarks?.delivered(event, signal).catch(() => {});
  // The gateway names no id for a repeat: it has what an earlier attempt sent, perhaps with files that this one went without.
  const late = posted.gatewayMessageId === undefined ? went.lateBefore : went.late;
  return {
    gatewayMessageId: posted.gatewayMessageId,
    note: "files" in said ? lateMessage(event, said, late) : undefined,
  };
}

interface Said {
  event: EventOf<"message">;
  said: Content;
  session: ChannelSession;
  language: Language;
}

interface Went extends Uploaded {
  /** Those that may still come, as of the attempts before this one. */
  lateBefore: FilePart[];
}

/** For an event's files: those of what leaves last wait for the others. */
const forFilesOf = (event: RelayedEvent, gateway: Gateway): Gateway =>
  leavesLast(event) ? { ...gateway, uploadFile: (file, signal) => gateway.uploadFile(file, signal, "bulk") } : gateway;

/** What goes now. Undefined: it was taken back. */
async function uploaded(
  { clock, foreignAnswers, store: { notes } }: ToGatewayParts,
  { gateway, channel, job }: ToGateway,
  { event, said, session, language }: Said,
  signal: AbortSignal,
): Promise<Went | undefined> {
  if (!("files" in said)) return { content: said, files: [], late: [], lateBefore: [] };
  const at = { channelId: channel.id, chat: event.chat };
  const own = { ...at, messengerMessageId: event.messengerMessageId };
  const { leftOut, came } = await lateFilesOf(notes, own);
  const sides = { clock, session, gateway: forFilesOf(event, gateway), language, leftOut };
  const lineAt = job.deadlineAt - INBOUND_PATIENCE_MS + LINE_MS;
  const watch: UploadParts["watch"] = (file, act) => foreignAnswers.watch(job, file, act);
  const went = event.late
    ? await uploadLate(sides, said, event.late.words, signal)
    : await uploadFiles({ ...sides, lineAt, watch }, said, signal);
  // First: if the post gets no answer, the repeat must not have more than the gateway has got.
  const without = said.files.flatMap((part, n) => (went.late.includes(part) ? [n] : []));
  if (without.length > leftOut.length) await rememberLate(notes, own, { leftOut: without, came });
  if (event.late && event.quote) {
    const whole = { ...at, messengerMessageId: event.quote };
    const known = await lateFilesOf(notes, whole);
    if (known.isGone) return undefined;
    // First, too: one that is not there can be taken back.
    if (!known.came.includes(own.messengerMessageId))
      await rememberLate(notes, whole, { ...known, came: [...known.came, own.messengerMessageId] });
  }
  return { ...went, lateBefore: said.files.filter((_, n) => leftOut.includes(n)) };
}

/**
 * Other programs may send from the same login, and a customer reads their messages, too. The gateway refuses a mark on what
 * it does not know: nothing of ours is lost.
 */
async function readToGateway(
  { store: { messages } }: ToGatewayParts,
  { gateway, gatewayChannelId, channel }: ToGateway,
  event: EventOf<"read" | "read-until">,
  signal: AbortSignal,
): Promise<void> {
  const { type, chat, messengerMessageId } = event;
  const gatewayMessageId = type === "read" ? await messages.gatewayId(channel.id, messengerMessageId) : undefined;
  try {
    if (type === "read-until") await gateway.markReadUntil(gatewayChannelId, event, signal);
    else await gateway.markRead(gatewayChannelId, { messengerMessageId, gatewayMessageId }, signal);
  } catch (error) {
    if (!isRefused(error) || gatewayMessageId !== undefined) throw error;
    if (type === "read-until" && (await messages.sentSince(channel.id, chat, 0)).length > 0) throw error;
  }
}
