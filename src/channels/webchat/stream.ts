import type { Clock } from "../../domain/clock.ts";
import type { ChatId } from "../../domain/ids.ts";
import type { Journal } from "../port.ts";

/** A comment this often keeps proxies from closing a quiet stream, ms. */
const HEARTBEAT_MS = 20_000;
const BATCH = 100;

/** Server-sent events of a chat: all after `position`, then live. The event id is the journal's position. */
export function eventStream(journal: Journal, clock: Clock, chat: ChatId, position: number, signal: AbortSignal) {
  const encoder = new TextEncoder();
  let last = position;
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let pumping = false;
      let again = false;
      let closed = false;
      let cancelBeat = () => {};
      const write = (text: string) => {
        if (!closed) controller.enqueue(encoder.encode(text));
      };
      const pump = async () => {
        again = true;
        if (pumping) return;
        pumping = true;
        while (again && !closed) {
          again = false;
          const records = await journal.after(chat, last, BATCH);
          for (const { position: at, entry } of records) {
            write(`id: ${at}\ndata: ${JSON.stringify(entry)}\n\n`);
            last = at;
          }
          again ||= records.length === BATCH;
        }
        pumping = false;
      };
      const beat = () => {
        write(": beat\n\n");
        cancelBeat = clock.after(HEARTBEAT_MS, beat);
      };
      const wake = () => void pump().catch(() => stop());
      // Watched before the first read, so that nothing falls between the two.
      const unwatch = journal.watch(chat, wake);
      stop = () => {
        if (closed) return;
        closed = true;
        unwatch();
        cancelBeat();
        try {
          controller.close();
        } catch {
          // The reader has gone already.
        }
      };
      signal.addEventListener("abort", stop, { once: true });
      write(": open\n\n");
      cancelBeat = clock.after(HEARTBEAT_MS, beat);
      wake();
    },
    cancel: () => stop(),
  });
  const headers = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  };
  return new Response(body, { headers });
}
