import type { Clock } from "gangway-messenger/clock";
import { createLoop, type Loop } from "../../../domain/loop.ts";
import type { JournalChat, JournalStore } from "../../channels.ts";
import { all } from "../../tables/engine.ts";
import { storedText } from "../database/connection.ts";
import type { PostgresEngine } from "../database/engine.ts";
import type { Notifier } from "../database/notifier.ts";

/** Polling interval of watched chats, ms: a process that dies announces nothing of what it appended last. */
const LOOK_MS = 1_000;
/** Chats per look; the next look takes the rest. */
const MAX_CHATS = 1_000;
const LAST = `SELECT n, coalesce((SELECT max(position) FROM journal
    WHERE journal.channel_id = watched.channel AND journal.chat = watched.chat), 0) AS position
  FROM json_to_recordset(CAST(@chats AS json)) AS watched (n bigint, channel text, chat text)`;

interface Parts {
  engine: Pick<PostgresEngine, "read">;
  notifier: Pick<Notifier, "appended" | "onAppended">;
  clock: Clock;
}

/** A journal that several processes append to, and `close` to stop looking. */
export function sharedJournal(journal: Omit<JournalStore, "follow">, { engine, notifier, clock }: Parts) {
  const looks: Loop[] = [];
  const lastOf = async (chats: JournalChat[]) => {
    const asked = chats.map(([channel, chat], n) => ({ n, channel, chat: storedText(chat) }));
    return engine.read(() => all<{ n: number; position: number }>(LAST, { chats: JSON.stringify(asked) }));
  };
  const shared: JournalStore = {
    ...journal,
    async append(channelId, rows) {
      await journal.append(channelId, rows);
      notifier.appended(channelId, new Set(rows.map(({ chat }) => chat)));
    },
    follow(watched, hear) {
      const known = new Map<string, number>();
      let from = 0;
      const look = async () => {
        const chats = watched();
        if (from >= chats.length) from = 0;
        const some = chats.slice(from, from + MAX_CHATS);
        from += MAX_CHATS;
        if (chats.length < known.size) forget(known, chats);
        if (some.length === 0) return;
        for (const { n, position } of await lastOf(some)) {
          const chat = some[n] as JournalChat;
          const name = nameOf(chat);
          if (known.get(name) !== position) hear(chat);
          known.set(name, position);
        }
      };
      // If it fails, the next one sees what it has missed.
      const loop = createLoop({ clock, everyMs: LOOK_MS, waitsFirst: true, round: look, failed: () => undefined });
      looks.push(loop);
      void loop.start();
      notifier.onAppended((chats) => {
        for (const chat of (chats as JournalChat[] | undefined) ?? watched()) hear(chat);
      });
    },
  };
  return {
    journal: shared,
    close: async () => void (await Promise.all(looks.map((loop) => loop.stop()))),
  };
}

const nameOf = (chat: JournalChat): string => chat.join("/");

/** Forgets chats that are no longer watched. */
function forget(known: Map<string, number>, chats: JournalChat[]): void {
  const names = new Set(chats.map(nameOf));
  for (const name of known.keys()) if (!names.has(name)) known.delete(name);
}
