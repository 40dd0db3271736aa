import type { Clock } from "gangway-messenger/clock";
import type { Streams } from "gangway-messenger/hosted";
import { Refusal } from "./reply.ts";

/** Limits the streams of each visitor. */
export interface VisitorStreams {
  /** Throws Refusal if a stream would have no room. */
  check(by: { visitor: string; address: string }): void;
  /** Adds a stream; `close` is called if a newer one replaces it. The result releases it. Throws Refusal. */
  take(by: { visitor: string; address: string }, close: () => void): () => void;
}

/** Per visitor: visible windows, since a hidden widget closes its stream. */
const MAX_STREAMS = 10;
/** Age from which a newer stream may replace this one, ms: windows must not evict each other, but browsers vanish unnoticed. */
const MIN_AGE_MS = 60_000;
/** Retry-After, s. Meanwhile the widget polls. */
const RETRY_AFTER = 15;

interface OpenStream {
  since: number;
  close(): void;
}

export function visitorStreams(clock: Clock, streams: Streams): VisitorStreams {
  const byVisitor = new Map<string, Set<OpenStream>>();
  const full = () => new Refusal(429, "Too many windows are open at the moment", "", RETRY_AFTER);
  /** The stream that a new one of the visitor replaces. Throws Refusal. */
  const replaced = (own: Set<OpenStream> | undefined): OpenStream | undefined => {
    if (!own || own.size < MAX_STREAMS) return undefined;
    // A Set keeps insertion order.
    const [oldest] = own;
    if (!oldest || clock.monotonic() - oldest.since < MIN_AGE_MS) throw full();
    return oldest;
  };
  return {
    check({ visitor, address }) {
      replaced(byVisitor.get(visitor));
      if (!streams.hasRoom(address)) throw full();
    },
    take({ visitor, address }, close) {
      const own = byVisitor.get(visitor) ?? new Set();
      const oldest = replaced(own);
      const free = streams.take(address);
      if (!free) throw full();
      oldest?.close();
      const stream = { since: clock.monotonic(), close };
      byVisitor.set(visitor, own.add(stream));
      return () => {
        free();
        own.delete(stream);
        if (own.size === 0 && byVisitor.get(visitor) === own) byVisitor.delete(visitor);
      };
    },
  };
}
