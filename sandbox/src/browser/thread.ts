import { type Api, pause, queryOf } from "./api.ts";
import type { Message, Reaction } from "./model.ts";
import { messageFrom, reactionsFrom, type WireMessage, type WireReaction } from "./wire.ts";

export interface Thread {
  chatId(): number | undefined;
  messages(): readonly Message[];
  get(id: number): Message | undefined;
  /** The first load is done; the chat may be empty. */
  loaded(): boolean;
  hasOlder(): boolean;
  open(chatId: number): Promise<void>;
  close(): void;
  older(): Promise<void>;
  /** Reloads what is loaded: events may have been missed. */
  resync(): Promise<void>;
  want(chatId: number, id: number): Promise<void>;
  apply(message: WireMessage, arrived: number, change: "new" | "updated" | "deleted"): void;
  forget(chatIds: number[]): void;
  onChange(listener: () => void): void;
}

interface Entry {
  message: Message;
  mark: number;
}
interface Conversation {
  chatId: number;
  entries: Map<number, Entry>;
  reactions: Record<string, Reaction[]>;
  loaded: boolean;
  hasOlder: boolean;
}

const PAGE = 50;
/** Debounce for walking through chats: only the last is loaded, ms. */
const WALK_MS = 200;
/** Conversations cached for instant reopening. */
const MAX_CACHED = 20;

export function createThread(api: Api): Thread {
  const kept = new Map<number, Conversation>();
  const listeners = new Set<() => void>();
  let marks = 0;
  let shown: Conversation | undefined;
  let olderAsked: Promise<void> | undefined;
  let openedAt = 0;
  const notify = (about: Conversation) => {
    if (about === shown) for (const listener of listeners) listener();
  };
  const page = async (of: Conversation, until?: number): Promise<WireMessage[]> => {
    const from = marks;
    const query = queryOf({ chat_id: of.chatId, limit: PAGE, until_id: until });
    const list = await api.bot<WireMessage[]>("GET", `/messages${query}`);
    merge(of, list, from);
    return list;
  };
  const reactions = async (of: Conversation): Promise<void> => {
    const from = marks;
    const path = `/chats/${of.chatId}/reactions`;
    const answer = await api.agent<{ reactions: Record<string, WireReaction[]> }>("GET", path);
    of.reactions = Object.fromEntries(Object.entries(answer.reactions).map(([id, list]) => [id, reactionsFrom(list)]));
    for (const [id, entry] of of.entries)
      if (entry.mark <= from) entry.message = { ...entry.message, reactions: of.reactions[id] ?? [] };
  };
  const refresh = async (of: Conversation): Promise<void> => {
    await Promise.all([pages(of, page, () => marks), reactions(of)]);
    of.loaded = true;
    notify(of);
  };
  return {
    chatId: () => shown?.chatId,
    messages: () => (shown ? ordered(shown) : []),
    get: (id) => shown?.entries.get(id)?.message,
    loaded: () => shown?.loaded ?? false,
    hasOlder: () => shown?.hasOlder ?? false,
    async open(chatId) {
      const known = kept.get(chatId) ?? { chatId, entries: new Map(), reactions: {}, loaded: false, hasOlder: false };
      shown = known;
      kept.delete(chatId);
      kept.set(chatId, known);
      for (const id of kept.keys()) if (kept.size > MAX_CACHED) kept.delete(id);
      notify(known);
      const walking = Date.now() - openedAt < WALK_MS;
      openedAt = Date.now();
      if (walking) await pause(WALK_MS);
      if (shown === known) await refresh(known);
    },
    close() {
      shown = undefined;
      for (const listener of listeners) listener();
    },
    async older() {
      const of = shown;
      if (!of?.hasOlder || !of.loaded || olderAsked) return;
      olderAsked = page(of, Math.min(...of.entries.keys())).then((list) => {
        of.hasOlder = list.length === PAGE;
      });
      await olderAsked.finally(() => {
        olderAsked = undefined;
      });
      notify(of);
    },
    resync: async () => shown && refresh(shown),
    async want(chatId, id) {
      const of = kept.get(chatId);
      if (!of || of.entries.has(id)) return;
      const from = marks;
      merge(of, await api.bot<WireMessage[]>("GET", `/messages${queryOf({ chat_id: chatId, id })}`), from);
      notify(of);
    },
    apply(wire, arrived, change) {
      const of = kept.get(wire.chat_id);
      marks++;
      const before = of?.entries.get(wire.id)?.message;
      // Messages older than the loaded range come with their page.
      if (!of || (!before && change !== "new" && wire.id < Math.min(...of.entries.keys()))) return;
      const fresh = messageFrom(wire, change === "new" ? arrived : undefined);
      const settled = { reactions: fresh.reactions ?? [], at: before?.at ?? fresh.at, deleted: change === "deleted" };
      of.entries.set(wire.id, { message: { ...fresh, ...settled }, mark: marks });
      notify(of);
    },
    forget(chatIds) {
      for (const id of chatIds) kept.delete(id);
    },
    onChange: (listener) => void listeners.add(listener),
  };
}

/** Reloads from the newest to the oldest loaded message; what a page lacks was deleted. */
async function pages(
  of: Conversation,
  page: (of: Conversation, until?: number) => Promise<WireMessage[]>,
  mark: () => number,
): Promise<void> {
  const from = mark();
  const oldest = of.entries.size > 0 ? Math.min(...of.entries.keys()) : Number.POSITIVE_INFINITY;
  const seen = new Set<number>();
  let until: number | undefined;
  for (;;) {
    const list = await page(of, until);
    for (const { id } of list) seen.add(id);
    const reached = list.length > 0 ? Math.min(...seen) : 0;
    const whole = list.length < PAGE || reached === until;
    if (whole || !of.loaded || reached <= oldest) {
      if (whole || reached < oldest) of.hasOlder = !whole;
      const first = whole ? 0 : reached;
      for (const [id, entry] of of.entries)
        if (id >= first && !seen.has(id) && entry.mark <= from)
          entry.message = { ...entry.message, deleted: true, actions: [] };
      return;
    }
    until = reached;
  }
}

function merge(of: Conversation, list: WireMessage[], mark: number): void {
  for (const wire of list) {
    const before = of.entries.get(wire.id);
    if (before && before.mark > mark) continue;
    const message = messageFrom(wire);
    message.reactions ??= before?.message.reactions ?? of.reactions[wire.id];
    of.entries.set(wire.id, { message, mark });
  }
}

const ordered = (of: Conversation): Message[] =>
  [...of.entries.values()].map(({ message }) => message).sort((a, b) => a.at - b.at || a.id - b.id);
