import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelSession, Listed } from "gangway-messenger/port";
import * as z from "zod";
import type { Login } from "./login.ts";
import { isOurs, isOut, readMessages } from "./reading/reading.ts";
import { ANSWER_BYTES, isPerson, type Message, message } from "./wire.ts";

// Reads conversations, those with the newest messages first (messages.getConversations), and the history of each that
// has changed (messages.getHistory).

/** Conversations and messages per call. */
const [CONVERSATIONS, MESSAGES] = [100, 200];
/** Histories per page: many conversations have changed by a message or two. */
export const CALLS_PER_PAGE = 5;
/** The list gives whole seconds. */
const SECOND_MS = 1_000;

const conversation = z.object({
  conversation: z.object({ peer: z.object({ id: z.int() }) }),
  last_message: z.object({ date: z.number() }),
});
const conversations = z.object({ items: z.array(z.unknown()) });
const history = z.object({ items: z.array(z.unknown()) });

/**
 * `offset`: of the next conversations; `peers`: those whose history is read first, from `skip` on. `oldest`: the time
 * down to which the listing goes, ms; `newest`: the time with which it began, unless it has not begun; `failed`: those
 * whose history could not be read once.
 */
const cursor = z.object({
  offset: z.int().min(0),
  peers: z.array(z.int()),
  skip: z.int().min(0),
  isLast: z.boolean(),
  oldest: z.number(),
  newest: z.number().optional(),
  failed: z.array(z.int()).optional(),
});
type Cursor = z.infer<typeof cursor>;
const begun = (oldest: number): Cursor => ({ offset: 0, peers: [], skip: 0, isLast: false, oldest });

/** Lists messages of customers and staff. */
export function listing(login: Login): NonNullable<ChannelSession["list"]> {
  return async (since, after, signal) => {
    signal.throwIfAborted();
    const at = after === undefined ? begun(since) : cursor.parse(JSON.parse(after));
    if (at.peers.length === 0) return listed(await changed(login, at, signal));
    const { messages, at: next, completeFrom = 0 } = await histories(login, at, since, signal);
    const page = listed(next, await readMessages(login, messages, signal));
    return { ...page, ...(completeFrom > since && { completeFrom }) };
  };
}

interface Page extends Pick<Listed, "completeFrom"> {
  /** Of each history the oldest first, as webhooks would have brought them. */
  messages: Message[];
  at: Cursor;
}

function listed(at: Cursor, { events, notes }: Pick<Listed, "events" | "notes"> = { events: [], notes: [] }): Listed {
  const next = followedBy(at);
  return { events, notes, ...(next && { next: JSON.stringify(next) }) };
}

/** Conversations move while they are paged through: those that have moved to the top are read once more. */
function followedBy(at: Cursor): Cursor | undefined {
  if (at.peers.length > 0 || !at.isLast) return at;
  const { newest } = at;
  // Nothing has changed since the listing began.
  return newest === undefined || newest <= at.oldest ? undefined : begun(newest + SECOND_MS);
}

async function changed({ api }: Login, at: Cursor, signal: AbortSignal): Promise<Cursor> {
  const params = { offset: at.offset, count: CONVERSATIONS, filter: "all" };
  const request = { method: "messages.getConversations", params, result: conversations, maxBytes: ANSWER_BYTES };
  const { items } = await api.call(request, signal);
  const read = items.flatMap((each) => conversation.safeParse(each).data ?? []);
  const timeOf = ({ last_message: last }: (typeof read)[number]) => last.date * SECOND_MS;
  const fresh = read.filter((each) => timeOf(each) + SECOND_MS > at.oldest);
  const peers = fresh.map((each) => each.conversation.peer.id).filter(isPerson);
  const isLast = fresh.length < read.length || items.length < CONVERSATIONS;
  const newest = at.newest ?? (read[0] ? timeOf(read[0]) : undefined);
  return { ...at, offset: at.offset + items.length, peers, skip: 0, isLast, failed: [], ...(newest && { newest }) };
}

/** As many as fit on a page, or up to one that fails. */
async function histories(login: Login, from: Cursor, since: number, signal: AbortSignal): Promise<Page> {
  const messages: Message[] = [];
  let at = from;
  for (let call = 0; call < CALLS_PER_PAGE && at.peers.length > 0; call++) {
    try {
      const more = await written(login, at, since, signal);
      messages.push(...more.messages);
      at = more.at;
    } catch (error) {
      return { messages, ...(await without(login, at, error, signal)) };
    }
  }
  return { messages, at };
}

/** One history blocks no others: it is tried once more after them, then skipped. */
async function without(
  { api, context: { clock } }: Login,
  at: Cursor,
  error: unknown,
  signal: AbortSignal,
): Promise<Omit<Page, "messages">> {
  const { peers, failed = [] } = at;
  const [peer, ...others] = peers as [number, ...number[]];
  if (!(error instanceof DeliveryError) || signal.aborted || isOfAll(error)) throw error;
  const isRefused = error.verdict.type === "reject";
  if (!isRefused && !failed.includes(peer))
    return { at: { ...at, peers: [...others, peer], skip: 0, failed: [...failed, peer] } };
  // If VK does not answer at all, it is not about this chat.
  if (!isRefused)
    await api.call({ method: "messages.getConversations", params: { count: 1 }, result: z.unknown() }, signal);
  return { at: { ...at, peers: others, skip: 0 }, completeFrom: clock.now() };
}

/** Says nothing about the chat that was asked for. */
const isOfAll = ({ verdict }: DeliveryError): boolean =>
  verdict.type === "reconnect" || ("afterMs" in verdict && verdict.afterMs !== undefined);

/** A part of the first one's history, newest first. */
async function written(login: Login, at: Cursor, since: number, signal: AbortSignal): Promise<Page> {
  const [peer] = at.peers;
  const params = { peer_id: peer, count: MESSAGES, offset: at.skip };
  const request = { method: "messages.getHistory", params, result: history, maxBytes: ANSWER_BYTES };
  const { items } = await login.api.call(request, signal);
  const read = items.flatMap((each) => message.safeParse(each).data ?? []);
  const fresh = read.filter(({ date }) => ((date ?? 0) + 1) * SECOND_MS > since);
  const isOver = fresh.length < read.length || items.length < MESSAGES;
  const peers = isOver ? at.peers.slice(1) : at.peers;
  return {
    messages: await othersIn(login, fresh.toReversed()),
    at: { ...at, peers, skip: isOver ? 0 : at.skip + items.length },
  };
}

/** Without messages that the channel sent itself. */
async function othersIn(login: Login, messages: Message[]): Promise<Message[]> {
  const others: Message[] = [];
  for (const each of messages) if (!isOut(each) || !(await isOurs(login, each))) others.push(each);
  return others;
}
