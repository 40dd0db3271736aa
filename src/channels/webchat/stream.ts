import type { Clock } from "../../domain/clock.ts";
import type { ChatId } from "../../domain/ids.ts";
import type { Journal, JournalRecord, PageLimit } from "../hosted.ts";

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
const ROOM = new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES });

interface Follow {
  journal: Journal;
  clock: Clock;
  chat: ChatId;
  /** Journal position of the last record that the browser has. */
  position: number;
  signal: AbortSignal;
  /** Called once when the stream ends, for any reason. */
  ended?(): void;
}

/** Server-sent events of a chat: all after `position`, then live. The event id is the journal position. */
export function eventStream(follow: Follow): Response {
  let writer: Writer | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        writer = openWriter(controller, follow);
      },
      // Called whenever the browser has taken bytes: sends a long history at its pace.
      pull: () => void writer?.wake(),
      cancel: () => writer?.close(),
    },
    ROOM,
  );
  const headers = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
  };
  return new Response(body, { headers });
}

interface Writer {
  wake(): Promise<void>;
  close(): void;
}

const asEvent = ({ position, entry }: JournalRecord) => `id: ${position}\ndata: ${JSON.stringify(entry)}\n\n`;

function openWriter(controller: ReadableStreamDefaultController<Uint8Array>, follow: Follow): Writer {
  const { journal, clock, chat, signal } = follow;
  let last = follow.position;
  let [busy, behind, closed] = [false, false, false];
  let cancelBeat = () => {};
  const room = () => !closed && (controller.desiredSize ?? 0) > 0;
  const write = (text: string) => controller.enqueue(encoder.encode(text));
  const readOn = async () => {
    while (behind && room()) {
      behind = false;
      const records = await journal.after(chat, last, BATCH);
      for (const record of records) {
        behind = true;
        if (!room()) return;
        write(asEvent(record));
        last = record.position;
      }
    }
  };
  const wake = async () => {
    behind = true;
    if (busy) return;
    busy = true;
    await readOn().catch(close);
    busy = false;
  };
  let missed = 0;
  const beat = () => {
    missed = room() ? 0 : missed + 1;
    if (missed >= MAX_MISSED) return close();
    if (missed === 0) controller.enqueue(BEAT);
    cancelBeat = clock.after(HEARTBEAT_MS, beat);
  };
  // Watch before the first read, so that no entry is missed in between.
  const unwatch = journal.watch(chat, () => void wake());
  function close() {
    if (closed) return;
    closed = true;
    follow.ended?.();
    unwatch();
    cancelBeat();
    signal.removeEventListener("abort", close);
    try {
      controller.close();
    } catch {
      // The reader is already gone.
    }
  }
  signal.addEventListener("abort", close);
  write(": open\n\n");
  cancelBeat = clock.after(HEARTBEAT_MS, beat);
  if (signal.aborted) close();
  return { wake, close };
}
