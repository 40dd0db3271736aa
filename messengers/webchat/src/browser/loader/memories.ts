import { type Items, type Memory, memoryOf } from "../memory.ts";

export interface Memories {
  /** Shared by all pages and tabs; and of this tab's pages only. */
  memory: Memory;
  session: Memory;
  /** Whether the visitor has opened the chat before: then there is a token. */
  isKnown(): boolean;
  allow(): void;
  /** The visitor has dismissed the greeting: a click, which this tab may remember. */
  sentAway(): void;
  forget(): void;
}

/** Stores nothing in the browser until the visitor has opened the chat, or the page says that they agree. */
export function createMemories(channel: string): Memories {
  let [allowed, clicked] = [false, false];
  const memory = memoryOf(
    channel,
    (): Items => localStorage,
    () => allowed,
  );
  const session = memoryOf(
    channel,
    (): Items => sessionStorage,
    () => allowed || clicked,
  );
  const isKnown = () => memory.get("visitor") !== null;
  allowed = isKnown();
  return {
    ...{ memory, session, isKnown },
    allow() {
      allowed = true;
      memory.keep();
      session.keep();
    },
    sentAway() {
      clicked = true;
      session.set("greeted", "1");
    },
    forget() {
      for (const each of [memory, session]) for (const name of each.names("")) each.set(name, null);
      allowed = false;
    },
  };
}
