import type { Clock } from "../../domain/clock.ts";
import type { Streams } from "../hosted.ts";
import { Refusal } from "./reply.ts";

/** The streams of each visitor. */
export interface VisitorStreams {
  /** Room for one more; `close` is called when another needs it. The result gives it back. Throws Refusal. */
  take(by: { visitor: string; address: string }, close: () => void): () => void;
}

/** Of one visitor: windows in sight, since a widget out of sight closes its stream. */
const MOST = 10;
/**
 * How long a stream is safe from a newer one, ms: a browser that just disappears goes unnoticed, and windows must not
 * take turns.
 */
const SAFE_MS = 60_000;
/** After how long a widget may come again, s. Meanwhile it asks for what is new. */
const AGAIN_AFTER = 15;

interface Held {
  since: number;
  close(): void;
}

export function visitorStreams(clock: Clock, streams: Streams): VisitorStreams {
  const known = new Map<string, Set<Held>>();
  const full = () => new Refusal(429, "Too many windows are open at the moment", "", AGAIN_AFTER);
  return {
    take({ visitor, address }, close) {
      const own = known.get(visitor) ?? new Set();
      // A Set keeps its order of insertion.
      const [oldest] = own;
      if (own.size >= MOST) {
        if (!oldest || clock.monotonic() - oldest.since < SAFE_MS) throw full();
        oldest.close();
      }
      const free = streams.take(address);
      if (!free) throw full();
      const held = { since: clock.monotonic(), close };
      known.set(visitor, own.add(held));
      return () => {
        free();
        own.delete(held);
        if (own.size === 0 && known.get(visitor) === own) known.delete(visitor);
      };
    },
  };
}
