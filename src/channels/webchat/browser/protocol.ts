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

export interface Opened {
  visitor: string;
  title: string;
  greeting: string;
  accent: string;
  limits: { text: number; files: number; image: number; file: number };
  history: Entry[];
  cursor: number;
}
/** A message on its way from here. `id` is made once and stays through every repeat. */
export interface Draft {
  id: string;
  text?: string;
  files: ShownFile[];
  quote?: { id: string; text?: string };
  page: string;
  at: number;
  /** Why the server refused it. */
  refused?: string;
}

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
