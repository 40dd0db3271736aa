/** Where server-sent events go: straight to a socket, or into a web stream. */
export interface Sink {
  write(bytes: Uint8Array): void;
  /** Bytes that the browser has not taken yet. */
  unread(): number;
  close(): void;
}
/** Writes the events of one stream. */
export interface EventWriter {
  /** Called when the browser has taken all unread bytes. */
  drained?(): void;
  /** The browser is gone. */
  gone(): void;
}
export type OpenEvents = (sink: Sink) => EventWriter;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

const unopened = new WeakMap<ReadableStream, OpenEvents>();

/**
 * A response of server-sent events. The server either reads its body, or takes the events with `takeEvents` and writes
 * them itself: web streams for ten thousand idle browsers would cost most of their memory and CPU.
 */
export function eventResponse(open: OpenEvents): Response {
  let writer: EventWriter | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (writer) return writer.drained?.();
        unopened.delete(body);
        writer = open(streamSink(controller));
      },
      cancel: () => writer?.gone(),
    },
    // Not before somebody reads.
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  unopened.set(body, open);
  return new Response(body, { headers: HEADERS });
}

/** The events of a response whose body nobody has read yet; the caller writes them in its place. */
export function takeEvents({ body }: Response): OpenEvents | undefined {
  const open = body ? unopened.get(body) : undefined;
  if (body) unopened.delete(body);
  return open;
}

const streamSink = (controller: ReadableStreamDefaultController<Uint8Array>): Sink => ({
  write: (bytes) => controller.enqueue(bytes),
  unread: () => -(controller.desiredSize ?? 0),
  close() {
    try {
      controller.close();
    } catch {
      // The reader is already gone.
    }
  },
});
