import type { Job } from "../../../domain/delivery/delivery.ts";
import type { Held } from "../../outbox.ts";
import type { Database } from "../database/db.ts";

/** Jobs that a write stores as sending. */
export interface Leaving {
  held: Held;
  jobs: Job[];
}

/** Runs `work` as `write` does; its jobs begin right after the commit. */
export function writeAndSend<T>(
  { write }: Pick<Database, "write">,
  held: Held | undefined,
  work: (leaving?: Leaving) => T,
): Promise<T> {
  if (!held) return write(() => work());
  let jobs: Job[] = [];
  const run = () => {
    // A second run replaces the first.
    jobs = [];
    return work({ held, jobs });
  };
  return write(run, { first: () => held.begin(jobs) });
}

export const hasSlot = ({ held, jobs }: Leaving): boolean => jobs.length < held.most;
