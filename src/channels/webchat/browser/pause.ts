/** Growing pauses between tries, cut short when there is a reason to hope. */
export interface Pause {
  /** Longer each time, with jitter, so that a server that comes back is not met by all at once. */
  wait(atLeastMs?: number): Promise<void>;
  /** The last try went well. */
  reset(): void;
  /** Ends a pause that is under way. */
  wake(): void;
}

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

export function createPause(): Pause {
  let next = FIRST_MS;
  let wake = () => {};
  return {
    wait(atLeastMs = 0) {
      const ms = atLeastMs + next * (0.5 + Math.random());
      next = Math.min(LONGEST_MS, next * 2);
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
