import { type Backoff, createBackoff } from "./backoff.ts";
import { dropContact } from "./contact-store.ts";
import { createDrafts, type Drafts } from "./drafts.ts";
import { createHistory, type History } from "./history.ts";
import type { Memory } from "./memory.ts";
import {
  Closed,
  type Contact,
  type Entry,
  type HistoryPage,
  isKin,
  type Opened,
  Refused,
  type SignedUser,
  type Utm,
  visitorIn,
} from "./protocol.ts";
import type { Server } from "./server.ts";

export interface Parts {
  server: Server;
  memory: Memory;
  /** The current page, UTM tags of the visit, and what is known of the visitor. */
  visit(): { page: string; title?: string; utm?: Utm; contact?: Contact };
  /** The shop's own customer, if it has signed one. */
  user?(): SignedUser | undefined;
  /** The token has ended: the chat was left, and is not opened again by itself. */
  ended?(): void;
  /** The visitor has written something. */
  said?(text: string): void;
  /** Redraws; call it after each change. */
  changed(): void;
}

export interface ChatState {
  history: History;
  drafts: Drafts;
  /** Backoff between attempts to open the stream, and between attempts to send. */
  backoff: Backoff;
  postBackoff: Backoff;
  opened?: Opened;
  /** The id of the visitor whose messages `history` contains. */
  shown?: string;
  /** Newest known position, and oldest if the server has older entries. */
  cursor: number;
  older?: number;
  online: boolean;
  /** Why it is offline, once known. */
  down?: "busy" | "offline";
  /** Why the chat accepts no messages. */
  closed?: Closed["why"];
  /** Why drafts are not sent. */
  stuck?: "busy" | "offline";
  left: boolean;
  resting: boolean;
  /** The page has named another customer, whose chat is not open yet. */
  reopening: boolean;
  posting: boolean;
  /** The post under way. */
  post?: Promise<unknown>;
  stream: AbortController;
}

export const createState = (memory: Memory): ChatState => ({
  history: createHistory(),
  drafts: createDrafts(memory),
  backoff: createBackoff(),
  postBackoff: createBackoff(),
  cursor: 0,
  online: false,
  left: false,
  resting: false,
  reopening: false,
  posting: false,
  stream: new AbortController(),
});

/** Applies a journal entry. Drops the draft if the entry is its message. */
export function applyEntry({ history, drafts }: ChatState, entry: Entry, position?: number): void {
  history.take(entry, position);
  if (entry.type === "message" && entry.from === "visitor") drafts.drop(entry.id.split(".")[1] ?? "");
}

/** Applies a page that ends at position `last`. Positions within the page are assigned, but keep the order. */
export function applyPage(state: ChatState, { history }: HistoryPage, last: number): void {
  for (const [n, entry] of history.entries()) applyEntry(state, entry, last - history.length + n + 1);
}

/** Shows nothing of another visitor. */
export function showOnly(state: ChatState, visitor: string | undefined): void {
  if (state.shown === visitor) return;
  state.history.clear();
  state.older = undefined;
  state.shown = visitor;
}

/** The token has ended, perhaps in another tab: its chat is hidden, and no other is opened, until somebody opens it. */
export function endChat({ memory, ended, changed }: Parts, state: ChatState, token: string): void {
  // Another tab may have a new one.
  if (isKin(token, memory.get("visitor"))) memory.set("visitor", null);
  // Nobody will send their unsent messages.
  for (const { id, visitor } of state.drafts.all()) if (visitor === visitorIn(token)) state.drafts.drop(id);
  dropContact(memory, visitorIn(token));
  state.opened = undefined;
  showOnly(state, undefined);
  leaveChat(state);
  changed();
  ended?.();
}

export function leaveChat(state: ChatState): void {
  state.left = true;
  state.stream.abort();
  state.backoff.wake();
  state.postBackoff.wake();
}

/** Handles errors that concern the whole chat: 401 ends it, if `token` is still its own; Closed makes it retry rarely. */
export function applyError(parts: Parts, state: ChatState, error: unknown, token?: string): boolean {
  if (error instanceof Closed) {
    state.closed = error.why;
    state.stream.abort();
    return true;
  }
  if (!token || token !== state.opened?.visitor || !(error instanceof Refused) || error.status !== 401) return false;
  endChat(parts, state, token);
  return true;
}

/** Applies errors of any request that concern the whole chat. `token`: that of the request. */
export const withChatErrors = <T>(parts: Parts, state: ChatState, request: Promise<T>, token?: string): Promise<T> =>
  request.catch((error: unknown) => {
    if (applyError(parts, state, error, token)) parts.changed();
    throw error;
  });
