import type { Clock } from "./clock.ts";

/** Detects that the wall clock was put back. */
export interface WallClock {
  /** How far it was put back since the last `reset`, ms; 0 if not. */
  putBackMs(): number;
  reset(): void;
}

/** Smaller steps are normal clock synchronization, ms. */
const PUT_BACK_MS = 1_000;

export function watchWallClock(clock: Clock): WallClock {
  const offset = () => clock.now() - clock.monotonic();
  let maxOffset = offset();
  return {
    putBackMs() {
      const now = offset();
      maxOffset = Math.max(maxOffset, now);
      return maxOffset - now > PUT_BACK_MS ? maxOffset - now : 0;
    },
    reset() {
      maxOffset = offset();
    },
  };
}
