/** Exponential backoff that can be cut short. */
export interface Backoff {
  /** Waits longer each time, with jitter, so that a restarted server is not flooded. */
  wait(atLeastMs?: number): Promise<void>;
  /** Call after a success. */
  reset(): void;
  /** Ends the current wait. */
  wake(): void;
}

const FIRST_MS = 500;
const MAX_MS = 15_000;

export function createBackoff(): Backoff {
  let next = FIRST_MS;
  let wake = () => {};
  return {
    wait(atLeastMs = 0) {
      const ms = atLeastMs + next * (0.5 + Math.random());
      next = Math.min(MAX_MS, next * 2);
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    reset() {
      next = FIRST_MS;
    },
    wake: () => wake(),
  };
}
