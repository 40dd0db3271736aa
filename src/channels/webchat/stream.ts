import type { Clock } from "../../domain/clock.ts";
import type { ChatId } from "../../domain/ids.ts";
import type { Journal, JournalRecord, PageLimit } from "../hosted.ts";

/** A comment this often keeps proxies from closing a quiet stream, ms. */
const HEARTBEAT_MS = 20_000;
/** Bytes that may wait for the browser. One that does not read is cut after so many beats, and comes back by its position. */
const BUFFER_BYTES = 64 * 1024;
const MOST_MISSED = 3;
/** Read at once; the next are read when the browser has taken these. */
const BATCH: PageLimit = { entries: 20, bytes: BUFFER_BYTES };

interface Follow {
  journal: Journal;
  clock: Clock;
  chat: ChatId;
  /** The journal's position of the last record the browser has. */
  position: number;
  signal: AbortSignal;
  /** Called once it has ended, in whatever way. */
  ended?(): void;
}

/** Server-sent events of a chat: all after `position`, then live. The event id is the journal's position. */
export function eventStream(follow: Follow): Response {
  let line: Line | undefined;
  const room = new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES });
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        line = openLine(controller, follow);
      },
      // Also after each piece, so that a long history goes on as fast as the browser takes it.
      pull: () => void line?.wake(),
      cancel: () => line?.close(),
    },
    room,
  );
  const headers = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
  };
  return new Response(body, { headers });
}

interface Line {
  wake(): Promise<void>;
  close(): void;
}

const asEvent = ({ position, entry }: JournalRecord) => `id: ${position}\ndata: ${JSON.stringify(entry)}\n\n`;

function openLine(controller: ReadableStreamDefaultController<Uint8Array>, follow: Follow): Line {
  const { journal, clock, chat, signal } = follow;
  const encoder = new TextEncoder();
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
    if (missed >= MOST_MISSED) return close();
    if (missed === 0) write(": beat\n\n");
    cancelBeat = clock.after(HEARTBEAT_MS, beat);
  };
  // Watched before the first read, so that nothing falls between the two.
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
      // The reader has gone already.
    }
  }
  signal.addEventListener("abort", close);
  write(": open\n\n");
  cancelBeat = clock.after(HEARTBEAT_MS, beat);
  if (signal.aborted) close();
  return { wake, close };
}
