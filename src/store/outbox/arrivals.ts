import type { ChannelEvent, LateFailure, RelayedEvent } from "../../domain/message/message.ts";
import type { Arrival } from "../outbox.ts";
import { isNoteOf } from "../tables/channels/notes.ts";

type Accepted = Required<Pick<Arrival, "journal" | "notes">> & { events: RelayedEvent[]; failures: LateFailure[] };

const isFailure = (event: ChannelEvent): event is LateFailure => event.type === "failed";

/** Its channel's account was erased. */
export const NOTHING: Accepted = { events: [], failures: [], journal: [], notes: [] };

/** The arrival, failures apart, without repeats of erased messages and without what comes with those. */
export function withoutErased(
  { events: all, journal = [], notes = [] }: Arrival,
  isErased: (event: ChannelEvent) => boolean,
): Accepted {
  const failures = all.filter(isFailure);
  const events = failures.length === 0 ? (all as RelayedEvent[]) : all.filter((event) => !isFailure(event));
  const repeats = events.filter(isErased);
  if (repeats.length === 0) return { events, failures, journal, notes };
  const gone = new Set<string>(repeats.map(({ chat }) => chat));
  const isOfRepeat = (key: string) =>
    repeats.some(({ chat, messengerMessageId }) => isNoteOf(key, chat) || key.endsWith(`:${messengerMessageId}`));
  return {
    events: events.filter((event) => !isErased(event)),
    failures,
    journal: journal.filter(({ chat }) => !gone.has(chat)),
    notes: notes.filter(({ key }) => !isOfRepeat(key)),
  };
}
