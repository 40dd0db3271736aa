import type { Channel } from "../../../domain/channel.ts";
import type { ChannelEvent, LateFailure, RelayedEvent } from "../../../domain/message.ts";
import type { Arrival } from "../../outbox.ts";
import { isNoteOf } from "../../tables/notes.ts";
import type { Database } from "../database/db.ts";
import { isErased } from "./accepting.ts";

type Accepted = Required<Pick<Arrival, "journal" | "notes">> & { events: RelayedEvent[]; failures: LateFailure[] };

const isFailure = (event: ChannelEvent): event is LateFailure => event.type === "failed";

/** The arrival, failures apart, without repeats of erased messages and without what comes with those. */
export function withoutErased(
  db: Database,
  { id }: Channel,
  { events: all, journal = [], notes = [] }: Arrival,
): Accepted {
  if (db.tombstones.isGone(id)) return { events: [], failures: [], journal: [], notes: [] };
  const failures = all.filter(isFailure);
  const events = failures.length === 0 ? (all as RelayedEvent[]) : all.filter((event) => !isFailure(event));
  const isGone = ({ key }: ChannelEvent) => isErased(db, id, "messenger", key);
  const repeats = events.filter(isGone);
  if (repeats.length === 0) return { events, failures, journal, notes };
  const gone = new Set<string>(repeats.map(({ chat }) => chat));
  const isOfRepeat = (key: string) =>
    repeats.some(({ chat, messengerMessageId }) => isNoteOf(key, chat) || key.endsWith(`:${messengerMessageId}`));
  return {
    events: events.filter((event) => !isGone(event)),
    failures,
    journal: journal.filter(({ chat }) => !gone.has(chat)),
    notes: notes.filter(({ key }) => !isOfRepeat(key)),
  };
}
