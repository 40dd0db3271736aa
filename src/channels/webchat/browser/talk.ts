import { createDrafts, type Drafts } from "./drafts.ts";
import { createHistory, type History } from "./history.ts";
import type { Memory } from "./memory.ts";
import { createPause, type Pause } from "./pause.ts";
import { Closed, type Entry, type HistoryPage, type Opened, Refused, type Utm } from "./protocol.ts";
import type { Server } from "./server.ts";

export interface Parts {
  server: Server;
  memory: Memory;
  /** The page the visitor is on, and how they came to the site. */
  visit(): { page: string; utm?: Utm };
  /** Called after each change. */
  changed(): void;
}

/** What is known of the conversation at the moment. */
export interface Talk {
  history: History;
  drafts: Drafts;
  /** Between tries to reach the stream, and between tries to send. */
  pause: Pause;
  postPause: Pause;
  opened?: Opened;
  /** The newest known position, and the oldest if the server has more before it. */
  cursor: number;
  older?: number;
  online: boolean;
  /** Why it is not online, once that is known. */
  down?: "busy" | "offline";
  /** Why nothing is taken. */
  closed?: Closed["why"];
  /** Why drafts are not getting through. */
  stuck?: "busy" | "offline";
  left: boolean;
  resting: boolean;
  posting: boolean;
  stream: AbortController;
}

export const createTalk = (memory: Memory): Talk => ({
  history: createHistory(),
  drafts: createDrafts(memory),
  pause: createPause(),
  postPause: createPause(),
  cursor: 0,
  online: false,
  left: false,
  resting: false,
  posting: false,
  stream: new AbortController(),
});

/** Takes what the journal tells; a message of our own that is in it needs sending no more. */
export function take({ history, drafts }: Talk, entry: Entry, position?: number): void {
  history.take(entry, position);
  if (entry.type === "message" && entry.from === "visitor") drafts.drop(entry.id.split(".")[1] ?? "");
}

/** Takes a page that ends at a position. Its entries get positions in their order, below those of any later page. */
export function takePage(talk: Talk, { history }: HistoryPage, last: number): void {
  for (const [n, entry] of history.entries()) take(talk, entry, last - history.length + n + 1);
}

/** Reacts to errors that concern the whole chat: an unknown token means to open it anew, a closed chat to ask seldom. */
export function heed(talk: Talk, error: unknown): boolean {
  if (error instanceof Closed) talk.closed = error.why;
  else if (error instanceof Refused && error.status === 401) talk.opened = undefined;
  else return false;
  talk.stream.abort();
  return true;
}

/** Any request may find out that the chat is closed. */
export const heeding = <T>({ changed }: Parts, talk: Talk, asked: Promise<T>): Promise<T> =>
  asked.catch((error: unknown) => {
    if (heed(talk, error)) changed();
    throw error;
  });
