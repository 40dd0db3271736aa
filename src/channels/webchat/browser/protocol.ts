/** What travels between widget and server; the server's side is `wire.ts`. */
export interface ShownFile {
  id: string;
  name: string;
  mediaType: string;
  size: number;
  image: boolean;
  width?: number;
  height?: number;
}
export interface Suggestion {
  type: "text" | "phone" | "email" | "url";
  title: string;
  payload?: string;
}
export interface MessageEntry {
  type: "message";
  from: "visitor" | "agent";
  id: string;
  text?: string;
  files: ShownFile[];
  quote?: { id?: string; text?: string };
  suggestions?: Suggestion[];
  author?: { name: string; bot: boolean };
  at: number;
}
export type Entry =
  | MessageEntry
  | { type: "edited"; id: string; text: string }
  | { type: "deleted" | "delivered" | "read"; id: string };

/** A page of the history, oldest first. */
export interface HistoryPage {
  history: Entry[];
  /** Position of the oldest, if there is more before it. */
  older?: number;
}
export interface Opened extends HistoryPage {
  visitor: string;
  title: string;
  greeting: string;
  accent: string;
  limits: { text: number; files: number; image: number; file: number };
  cursor: number;
}
export type Utm = Partial<Record<"source" | "medium" | "campaign" | "term" | "content", string>>;
/** A message on its way from here. `id` is made once and stays through every repeat. */
export interface Draft {
  id: string;
  text?: string;
  files: ShownFile[];
  quote?: { id: string; text?: string };
  /** What the agent asked for, where the text answers that. */
  answers?: "phone" | "email";
  page: string;
  utm?: Utm;
  at: number;
  /** Why the server refused it. */
  refused?: string;
}

/** What a message is called once it is stored. */
export const messageId = (visitor: string, draft: string): string => `${visitor.split(".")[0]}.${draft}`;

/** The server has too much to do, or this visitor asks too fast: it may be asked again after so many ms. */
export class Busy extends Error {
  readonly afterMs: number;
  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** The server said no: a repeat would change nothing. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** There is no such chat, or not for this site. Nothing is taken until it opens again. */
export class Closed extends Error {
  readonly why: "closed" | "elsewhere";
  constructor(why: Closed["why"], message: string) {
    super(message);
    this.why = why;
  }
}
