import type { Clock } from "gangway-messenger/clock";
import { type EventWriter, eventResponse, type Sink } from "gangway-messenger/event-stream";
import type { Journal, JournalRecord, PageLimit } from "gangway-messenger/hosted";
import type { ChatId } from "gangway-messenger/ids";

/** Interval of comments that keep proxies from closing an idle stream, ms; they do so after 50 s or more. */
const HEARTBEAT_MS = 35_000;
/** Bytes buffered for the browser. If it misses MAX_MISSED heartbeats, the stream ends; it reconnects from its position. */
const BUFFER_BYTES = 64 * 1024;
const MAX_MISSED = 2;
/** Read at once; the next batch follows when the browser has taken this one. */
const BATCH: PageLimit = { entries: 20, bytes: BUFFER_BYTES };

const encoder = new TextEncoder();
/** Encoded once: ten thousand streams send 300 a second. */
const BEAT = encoder.encode(": beat\n\n");

interface Follow {
  journal: Journal;
  clock: Clock;
  chat: ChatId;
  /** Journal position of the last record that the browser has. */
  position: number;
  signal: AbortSignal;
  /** The last entry, once the stream may bring no other. Asked before each read: what a client says of its position is not to be believed. */
  end?(): Promise<unknown>;
  /** Takes a slot when the stream opens; the result gives it back when it ends, for any reason. Throws if there is none. */
  take?(): () => void;
}

/** Server-sent events of a chat: all after `position`, then live. The event id is the journal position. */
export const eventStream = (follow: Follow): Response =>
  eventResponse((sink) => {
    let release: (() => void) | undefined;
    try {
      release = follow.take?.();
    } catch {
      // The slots were taken meanwhile: the browser connects again, and is told how long to wait.
      sink.close();
      return { gone() {} };
    }
    return openWriter(sink, follow, release);
  });

const asEvent = ({ position, entry }: Pick<JournalRecord, "position" | "entry">) =>
  `id: ${position}\ndata: ${JSON.stringify(entry)}\n\n`;

function openWriter(sink: Sink, follow: Follow, release?: () => void): EventWriter {
  const { journal, clock, chat, signal } = follow;
  let last = follow.position;
  let [busy, behind, closed] = [false, false, false];
  let cancelBeat = () => {};
  const room = () => !closed && sink.unread() < BUFFER_BYTES;
  const write = (text: string) => sink.write(encoder.encode(text));
  const readOn = async () => {
    busy = true;
    try {
      while (behind && room()) {
        behind = false;
        const entry = await follow.end?.();
        if (entry !== undefined) {
          write(asEvent({ position: last, entry }));
          return close();
        }
        const records = await journal.after(chat, last, BATCH);
        for (const record of records) {
          behind = true;
          if (!room()) return;
          write(asEvent(record));
          last = record.position;
        }
      }
    } finally {
      // In the same tick as the last look: a wake-up after it reads again.
      busy = false;
    }
  };
  const wake = () => {
    behind = true;
    if (!busy) void readOn().catch(close);
  };
  let missed = 0;
  const beat = () => {
    missed = room() ? 0 : missed + 1;
    if (missed >= MAX_MISSED) return close();
    if (missed === 0) sink.write(BEAT);
    cancelBeat = clock.after(HEARTBEAT_MS, beat);
  };
  // Watch before the first read, so that no entry is missed in between.
  const unwatch = journal.watch(chat, wake);
  function close() {
    if (closed) return;
    closed = true;
    release?.();
    unwatch();
    cancelBeat();
    signal.removeEventListener("abort", close);
    sink.close();
  }
  signal.addEventListener("abort", close);
  write(": open\n\n");
  cancelBeat = clock.after(HEARTBEAT_MS, beat);
  if (signal.aborted) close();
  else wake();
  // A long history goes out at the browser's pace.
  return { drained: wake, gone: close };
}
