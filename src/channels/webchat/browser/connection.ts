import { postDrafts, whyStuck } from "./outbox.ts";
import { Busy, type Entry, type Opened } from "./protocol.ts";
import { heed, heeding, type Parts, type Talk, take, takePage } from "./talk.ts";

/** How often a closed chat is tried again, ms. */
const CLOSED_MS = 60_000;
/** A stream that breaks sooner does not work here, ms. */
const STEADY_MS = 5_000;

/** Follows the chat while the page is open, and reconnects whenever it is lost. */
export async function stayOnline(parts: Parts, talk: Talk): Promise<void> {
  while (!talk.left) {
    talk.stream = new AbortController();
    const { signal } = talk.stream;
    const broken = await followOnce(parts, talk, signal);
    heed(talk, broken?.error);
    // Where streams do not work, the chat goes on by polling.
    const asks = broken && talk.opened && !talk.closed && !signal.aborted;
    talk.online = asks ? await canEnter(parts, talk) : false;
    talk.down = whyStuck(broken?.error) ?? "offline";
    parts.changed();
    const atLeast = talk.closed ? CLOSED_MS : broken?.error instanceof Busy ? broken.error.afterMs : 0;
    do await talk.pause.wait(atLeast);
    while (talk.resting && !talk.left);
  }
}

/** Resolves when the stream ends; with the error, unless the stream was working until then. */
async function followOnce(parts: Parts, talk: Talk, signal: AbortSignal): Promise<{ error: unknown } | undefined> {
  const { server, changed } = parts;
  let began = Number.POSITIVE_INFINITY;
  const on = {
    open() {
      began = Date.now();
      talk.online = true;
      changed();
    },
    entries(all: [Entry, number][]) {
      for (const [entry, position] of all) {
        talk.cursor = position;
        take(talk, entry, position);
      }
      changed();
    },
  };
  let error: unknown;
  try {
    const { visitor } = talk.opened && !talk.closed ? talk.opened : await enter(parts, talk);
    void postDrafts(parts, talk);
    await server.follow(visitor, talk.cursor, signal, on);
  } catch (reason) {
    error = reason;
  }
  if (Date.now() - began < STEADY_MS) return { error };
  talk.pause.reset();
  return undefined;
}

async function enter({ server, memory, changed }: Parts, talk: Talk): Promise<Opened> {
  const opened = await server.open(memory.get("visitor"));
  // Also when more was written meanwhile than one page holds: else a hole would stay.
  if (opened.visitor !== memory.get("visitor") || (opened.older ?? 0) > talk.cursor) {
    talk.history.clear();
    talk.older = opened.older;
  }
  memory.set("visitor", opened.visitor);
  Object.assign(talk, { opened, closed: undefined, cursor: opened.cursor });
  takePage(talk, opened, opened.cursor);
  changed();
  return opened;
}

const canEnter = async (parts: Parts, talk: Talk): Promise<boolean> =>
  heeding(parts, talk, enter(parts, talk)).then(
    () => true,
    () => false,
  );

/** Loads older pages until there is at least one more message; resolves with how many. Rejects as the server does. */
export async function readBack(parts: Parts, talk: Talk): Promise<number> {
  const count = () => talk.history.messages().length;
  const known = count();
  while (talk.opened && talk.older !== undefined && count() === known) {
    const before = talk.older;
    const page = await heeding(parts, talk, parts.server.past(talk.opened.visitor, before));
    if (talk.older !== before) break;
    takePage(talk, page, before - 1);
    talk.older = page.older;
  }
  parts.changed();
  return count() - known;
}
