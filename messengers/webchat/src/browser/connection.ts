import { claimContact } from "./contact-store.ts";
import { delayReason, postDrafts } from "./outbox.ts";
import { Busy, type Entry, isKin, type Opened, visitorIn } from "./protocol.ts";
import {
  applyEntry,
  applyError,
  applyPage,
  type ChatState,
  endChat,
  type Parts,
  showOnly,
  withChatErrors,
} from "./state.ts";

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
    applyError(parts, state, broken?.error, broken?.token);
    if (state.left) return;
    // Falls back to polling where streams do not work.
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
): Promise<{ error: unknown; token?: string } | undefined> {
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
        if (entry.type === "ended" && state.opened?.visitor.includes(entry.id))
          return endChat(parts, state, token ?? "");
        state.cursor = position;
        applyEntry(state, entry, position);
      }
      changed();
    },
  };
  let [error, token]: [unknown?, string?] = [];
  try {
    token = (state.opened && !state.closed ? state.opened : await enter(parts, state)).visitor;
    void postDrafts(parts, state);
    await server.follow(token, state.cursor, signal, on);
  } catch (reason) {
    error = reason;
  }
  if (Date.now() - began < STEADY_MS) return { error, token };
  state.backoff.reset();
  return undefined;
}

/** Rejects if the chat was left meanwhile, or belongs to another customer by now. */
async function enter(parts: Parts, state: ChatState): Promise<Opened> {
  const { server, memory, changed, user } = parts;
  // The message belongs to the previous visitor.
  await state.post;
  const [before, asked] = [memory.get("visitor"), user?.()];
  endIfTaken(parts, state, state.opened?.visitor ?? before);
  const opened = await server.open(before, asked);
  endIfTaken(parts, state, before);
  if (state.left || user?.()?.id !== asked?.id) {
    // Nobody else has the token, unless it is that of other tabs.
    if (!isKin(opened.visitor, before)) await server.logout(opened.visitor).catch(() => {});
    throw new Error("the chat was left");
  }
  // Another tab was first: both have the same visitor.
  const others = memory.get("visitor");
  if (!asked?.signature && others && others !== before) return enter(parts, state);
  const visitor = visitorIn(opened.visitor);
  // Also if more than a page was missed, which would leave a gap.
  if (state.shown !== visitor || (opened.older ?? 0) > state.cursor) {
    showOnly(state, undefined);
    showOnly(state, visitor);
    state.older = opened.older;
  }
  claimContact(memory, visitor);
  forsakeDrafts(state, visitor);
  memory.set("visitor", opened.visitor);
  Object.assign(state, { opened, closed: undefined, reopening: false, cursor: opened.cursor });
  applyPage(state, opened, opened.cursor);
  changed();
  return opened;
}

/** Another tab has logged out: where streams do not work, nothing else reports that. */
function endIfTaken(parts: Parts, state: ChatState, token: string | null): void {
  if (token && !parts.memory.get("visitor")) endChat(parts, state, token);
}

/** Unsent messages of visitors who have not come back to send them are dropped after this, ms. */
const FORSAKEN_MS = 7 * 86_400_000;

function forsakeDrafts({ drafts }: ChatState, own: string): void {
  for (const { id, visitor, at } of drafts.all())
    if (visitor && visitor !== own && Date.now() - at > FORSAKEN_MS) drafts.drop(id);
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
    const { visitor } = state.opened;
    const olderPage = parts.server.olderPage(visitor, before);
    const page = await withChatErrors(parts, state, olderPage, visitor);
    if (state.older !== before || state.opened?.visitor !== visitor) break;
    applyPage(state, page, before - 1);
    state.older = page.older;
  }
  parts.changed();
  return count() - known;
}
