import type { Journal, JournalEntry } from "../../channels/hosted.ts";
import type { ChannelId, ChatId } from "../../domain/ids.ts";
import type { JournalChat } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";

/** Each channel's journal, and who waits for news in a chat. */
export interface Journals {
  of(channelId: ChannelId): Journal;
  /** To be called after entries were committed by other code. */
  announce(channelId: ChannelId, entries: JournalEntry[]): void;
}

export function createJournals(store: Pick<Store, "journal">): Journals {
  const watchers = new Map<string, { of: JournalChat; waiting: Set<() => void> }>();
  const keyOf = (channelId: ChannelId, chat: string) => `${channelId}/${chat}`;

  const wakeAll = (channelId: ChannelId, chat: string) => {
    for (const wake of watchers.get(keyOf(channelId, chat))?.waiting ?? []) wake();
  };
  const announce = (channelId: ChannelId, entries: JournalEntry[]) => {
    for (const chat of new Set(entries.map((entry) => entry.chat))) wakeAll(channelId, chat);
  };
  store.journal.follow(
    () => [...watchers.values()].map(({ of }) => of),
    (chat) => wakeAll(...chat),
  );

  const watch = (channelId: ChannelId, chat: ChatId, wake: () => void) => {
    const key = keyOf(channelId, chat);
    const watched = watchers.get(key) ?? { of: [channelId, chat], waiting: new Set() };
    watchers.set(key, watched);
    watched.waiting.add(wake);
    return () => {
      watched.waiting.delete(wake);
      if (watched.waiting.size === 0 && watchers.get(key) === watched) watchers.delete(key);
    };
  };

  return {
    announce,
    of: (channelId) => ({
      append: async (entries) => {
        await store.journal.append(channelId, entries);
        announce(channelId, entries);
      },
      after: (chat, position, most) => store.journal.after(channelId, chat, position, most),
      latest: (chat, most, before) => store.journal.latest(channelId, chat, most, before),
      under: (chat, key) => store.journal.under(channelId, chat, key),
      watch: (chat, wake) => watch(channelId, chat, wake),
    }),
  };
}
