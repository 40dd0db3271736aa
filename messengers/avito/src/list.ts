import type { ChatId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { ChannelSession, Listed, Note } from "gangway-messenger/port";
import * as z from "zod";
import type { AvitoApi } from "./api.ts";
import { type About, type AskChat, aboutOf, type Known, notesOf, readAbout } from "./chats.ts";
import { LINES } from "./lines.ts";
import { askMessages, MAX_OFFSET, PAGE, SECOND_MS } from "./messages.ts";
import { chatKey } from "./notes.ts";
import { ownPath } from "./paths.ts";
import { isOfAvito, readMessage } from "./reading.ts";
import { AvitoError } from "./verdict.ts";
import { type Context, chatList, chat as chatSchema, type WireChat, type WireMessage } from "./wire.ts";

// First the list of chats, those with the newest messages first; then the messages of each chat that has changed.

/** By default Avito lists chats about listings alone. */
const TYPES = "u2i,u2u";
/** From this share of a minute's calls on the list rests, ms: sending needs them. */
const [SPARING, REST_MS] = [0.25, 60_000];

const looking = z.object({
  /** Chats that have changed, yet to be read. */
  queue: z.array(z.string()),
  /** Into the list of chats; absent: that has been read. */
  chats: z
    .object({
      offset: z.number(),
      /** The look goes down to this time of a change, ms. */
      down: z.number(),
      /** What the look began with, ms, unless this is its first page. */
      newest: z.number().optional(),
    })
    .optional(),
  /** Into the messages of the first chat. */
  offset: z.number(),
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

async function chatsPage(
  { context, api }: Parts,
  { queue }: Looking,
  { offset, down, newest }: NonNullable<Looking["chats"]>,
  since: number,
  signal: AbortSignal,
): Promise<Page> {
  const path = await ownPath(api, 2, "chats", signal);
  const query = { limit: String(PAGE), offset: String(offset), chat_types: TYPES };
  const request = { method: "GET", path, query, result: chatList, what: "the chats" } as const;
  const { chats: all } = await api.call(request, signal);
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
  // Chats move while the list is paged through: those that have moved to its head are looked at once more.
  const isMoved = newest !== undefined && newest > down;
  const more = isMoved ? { chats: { offset: 0, down: newest } } : {};
  const next = isMoved || waiting.length > 0 ? { queue: waiting, ...more, offset: 0 } : undefined;
  // Those that changed before the last one are not shown.
  const completeFrom = isWhole ? 0 : Math.min(...changed.map(updatedOf));
  return { events, notes, completeFrom, next };
}

/** A chat that began with its last message needs no call of its own for that; of others it would come before those that it follows. */
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
  { queue, offset }: Looking,
  since: number,
  signal: AbortSignal,
): Promise<Page> {
  const [chat, ...others] = queue as [string, ...string[]];
  const page: Page = { events: [], notes: [] };
  const { messages, goesOn } = await orNone(askMessages(api, { chat: chat as ChatId, offset, from: since }, signal));
  const { id: ownId } = await api.self(signal);
  const known = readAbout(await context.notes.get(chatKey(chat)));
  const about = known ?? (await asked(page, ask, chat as ChatId));
  await readListed(context, page, { chat, ownId, since }, messages, about);
  if (goesOn && offset < MAX_OFFSET) return { ...page, next: { queue, offset: offset + PAGE } };
  const completeFrom = goesOn ? Math.min(...messages.map(({ created }) => (created ?? 0) * SECOND_MS)) : 0;
  return { ...page, completeFrom, ...(others.length > 0 && { next: { queue: others, offset: 0 } }) };
}

/** A chat that is gone, or closed to the account, holds up no others. */
const orNone = (asking: ReturnType<typeof askMessages>): ReturnType<typeof askMessages> =>
  asking.catch((error: unknown) => {
    if (error instanceof AvitoError && error.verdict.type === "reject") return { messages: [], goesOn: false };
    throw error;
  });

async function asked(page: Page, ask: AskChat, chat: ChatId): Promise<About | undefined> {
  const { about, notes } = await ask(chat);
  page.notes.push(...notes);
  return about;
}

interface Where {
  chat: string;
  ownId: string;
  since: number;
}

/** As webhooks would have brought them, the oldest first. */
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
