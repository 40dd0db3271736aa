import { refusing } from "../../domain/delivery.ts";

/** Bytes of unfinished bodies over all requests: anyone can send an endless body before its proof is read. */
const MAX_HELD_BYTES = 96 * 1024 ** 2;
/** What a chunk takes beside its bytes (measured: 250 of heap, without what is still to be collected), so that tiny ones count, too. */
const CHUNK_BYTES = 512;

interface Held {
  /** Throws Overload, and then counts nothing. */
  add(bytes: number): void;
  /** Releases the body's bytes, however it ended. */
  end(): void;
}

export interface BodyBudget {
  hold(): Held;
  /** Bytes. */
  held(): number;
}

/**
 * Counts received bytes, not announced ones: a sender blocks others only by what it really sends. A body that arrives
 * whole with its headers is never counted, so webhooks pass a full budget.
 */
export function bodyBudget(max = MAX_HELD_BYTES): BodyBudget {
  const refuse = refusing();
  let all = 0;
  return {
    held: () => all,
    hold() {
      let own = 0;
      let isOver = false;
      return {
        add(bytes) {
          if (isOver) return;
          const more = bytes + CHUNK_BYTES;
          if (all + more > max) refuse("process");
          own += more;
          all += more;
        },
        end() {
          all -= own;
          own = 0;
          isOver = true;
        },
      };
    },
  };
}
