import { errorCode } from "../../../domain/errors.ts";
import { type Clock, systemClock } from "../../../domain/time/clock.ts";

/** Hears what PostgreSQL refuses for want of space, and what it stores. */
export interface Space {
  refused(error: unknown): void;
  stored(): void;
}

/** Of the disk of its data, or of its log. */
const DISK_FULL = "53100";
/** What is small may still find room while the rest finds none, ms. */
const QUIET_MS = 10_000;

/** Tells once that PostgreSQL's disk is full, with its words, and once (undefined) that it stores again. */
export function watchSpace(tell: (full?: Error) => void = () => undefined, clock: Clock = systemClock): Space {
  let refusedAt: number | undefined;
  return {
    refused(error) {
      if (!(error instanceof Error) || errorCode(error) !== DISK_FULL) return;
      const isNew = refusedAt === undefined;
      refusedAt = clock.monotonic();
      if (isNew) tell(error);
    },
    stored() {
      if (refusedAt === undefined || clock.monotonic() < refusedAt + QUIET_MS) return;
      refusedAt = undefined;
      tell();
    },
  };
}
