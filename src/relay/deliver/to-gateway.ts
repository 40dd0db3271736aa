import type { Clock } from "gangway-messenger/clock";
import type { Explain } from "gangway-messenger/explanations";
import { fingerprint, type MessengerMessageId } from "gangway-messenger/ids";
import type { FilePart, FilesContent } from "gangway-messenger/message";
import type { ChannelSession, MessageRef } from "gangway-messenger/port";
import { albumText, prefixed, wordsIn } from "gangway-messenger/text";
import { agentsLanguage } from "../../domain/account.ts";
import { type Ack, blamingMessenger, INBOUND_PATIENCE_MS, type Job, type Task } from "../../domain/delivery.ts";
import { sentence } from "../../domain/explanations.ts";
import { type EventOf, fitted, leavesLast, type RelayedEvent } from "../../domain/message.ts";
import { listedReaction, reactionText, unchangedText } from "../../domain/revision.ts";
import { type Gateway, renderContent, renderText } from "../../gateway/client.ts";
import type { Outcome } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import type { ForeignAnswers, Sessions } from "../sessions/sessions.ts";
import { changePieces, deleteWhole, isRefused, type Route, sendPieces } from "./pieces.ts";
import {
  avatarOf,
  LINE_MS,
  lateFilesOf,
  lateMessage,
  rememberLate,
  type UploadDeps,
  type Uploaded,
  uploadFiles,
  uploadLate,
} from "./uploads.ts";

// Inbound events, and acks of outbound messages, to the gateway.

export interface ToGatewayDeps {
  store: Pick<Store, "messages" | "notes">;
  sessions: Sessions;
  foreignAnswers: ForeignAnswers;
  clock: Clock;
  explain: Explain;
}

type Change = Exclude<RelayedEvent, { type: "message" }>;

/** How often to check whether a due ack was given, or a message resent, ms. */
const POLL_MS = 500;

/** How long an event about a message must wait until the gateway can accept it, ms. */
export async function blockedMs(
  { store, clock }: ToGatewayDeps,
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
  // The message may still be coming: imported messages have a lane of their own.
  if (type !== "read" && (await store.messages.isComing(channelId, messengerMessageId))) return POLL_MS;
  // A status can overtake the answer to the call that sent the message.
  if (type === "read" || type === "reaction")
    return (await store.messages.mayBeUnderWay(channelId, chat, messengerMessageId)) ? POLL_MS : 0;
  // This may be our own deletion, followed by a resend: wait for its result.
  if (type !== "deleted") return 0;
  return (await store.messages.isBeingReplaced(channelId, chat, messengerMessageId)) ? POLL_MS : 0;
}

export function toGateway(
  deps: ToGatewayDeps,
  route: Route,
  task: Exclude<Task, { direction: "outbound" }>,
  signal: AbortSignal,
): Promise<Outcome> {
  if (task.direction === "ack") return sendAck(deps, route, task.ack, signal);
  const { event } = task;
  if (event.type === "message") return messageToGateway(deps, route, event, signal);
  return changeToGateway(deps, route, event, signal);
}

async function sendAck(deps: ToGatewayDeps, route: Route, ack: Ack, signal: AbortSignal): Promise<Outcome> {
  const error = ack.error && { ...ack.error, message: sentence(explainedTo(deps, route, ack.error.message)) };
  await route.gateway.ack(route.gatewayChannelId, error ? { ...ack, error } : ack, signal);
  return {};
}

async function changeToGateway(
  deps: ToGatewayDeps,
  route: Route,
  event: Change,
  signal: AbortSignal,
): Promise<Outcome> {
  const { channel } = route;
  const { messages } = deps.store;
  // The gateway knows a message of many parts by its first part only.
  const head = async () => ({
    ...event,
    messengerMessageId: await messages.root(channel.id, event.messengerMessageId),
  });
  switch (event.type) {
    case "note":
      return noteToGateway(deps, route, event, signal);
    case "unchanged": {
      const { change } = event;
      const said = change.said && explainedTo(deps, route, change.said);
      const text = unchangedText({ ...change, said }, languageFor(deps, route));
      return noteToGateway(deps, route, { ...event, type: "note", text }, signal);
    }
    case "edited":
      return editAtGateway(
        deps,
        route,
        await withOwnCaptions(deps, route, (await head()) as EventOf<"edited">),
        signal,
      );
    case "deleted": {
      const { messengerMessageId } = await head();
      // One picture of an album is gone, not the message; the gateway cannot delete a part.
      if ((await messages.current(channel.id, messengerMessageId)) !== event.messengerMessageId) return {};
      const target = { chat: event.chat, messengerMessageId };
      const remove = async () => {
        const late = await cancelLateFiles(deps, route, target);
        await deleteWhole(deps, route, target, signal);
        for (const messengerMessageId of late)
          await route.gateway.deleteMessage(route.gatewayChannelId, { messengerMessageId }, signal);
      };
      return (await orSendAgain(deps, route, event, signal, remove)) ?? {};
    }
    case "read":
    case "read-until":
      await readToGateway(deps, route, event, signal);
      return {};
    case "reaction":
      return reactionToGateway(deps, route, (await head()) as EventOf<"reaction">, signal);
  }
}

/** Cancels late files of a deleted message. Resolves with the messages that already carried some. */
async function cancelLateFiles(
  { store: { notes } }: ToGatewayDeps,
  { channel }: Route,
  message: MessageRef,
): Promise<MessengerMessageId[]> {
  const of = { channelId: channel.id, ...message };
  const known = await lateFilesOf(notes, of);
  if (known.leftOut.length > 0 && !known.isGone) await rememberLate(notes, of, { ...known, isGone: true });
  return known.came;
}

/** The gateway refuses unannounced reactions: agents get a note instead. */
async function reactionToGateway(
  deps: ToGatewayDeps,
  route: Route,
  event: EventOf<"reaction">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const { dictionary = [] } = blamingMessenger(() => deps.sessions.featuresOf(channel)).reactions ?? {};
  const { reaction: emoji } = event;
  const reaction = emoji === null ? null : (listedReaction(emoji, dictionary) ?? null);
  await gateway.setReaction(gatewayChannelId, { ...event, reaction }, signal);
  if (emoji === null || reaction !== null) return {};
  const messengerMessageId = `reaction:${fingerprint(event.key)}` as MessengerMessageId;
  const text = reactionText(emoji, languageFor(deps, route));
  return noteToGateway(deps, route, { ...event, type: "note", messengerMessageId, text }, signal);
}

async function noteToGateway(
  deps: ToGatewayDeps,
  route: Route,
  event: EventOf<"note">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const note = renderText(
    event,
    blamingMessenger(() => deps.sessions.writingOf(channel)),
  );
  const { gatewayMessageId } = await gateway.sendNote(gatewayChannelId, note, signal);
  return { gatewayMessageId };
}

/** English for a channel whose messenger is not installed: its acks still go out. */
const languageFor = ({ sessions }: ToGatewayDeps, { account, channel }: Route) =>
  agentsLanguage(account, sessions.adapter(channel.kind) ? sessions.open(channel).capabilities.language : "en");

/** The text in the language of the account's agents. */
const explainedTo = (deps: ToGatewayDeps, route: Route, text: string): string =>
  deps.explain(text, languageFor(deps, route));

/** Parts of an album that came late are a message of their own: limits the edit to the edited message's captions. */
async function withOwnCaptions(
  { store: { messages } }: ToGatewayDeps,
  { channel }: Route,
  event: EventOf<"edited">,
): Promise<EventOf<"edited">> {
  const { album, messengerMessageId } = event;
  if (!album) return event;
  const parts = await messages.parts(channel.id, messengerMessageId);
  const own = new Set(parts.map((part) => part.messengerMessageId));
  const captions = album.captions.filter((caption) => own.has(caption.messengerMessageId));
  return { ...event, ...albumText({ ...album, captions }) };
}

/** Edits at the gateway, which refuses unknown messages and some kinds. */
async function editAtGateway(
  deps: ToGatewayDeps,
  route: Route,
  event: EventOf<"edited">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const writing = blamingMessenger(() => deps.sessions.writingOf(channel));
  const whole = { type: "text", text: event.text, marks: event.marks } as const;
  const [first, ...rest] = fitted(whole, { writing, language: () => languageFor(deps, route) });
  const edited = renderText({ ...event, ...wordsIn(first) }, writing);
  const anew = await orSendAgain(deps, route, event, signal, () =>
    gateway.editMessage(gatewayChannelId, edited, signal),
  );
  if (anew) return anew;
  await changePieces(deps, route, event, rest, signal);
  return {};
}

/** If the gateway refuses the change for good, sends the event's replacement message. Undefined: it was made. */
async function orSendAgain(
  deps: ToGatewayDeps,
  route: Route,
  { key, chat, at, anew, messengerMessageId: quote }: EventOf<"edited"> | EventOf<"deleted">,
  signal: AbortSignal,
  change: () => Promise<unknown>,
): Promise<Outcome | undefined> {
  try {
    await change();
    return undefined;
  } catch (error) {
    if (!anew || !isRefused(error)) throw error;
    const { note } = await messageToGateway(deps, route, { type: "message", key, chat, at, quote, ...anew }, signal);
    return { note };
  }
}

async function messageToGateway(
  deps: ToGatewayDeps,
  route: Route,
  event: EventOf<"message">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const { session, writing } = blamingMessenger(() => ({
    session: deps.sessions.of(channel),
    writing: deps.sessions.writingOf(channel),
  }));
  const { quoted } = event;
  const said = quoted?.always ? prefixed(event.content, quoted.head) : event.content;
  const went =
    "files" in said
      ? await uploadFilesOf(deps, route, { event, said, session }, signal)
      : { content: said, files: [], late: [], lateBefore: [] };
  if (!went) return {};
  const { content: whole, files } = went;
  const before = quoted && !quoted.always ? quoted.head.length : 0;
  const [content, ...rest] = fitted(whole, { writing, before, language: () => languageFor(deps, route) });
  const at = { channel, gateway: fileGateway(event, gateway) };
  const avatar = await avatarOf(deps, at, session, event.customer, signal);
  const quote = event.quote && (await deps.store.messages.root(channel.id, event.quote));
  const written = {
    content: renderContent(content, writing),
    quoted: quoted && { ...quoted, head: renderText({ text: quoted.head }, writing).text },
    quote,
  };
  const message = { event: Object.assign({}, event, written), files, avatar };
  const posted = await gateway.sendMessage(gatewayChannelId, message, signal);
  if (rest.length > 0) await sendPieces(deps, route, event, rest, signal);
  // Before the job settles: a repeat after a crash is harmless, since the messenger recognizes it. Failure is ignored: the
  // gateway has the message, and a missing tick must not make it look undelivered.
  if (!event.late) await session.readMarks?.delivered(event, signal).catch(() => {});
  // A repeat gets no id: the gateway has an earlier attempt's message, perhaps with files that this attempt went
  // without.
  const late = posted.gatewayMessageId === undefined ? went.lateBefore : went.late;
  return {
    gatewayMessageId: posted.gatewayMessageId,
    note: "files" in said ? lateMessage(event, said, late) : undefined,
  };
}

interface FilesMessage {
  event: EventOf<"message">;
  said: FilesContent;
  session: ChannelSession;
}

interface SentFiles extends Uploaded {
  /** Files that earlier attempts left out and that may still come. */
  lateBefore: FilePart[];
}

/** Uploads files of recovered and imported messages as bulk: they leave last. */
const fileGateway = (event: RelayedEvent, gateway: Gateway): Gateway =>
  leavesLast(event) ? { ...gateway, uploadFile: (file, signal) => gateway.uploadFile(file, signal, "bulk") } : gateway;

/** Uploads the event's files. Undefined: the message was deleted. */
async function uploadFilesOf(
  deps: ToGatewayDeps,
  route: Route,
  { event, said, session }: FilesMessage,
  signal: AbortSignal,
): Promise<SentFiles | undefined> {
  const { clock, foreignAnswers } = deps;
  const { notes } = deps.store;
  const { gateway, channel, job } = route;
  const at = { channelId: channel.id, chat: event.chat };
  const own = { ...at, messengerMessageId: event.messengerMessageId };
  const { leftOut, came } = await lateFilesOf(notes, own);
  const language = languageFor(deps, route);
  const sides = { clock, session, gateway: fileGateway(event, gateway), language, leftOut };
  const lineAt = job.deadlineAt - INBOUND_PATIENCE_MS + LINE_MS;
  const watch: UploadDeps["watch"] = (file, act) => foreignAnswers.watch(job, file, act);
  const went = event.late
    ? await uploadLate(sides, said, event.late.words, signal)
    : await uploadFiles({ ...sides, lineAt, watch }, said, signal);
  // Record first: if the post gets no answer, the repeat must not carry more than the gateway has.
  const without = said.files.flatMap((part, n) => (went.late.includes(part) ? [n] : []));
  if (without.length > leftOut.length) await rememberLate(notes, own, { leftOut: without, came });
  if (event.late && event.quote) {
    const whole = { ...at, messengerMessageId: event.quote };
    const known = await lateFilesOf(notes, whole);
    if (known.isGone) return undefined;
    // Record first here, too: deleting a message that was never sent is harmless.
    if (!known.came.includes(own.messengerMessageId))
      await rememberLate(notes, whole, { ...known, came: [...known.came, own.messengerMessageId] });
  }
  return { ...went, lateBefore: said.files.filter((_, n) => leftOut.includes(n)) };
}

/** Customers also read what other programs sent from this login. The gateway refuses such marks; ignore that. */
async function readToGateway(
  { store: { messages } }: ToGatewayDeps,
  { gateway, gatewayChannelId, channel }: Route,
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
