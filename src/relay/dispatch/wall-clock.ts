import type { Clock } from "../../domain/clock.ts";

/** What somebody has done to the wall clock. */
export interface WallClock {
  /** By how much it was put back since that was mended last, ms. */
  putBackMs(): number;
  mended(): void;
}

/** Less than this is how clocks are kept right, ms. */
const PUT_BACK_MS = 1_000;

export function watchWallClock(clock: Clock): WallClock {
  const ahead = () => clock.now() - clock.monotonic();
  let furthest = ahead();
  return {
    putBackMs() {
      const now = ahead();
      furthest = Math.max(furthest, now);
      return furthest - now > PUT_BACK_MS ? furthest - now : 0;
    },
    mended() {
      furthest = ahead();
    },
  };
}
