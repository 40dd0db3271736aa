import type { Clock } from "../../domain/clock.ts";
import { DeliveryError, type Job } from "../../domain/delivery.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";

/**
 * Tells weather from a refusal among answers outside the contract: one that keeps coming back to one message while other
 * messages of its account pass is meant for that message, such as a proxy's own "too large".
 */
export interface Strays {
  /** Runs `act`, a part of the job. Throws what it throws, or a refusal in place of an answer that keeps coming back. */
  watch<T>(job: Pick<Job, "id" | "accountId">, part: string, act: () => Promise<T>): Promise<T>;
}

/** The whole job: its success means that the message has passed, and whichever way it ends its parts are forgotten. */
export const WHOLE = "whole";

/** So often, and over so long, ms: longer than most outages, and far below the days that a message is tried. */
const MOST_STRAYS = 5;
const LASTING_MS = 600_000;
/** Most jobs that are remembered; the oldest are forgotten first. */
const MOST_KNOWN = 10_000;

interface Seen {
  count: number;
  since: number;
  refusal?: DeliveryError;
}

export function createStrays(clock: Clock): Strays {
  const known = new Map<JobId, Map<string, Seen>>();
  const passed = new Map<AccountId, number>();
  // One answer counts for the part that met it, and not for what that is a part of.
  const counted = new WeakSet<DeliveryError>();
  const partsOf = (id: JobId) => {
    const parts = known.get(id) ?? new Map<string, Seen>();
    known.set(id, parts);
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value as JobId);
    return parts;
  };
  const judge = ({ id, accountId }: Pick<Job, "id" | "accountId">, part: string, error: DeliveryError) => {
    counted.add(error);
    const now = clock.monotonic();
    const parts = partsOf(id);
    const seen: Seen = parts.get(part) ?? { count: 0, since: now };
    parts.set(part, seen);
    seen.count += 1;
    const othersPass = (passed.get(accountId) ?? Number.NEGATIVE_INFINITY) > seen.since;
    if (seen.count < MOST_STRAYS || now - seen.since < LASTING_MS || !othersPass) return error;
    const verdict = { type: "reject", code: "general", externalCode: String(error.stray) } as const;
    seen.refusal = new DeliveryError(verdict, error.message);
    if (part === WHOLE) known.delete(id);
    return seen.refusal;
  };
  return {
    async watch(job, part, act) {
      const { refusal } = known.get(job.id)?.get(part) ?? {};
      // What was judged stays judged while the job is tried again for another reason.
      if (refusal) throw refusal;
      try {
        const result = await act();
        if (part === WHOLE) {
          known.delete(job.id);
          passed.set(job.accountId, clock.monotonic());
        } else known.get(job.id)?.delete(part);
        return result;
      } catch (error) {
        const strayed = error instanceof DeliveryError && error.stray !== undefined && !counted.has(error);
        throw strayed ? judge(job, part, error) : error;
      }
    },
  };
}
