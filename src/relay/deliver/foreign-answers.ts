import { DeliveryError, type Job } from "../../domain/delivery/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Clock } from "../../domain/time/clock.ts";

/**
 * Tells outages from refusals among answers outside the contract: if one message keeps getting such an answer while
 * others of its account pass, the answer is about that message. Example: a proxy's own "too large".
 */
export interface ForeignAnswers {
  /** Runs `act`, a part of the job. Throws what it throws, or a refusal instead of such an answer that keeps coming back. */
  watch<T>(job: Pick<Job, "key" | "accountId">, part: string, act: () => Promise<T>): Promise<T>;
}

/** The whole job: its success counts as a passed message, and its end clears the parts. */
export const WHOLE = "whole";

/** Such answers before a refusal, and over how long, ms: longer than most outages, far shorter than the deadline. */
const MAX_FOREIGN_ANSWERS = 5;
const MIN_SPAN_MS = 600_000;
/** Maximum jobs remembered; the oldest go first. */
const MAX_JOBS = 10_000;

interface Seen {
  count: number;
  since: number;
  refusal?: DeliveryError;
}

export function createForeignAnswers(clock: Clock): ForeignAnswers {
  const jobs = new Map<string, Map<string, Seen>>();
  const passedAt = new Map<AccountId, number>();
  // Count an answer for the innermost part only.
  const counted = new WeakSet<DeliveryError>();
  const partsOf = (key: string) => {
    const parts = jobs.get(key) ?? new Map<string, Seen>();
    jobs.set(key, parts);
    if (jobs.size > MAX_JOBS) jobs.delete(jobs.keys().next().value as string);
    return parts;
  };
  const judge = ({ key, accountId }: Pick<Job, "key" | "accountId">, part: string, error: DeliveryError) => {
    counted.add(error);
    const now = clock.monotonic();
    const parts = partsOf(key);
    const seen: Seen = parts.get(part) ?? { count: 0, since: now };
    parts.set(part, seen);
    seen.count += 1;
    const othersPass = (passedAt.get(accountId) ?? Number.NEGATIVE_INFINITY) > seen.since;
    if (seen.count < MAX_FOREIGN_ANSWERS || now - seen.since < MIN_SPAN_MS || !othersPass) return error;
    const verdict = { type: "reject", code: "general", externalCode: String(error.foreignStatus) } as const;
    seen.refusal = new DeliveryError(verdict, error.message);
    if (part === WHOLE) jobs.delete(key);
    return seen.refusal;
  };
  return {
    async watch(job, part, act) {
      const { refusal } = jobs.get(job.key)?.get(part) ?? {};
      // A refusal stands while the job is retried for another reason.
      if (refusal) throw refusal;
      try {
        const result = await act();
        if (part === WHOLE) {
          jobs.delete(job.key);
          passedAt.set(job.accountId, clock.monotonic());
        } else jobs.get(job.key)?.delete(part);
        return result;
      } catch (error) {
        const isForeign = error instanceof DeliveryError && error.foreignStatus !== undefined && !counted.has(error);
        throw isForeign ? judge(job, part, error) : error;
      }
    },
  };
}
