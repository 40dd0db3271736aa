import { delayReason, postDrafts } from "./outbox.ts";
import { Busy, type Entry, type Opened } from "./protocol.ts";
import { applyEntry, applyError, applyPage, type ChatState, type Parts, withChatErrors } from "./state.ts";

/** Interval of retries while the chat is closed, ms. */
const CLOSED_MS = 60_000;
/** A stream that breaks sooner counts as failed, ms. */
const STEADY_MS = 5_000;

/** Follows the chat while the page is open; reconnects when the stream breaks. */
export async function stayOnline(parts: Parts, state: ChatState): Promise<void> {
  while (!state.left) {
    state.stream = new AbortController();
    const { signal } = state.stream;
    const broken = await followOnce(parts, state, signal);
    applyError(state, broken?.error);
    // Poll where streams do not work.
    const polls = broken && state.opened && !state.closed && !signal.aborted;
    state.online = polls ? await canEnter(parts, state) : false;
    state.down = delayReason(broken?.error) ?? "offline";
    parts.changed();
    const atLeast = state.closed ? CLOSED_MS : broken?.error instanceof Busy ? broken.error.afterMs : 0;
    do await state.backoff.wait(atLeast);
    while (state.resting && !state.left);
  }
}

/** Resolves when the stream ends; with its error, unless it worked for STEADY_MS. */
async function followOnce(
  parts: Parts,
  state: ChatState,
  signal: AbortSignal,
): Promise<{ error: unknown } | undefined> {
  const { server, changed } = parts;
  let began = Number.POSITIVE_INFINITY;
  const on = {
    open() {
      began = Date.now();
      state.online = true;
      changed();
    },
    entries(all: [Entry, number][]) {
      for (const [entry, position] of all) {
        if (entry.type === "ended" && state.opened?.visitor.includes(entry.id)) return leaveToken(parts, state);
        state.cursor = position;
        applyEntry(state, entry, position);
      }
      changed();
    },
  };
  let error: unknown;
  try {
    const { visitor } = state.opened && !state.closed ? state.opened : await enter(parts, state);
    void postDrafts(parts, state);
    await server.follow(visitor, state.cursor, signal, on);
  } catch (reason) {
    error = reason;
  }
  if (Date.now() - began < STEADY_MS) return { error };
  state.backoff.reset();
  return undefined;
}

/** Another tab, or the shop's page there, has ended it. */
function leaveToken({ memory }: Parts, state: ChatState): void {
  memory.set("visitor", null);
  state.opened = undefined;
  state.stream.abort();
}

async function enter({ server, memory, changed, user }: Parts, state: ChatState): Promise<Opened> {
  const opened = await server.open(memory.get("visitor"), user?.());
  // Also if more than a page was missed, which would leave a gap.
  if (opened.visitor !== memory.get("visitor") || (opened.older ?? 0) > state.cursor) {
    state.history.clear();
    state.older = opened.older;
  }
  memory.set("visitor", opened.visitor);
  Object.assign(state, { opened, closed: undefined, cursor: opened.cursor });
  applyPage(state, opened, opened.cursor);
  changed();
  return opened;
}

const canEnter = async (parts: Parts, state: ChatState): Promise<boolean> =>
  withChatErrors(parts, state, enter(parts, state)).then(
    () => true,
    () => false,
  );

/** Loads older pages until there is a new message; resolves with their number. Rejects as the server does. */
export async function readBack(parts: Parts, state: ChatState): Promise<number> {
  const count = () => state.history.messages().length;
  const known = count();
  while (state.opened && state.older !== undefined && count() === known) {
    const before = state.older;
    const page = await withChatErrors(parts, state, parts.server.olderPage(state.opened.visitor, before));
    if (state.older !== before) break;
    applyPage(state, page, before - 1);
    state.older = page.older;
  }
  parts.changed();
  return count() - known;
}
