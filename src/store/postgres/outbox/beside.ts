import type { Channel } from "../../../domain/channel.ts";
import type { ChannelEvent } from "../../../domain/message.ts";
import type { Note } from "../../channels.ts";
import { withoutErased } from "../../outbox/arrivals.ts";
import type { Arrival } from "../../outbox.ts";
import { writeJournal } from "../../tables/journal.ts";
import { writeNotes } from "../../tables/notes.ts";
import type { Session } from "../sessions.ts";
import { records } from "./records.ts";
import type { Plan } from "./storing.ts";

type NoteRow = Pick<Note, "key" | "value"> & { channelId: string };
const SET_NOTES = `INSERT INTO note (channel_id, key, value, updated_at)
  SELECT "channelId", key, value, CAST(@now AS bigint)
  FROM json_to_recordset(CAST(@notes AS json)) AS notes ("channelId" text, key text, value text)
  ON CONFLICT (channel_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;

interface Request {
  channel: Channel;
  arrival?: Arrival;
}

/** The journals and the notes that come with messages. */
export async function writeBeside(session: Session, all: Request[], plan: Plan, now: number): Promise<void> {
  /** Those that need nothing read before: one statement writes them all. */
  let plain = new Map<string, NoteRow>();
  const write = () => {
    const notes = [...plain].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, note]) => note);
    if (notes.length > 0) session.sent(SET_NOTES, { notes: records(notes), now });
    plain = new Map();
  };
  for (const { channel, arrival } of all) {
    if (!arrival || plan.erased.channels.has(channel.id)) continue;
    const { journal, notes } = withoutErased(arrival, (event) => isErased(plan, channel, event));
    if (journal.length > 0) await session.run((tx) => writeJournal(tx, now, channel.id, journal));
    for (const note of notes) {
      const { key, value } = note;
      const isPlain = value !== "" && !note.merge;
      if (isPlain) plain.set(`${channel.id} ${key}`, { channelId: channel.id, key, value });
      else {
        write();
        await session.run(() => writeNotes(now, channel.id, [note]));
      }
    }
  }
  write();
}

const isErased = ({ erased }: Plan, channel: Channel, { key }: ChannelEvent) => erased.keys.has(`${channel.id} ${key}`);
