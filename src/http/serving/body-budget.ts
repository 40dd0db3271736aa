import { refusing } from "../../domain/delivery.ts";

/** Bytes of unfinished bodies over all requests: anybody can send one that never ends, before authentication. */
const MAX_HELD_BYTES = 96 * 1024 ** 2;
/** Overhead per chunk (measured: 250 bytes of heap, plus garbage), so that tiny chunks count, too. */
const CHUNK_BYTES = 512;

interface Held {
  /** Throws Overload, and then counts nothing. */
  add(bytes: number): void;
  /** Ends the body, whatever its outcome, and releases its bytes. */
  end(): void;
}

export interface BodyBudget {
  hold(): Held;
  /** In bytes. */
  held(): number;
}

/**
 * Counts received bytes, not announced ones: a sender takes only as much as it sends. Bodies that arrive with their
 * headers are not held, so webhooks pass even if the budget is full.
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
