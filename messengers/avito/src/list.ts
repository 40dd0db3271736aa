import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { ChannelSession, Listed, Note } from "gangway-messenger/port";
import * as z from "zod";
import type { AvitoApi } from "./api.ts";
import { type About, type AskChat, aboutOf, type Known, notesOf, readAbout } from "./chats.ts";
import { LINES } from "./lines.ts";
import { askMessages, MAX_OFFSET, PAGE, SECOND_MS } from "./messages.ts";
import { chatKey, oursKey } from "./notes.ts";
import { ownPath } from "./paths.ts";
import { isOfAvito, readMessage } from "./reading.ts";
import { AvitoError } from "./verdict.ts";
import { type Context, chatList, chat as chatSchema, type WireChat, type WireMessage } from "./wire.ts";

// First the list of chats, those with the newest messages first; then the messages of each chat that has changed.

/** By default Avito lists only chats about listings. */
const TYPES = "u2i,u2u";
/** From this share of a minute's calls on the listing pauses for this long, ms: sending needs them. */
const [SPARING, REST_MS] = [0.25, 60_000];

const looking = z.object({
  /** Chats that have changed, yet to be read. */
  queue: z.array(z.string()),
  /** Offset in the list of chats; absent: it has been read. */
  chats: z
    .object({
      offset: z.number(),
      /** The time of a change down to which the listing goes, ms. */
      down: z.number(),
      /** The time with which the listing began, ms, unless this is its first page. */
      newest: z.number().optional(),
    })
    .optional(),
  /** Offset in the messages of the first chat. */
  offset: z.number(),
  /** Chats whose messages could not be read once. */
  failed: z.array(z.string()).optional(),
});
type Looking = z.infer<typeof looking>;
type Page = Pick<Listed, "completeFrom"> & { events: ChannelEvent[]; notes: Note[]; next?: Looking };

interface Parts {
  context: Context;
  api: AvitoApi;
  ask: AskChat;
}

export function listing(context: Context, api: AvitoApi, ask: AskChat): NonNullable<ChannelSession["list"]> {
  const parts = { context, api, ask };
  return async (since, after, signal) => {
    signal.throwIfAborted();
    const at: Looking =
      after === undefined
        ? { queue: [], chats: { offset: 0, down: since }, offset: 0 }
        : looking.parse(JSON.parse(after));
    const page = at.chats
      ? await chatsPage(parts, at, at.chats, since, signal)
      : await messagesPage(parts, at, since, signal);
    const { events, notes, completeFrom = 0, next } = page;
    return {
      ...{ events, notes, next: next && JSON.stringify(next) },
      ...(completeFrom > since && { completeFrom }),
      ...(api.left() < SPARING && { restMs: REST_MS }),
    };
  };
}

const updatedOf = ({ updated, last_message: last }: WireChat): number =>
  Math.max(updated ?? 0, last?.created ?? 0) * SECOND_MS;

async function askChats(api: AvitoApi, { limit, offset }: { limit: number; offset: number }, signal: AbortSignal) {
  const path = await ownPath(api, 2, "chats", signal);
  const query = { limit: String(limit), offset: String(offset), chat_types: TYPES };
  const { chats } = await api.call({ method: "GET", path, query, result: chatList, what: "the chats" }, signal);
  return chats;
}

async function chatsPage(
  { context, api }: Parts,
  { queue }: Looking,
  { offset, down, newest }: NonNullable<Looking["chats"]>,
  since: number,
  signal: AbortSignal,
): Promise<Page> {
  const all = await askChats(api, { limit: PAGE, offset }, signal);
  const chats = all.flatMap((each) => chatSchema.safeParse(each).data ?? []);
  const changed = chats.filter((chat) => updatedOf(chat) + SECOND_MS > down);
  const { events, notes } = await readLast({ context, api }, changed, since, signal);
  const waiting = [...new Set([...queue, ...changed.map(({ id }) => id)])];
  const began = newest ?? Math.max(0, ...chats.slice(0, 1).map(updatedOf));
  const isWhole = all.length < PAGE || changed.length === 0;
  if (!isWhole && offset < MAX_OFFSET)
    return {
      events,
      notes,
      next: { queue: waiting, chats: { offset: offset + PAGE, down, newest: began }, offset: 0 },
    };
  // Chats move while the list is paged through: those that have moved to the top are read once more.
  const isMoved = newest !== undefined && newest > down;
  const more = isMoved ? { chats: { offset: 0, down: newest } } : {};
  const next = isMoved || waiting.length > 0 ? { queue: waiting, ...more, offset: 0 } : undefined;
  // Chats that changed before the last one are not shown.
  const completeFrom = isWhole ? 0 : Math.min(...changed.map(updatedOf));
  return { events, notes, completeFrom, next };
}

/**
 * Reads last messages that began their chats: these chats need no call of their own. In other chats the last message
 * would come before those that it follows.
 */
async function readLast(
  { context, api }: Pick<Parts, "context" | "api">,
  chats: WireChat[],
  since: number,
  signal: AbortSignal,
): Promise<Page> {
  const page: Page = { events: [], notes: [] };
  const { id: ownId } = await api.self(signal);
  for (const chat of chats) {
    const about = aboutOf(chat, ownId);
    if (about) page.notes.push(...notesOf(chat.id, about, await context.notes.get(chatKey(chat.id))));
    const { created, last_message: last } = chat;
    if (last && created && last.created === created)
      await readListed(context, page, { chat: chat.id, ownId, since }, [last], about);
  }
  return page;
}

async function messagesPage(
  { context, api, ask }: Parts,
  at: Looking,
  since: number,
  signal: AbortSignal,
): Promise<Page> {
  const { queue, offset, failed } = at;
  const [chat, ...others] = queue as [string, ...string[]];
  const page: Page = { events: [], notes: [] };
  const asked = await askMessages(api, { chat: chat as ChatId, offset, from: since }, signal).catch((error: unknown) =>
    withoutChat({ context, api }, at, error, signal),
  );
  if (!("messages" in asked)) return asked;
  const { messages, goesOn } = asked;
  const { id: ownId } = await api.self(signal);
  const known = readAbout(await context.notes.get(chatKey(chat)));
  const about = known ?? (await aboutFrom(page, ask, chat as ChatId)) ?? authorIn(messages, ownId);
  await readListed(context, page, { chat, ownId, since }, messages, about);
  const completeFrom = about ? 0 : await unheardUntil(context, messages, ownId);
  if (goesOn && offset < MAX_OFFSET)
    return { ...page, completeFrom, next: { queue, offset: offset + PAGE, ...(failed && { failed }) } };
  return {
    ...page,
    completeFrom: Math.max(completeFrom, goesOn ? shownFrom(messages, context.clock.now()) : 0),
    next: nextOf(others, failed),
  };
}

const nextOf = (queue: string[], failed: string[] | undefined): Looking | undefined =>
  queue.length > 0 ? { queue, offset: 0, ...(failed && { failed }) } : undefined;

/** One chat blocks no others: it is tried once more after them, then skipped. */
async function withoutChat(
  { context, api }: Pick<Parts, "context" | "api">,
  { queue, failed = [] }: Looking,
  error: unknown,
  signal: AbortSignal,
): Promise<Page> {
  const [chat, ...others] = queue as [string, ...string[]];
  if (!(error instanceof DeliveryError) || signal.aborted || isOfAll(error)) throw error;
  const page: Page = { events: [], notes: [] };
  // It is gone, or closed to the account.
  if (error.verdict.type === "reject") return { ...page, next: nextOf(others, failed) };
  if (!failed.includes(chat)) return { ...page, next: nextOf([...others, chat], [...failed, chat]) };
  // If Avito does not answer at all, it is not about this chat.
  await askChats(api, { limit: 1, offset: 0 }, signal);
  return { ...page, completeFrom: context.clock.now(), next: nextOf(others, failed) };
}

/** Says nothing about the chat that was asked for. */
const isOfAll = (error: DeliveryError): boolean =>
  error.verdict.type === "reconnect" ||
  ("afterMs" in error.verdict && error.verdict.afterMs !== undefined) ||
  (error instanceof AvitoError && error.refusal.status === 503);

/** The time from which a list that ends early is complete, ms. If it begins with the oldest, the newest are missing. */
function shownFrom(messages: WireMessage[], now: number): number {
  const times = messages.flatMap(({ created }) => created ?? []);
  const [first, last] = [times[0], times.at(-1)];
  return first === undefined || last === undefined || last > first ? now : Math.min(...times) * SECOND_MS;
}

/** Finds the author in a chat if Avito does not state it. */
function authorIn(messages: WireMessage[], ownId: string): About | undefined {
  const other = messages.find((message) => message.author_id !== ownId && !isOfAvito({ message }));
  return other && { customer: { id: other.author_id, name: "" } };
}

/** A message of staff to an unknown customer cannot be reported. Returns the end of the last one, ms. */
async function unheardUntil({ notes }: Pick<Context, "notes">, messages: WireMessage[], ownId: string) {
  let until = 0;
  for (const { id, author_id: author, type, created } of messages)
    if (author === ownId && type !== "deleted" && !(await notes.get(oursKey(id))))
      until = Math.max(until, ((created ?? 0) + 1) * SECOND_MS);
  return until;
}

async function aboutFrom(page: Page, ask: AskChat, chat: ChatId): Promise<About | undefined> {
  const { about, notes } = await ask(chat);
  page.notes.push(...notes);
  return about;
}

interface Where {
  chat: string;
  ownId: string;
  since: number;
}

/** As webhooks would have brought them, oldest first. */
async function readListed(
  { settings, notes, clock }: Context,
  page: Page,
  { chat, ownId, since }: Where,
  messages: WireMessage[],
  about: About | undefined,
): Promise<void> {
  const reader = { notes, clock, lines: LINES[settings.language] };
  const known: Known = { ...(about && { about }), notes: [] };
  const wanted = messages.filter(
    (message) => !isOfAvito({ message }) && ((message.created ?? 0) + 1) * SECOND_MS > since,
  );
  for (const message of wanted.toReversed().toSorted((a, b) => (a.created ?? 0) - (b.created ?? 0))) {
    const said = { chat: chat as ChatId, ownId, message, isListed: true } as const;
    page.events.push(...(await readMessage(reader, said, async () => known)).events);
  }
}
