import type { ChannelId } from "../../../domain/ids.ts";
import type { Clock } from "../../../domain/time/clock.ts";
import type { JournalLimits, JournalRow, JournalStore, NewJournalRow } from "../../channels.ts";
import { all, type Engine, run, type Transaction, type Verb } from "../engine.ts";
import { journal } from "../schema.ts";

interface Row {
  position: number;
  at: number;
  entry: string;
}
const toRow = (row: Row): JournalRow => ({ ...row, entry: JSON.parse(row.entry) });

export function* writeJournal(
  { orm }: Pick<Transaction, "orm">,
  now: number,
  channelId: ChannelId,
  entries: NewJournalRow[],
): Verb<void> {
  if (entries.length === 0) return;
  const values = entries.map(({ chat, key, entry }) => ({
    ...{ channelId, chat, key, entry: JSON.stringify(entry), createdAt: now },
  }));
  yield* run(orm.insert(journal).values(values).onConflictDoNothing());
}

/** Rows read at once: a chat may be long, and its entries large. */
const PAGE = 20;
const ROW = "SELECT position, created_at AS at, entry FROM journal";
const CHAT = "channel_id = @channelId AND chat = @chat";
const AFTER = `${ROW} WHERE ${CHAT} AND position > @from ORDER BY position LIMIT ${PAGE}`;
const BEFORE = `${ROW} WHERE ${CHAT} AND position < @from ORDER BY position DESC LIMIT ${PAGE}`;
// Two range scans of the key index, whose cost a visitor cannot inflate: no index is on the expression of the chat. ";" is the
// character after ":".
const OF_KEY = "channel_id = @channelId AND chat || '' = @chat";
export const UNDER = `SELECT * FROM (
  ${ROW} WHERE ${OF_KEY} AND key = @key UNION ALL
  ${ROW} WHERE ${OF_KEY} AND key > @key || ':' AND key < @key || ';') AS found ORDER BY position`;

/** As many as fit, but at least one. */
function* takeWithin(
  query: string,
  at: { channelId: ChannelId; chat: string; from: number },
  { entries, bytes }: JournalLimits,
): Verb<JournalRow[]> {
  const taken: Row[] = [];
  let size = 0;
  for (let from = at.from; ; from = taken.at(-1)?.position ?? from) {
    const rows = yield* all<Row>(query, { ...at, from });
    for (const row of rows) {
      size += Buffer.byteLength(row.entry);
      if (taken.length > 0 && size > bytes) return taken.map(toRow);
      taken.push(row);
      if (taken.length >= entries) return taken.map(toRow);
    }
    if (rows.length < PAGE) return taken.map(toRow);
  }
}

/** All but what depends on who else writes. */
export function journalStore({ read, write }: Engine, clock: Clock): Omit<JournalStore, "follow"> {
  return {
    append: (channelId, rows) =>
      write(function* (tx) {
        // Whoever appends to a chat holds it, so that no row is committed after one with a higher position.
        for (const chat of [...new Set(rows.map((row) => row.chat))].sort()) yield* tx.holdLanes(channelId, chat);
        const kept: NewJournalRow[] = [];
        for (const row of rows) if (yield* tx.mayStore(channelId, [row.chat])) kept.push(row);
        yield* writeJournal(tx, clock.now(), channelId, kept);
      }, "lanes"),
    after: (channelId, chat, from, limits) => read(() => takeWithin(AFTER, { channelId, chat, from }, limits)),
    latest: async (channelId, chat, limits, from = Number.MAX_SAFE_INTEGER) => {
      const rows = await read(() => takeWithin(BEFORE, { channelId, chat, from }, limits));
      return rows.reverse();
    },
    under: async (channelId, chat, key) => {
      const rows = await read(() => all<Row>(UNDER, { channelId, chat, key }));
      return rows.map(toRow);
    },
  };
}
