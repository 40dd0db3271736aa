import { type Channel, type Chat, openDialog, type Person, wordsOf } from "./model.ts";
import { channelName } from "./names.ts";
import { channelFrom, chatFrom, type WireChannel, type WireChat } from "./wire.ts";

export type Filter = "all" | "unread" | "mine" | "nobody";

/** All known chats, and the filtered list. */
export interface Chats {
  get(id: number | undefined): Chat | undefined;
  channelOf(chat: Chat | undefined): Channel | undefined;
  /** Ids that pass search and filter, last active first. */
  shown(): readonly number[];
  total(): number;
  unread(): number;
  search(text: string): void;
  filter(filter: Filter): void;
  /** The open chat stays listed, whatever the filter. */
  pin(id: number | undefined): void;
  /** Event counter: a list requested at this mark does not overwrite chats updated later. */
  mark(): number;
  put(chat: WireChat): void;
  merge(list: WireChat[], mark: number): void;
  /** The agent has read it. */
  seen(id: number): void;
  remove(ids: number[]): void;
  /** After a full listing: removes what it lacked. */
  keepOnly(ids: Set<number>, mark: number): void;
  putCustomer(customer: Person): void;
  putChannel(channel: WireChannel): void;
  /** Called soon after changes, batched. */
  onChange(listener: (changed: ReadonlySet<number>) => void): void;
}

const SOON_MS = 16;

const filters: Record<Filter, (chat: Chat, me: number) => boolean> = {
  all: () => true,
  unread: (chat) => chat.unread > 0,
  mine: (chat, me) => openDialog(chat)?.responsible?.id === me,
  nobody: (chat) => openDialog(chat) !== undefined && !openDialog(chat)?.responsible,
};

interface Entry {
  chat: Chat;
  mark: number;
}

export function createChats(me: number): Chats {
  const entries = new Map<number, Entry>();
  const channels = new Map<number, Channel>();
  const { touched, onChange } = createChanges();
  let marks = 0;
  let order: number[] | undefined;
  let words: string[] = [];
  let wanted: Filter = "all";
  let pinned: number | undefined;
  const notify = (id: number) => {
    order = undefined;
    touched(id);
  };
  const keep = (wire: WireChat, mark: number) => {
    if (wire.channel) channels.set(wire.channel.id, channelFrom(wire.channel));
    const chat = chatFrom(wire);
    chat.members ??= entries.get(chat.id)?.chat.members;
    entries.set(chat.id, { chat, mark });
    notify(chat.id);
  };
  const passes = (chat: Chat) => {
    if (chat.id !== pinned && !filters[wanted](chat, me)) return false;
    if (words.length === 0) return true;
    const text = haystack(chat, channels.get(chat.channelId));
    return words.every((word) => text.includes(word));
  };
  const sorted = () => {
    const passing = [...entries.values()].map(({ chat }) => chat).filter(passes);
    return passing.sort(later).map((chat) => chat.id);
  };
  const shown = () => {
    order ??= sorted();
    return order;
  };
  return {
    get: (id) => (id === undefined ? undefined : entries.get(id)?.chat),
    channelOf: (chat) => chat && channels.get(chat.channelId),
    shown,
    total: () => entries.size,
    unread: () => [...entries.values()].filter(({ chat }) => chat.unread > 0).length,
    search(text) {
      words = text.toLowerCase().split(/\s+/).filter(Boolean);
      notify(0);
    },
    filter(filter) {
      wanted = filter;
      notify(0);
    },
    pin(id) {
      pinned = id;
      notify(0);
    },
    mark: () => marks,
    put: (chat) => keep(chat, ++marks),
    merge(list, mark) {
      for (const chat of list) if ((entries.get(chat.id)?.mark ?? 0) <= mark) keep(chat, mark);
    },
    seen(id) {
      const entry = entries.get(id);
      if (entry) entry.chat = { ...entry.chat, unread: 0 };
      notify(id);
    },
    remove(ids) {
      marks++;
      for (const id of ids) if (entries.delete(id)) notify(id);
    },
    keepOnly(ids, mark) {
      for (const [id, entry] of entries) if (!ids.has(id) && entry.mark <= mark && entries.delete(id)) notify(id);
    },
    putCustomer(customer) {
      marks++;
      for (const [id, { chat }] of entries) {
        if (chat.customer?.id !== customer.id) continue;
        entries.set(id, { chat: { ...chat, customer, name: customer.name }, mark: marks });
        notify(id);
      }
    },
    putChannel(channel) {
      channels.set(channel.id, channelFrom(channel));
      for (const [id, { chat }] of entries) if (chat.channelId === channel.id) notify(id);
    },
    onChange,
  };
}

function createChanges() {
  const listeners = new Set<(changed: ReadonlySet<number>) => void>();
  let changed = new Set<number>();
  const tell = () => {
    const batch = changed;
    changed = new Set();
    for (const listener of listeners) listener(batch);
  };
  return {
    touched(id: number) {
      if (changed.size === 0) setTimeout(tell, SOON_MS);
      changed.add(id);
    },
    onChange(listener: (changed: ReadonlySet<number>) => void) {
      listeners.add(listener);
    },
  };
}

/** Chat times are whole seconds; message ids break ties. */
const later = (a: Chat, b: Chat): number =>
  b.lastActivity - a.lastActivity || (b.lastMessage?.id ?? 0) - (a.lastMessage?.id ?? 0) || b.id - a.id;

function haystack({ name, customer, lastMessage }: Chat, channel: Channel | undefined): string {
  const parts = [name, customer?.username, customer?.phone, customer?.email, lastMessage && wordsOf(lastMessage)];
  return [...parts, channel && channelName(channel), channel?.name].join("\n").toLowerCase();
}
