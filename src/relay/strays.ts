import type { Clock } from "../domain/clock.ts";
import { DeliveryError, type Job } from "../domain/delivery.ts";
import type { AccountId } from "../domain/ids.ts";

/**
 * Tells weather from a refusal among answers outside the contract: one that keeps coming back to one message while other
 * messages of its account pass is meant for that message, such as a proxy's own "too large".
 */
export interface Strays {
  /** Runs `act`, a part of the job. Throws what it throws, or a refusal in place of an answer that keeps coming back. */
  watch<T>(job: Pick<Job, "id" | "accountId">, part: string, act: () => Promise<T>): Promise<T>;
}

/** The part whose success means that the message has passed. */
export const WHOLE = "whole";

/** So often, and over so long, ms: longer than most outages, and far below the days that a message is tried. */
const MOST_STRAYS = 5;
const LASTING_MS = 600_000;
/** Most that are remembered; the oldest are forgotten first. */
const MOST_KNOWN = 10_000;

export function createStrays(clock: Clock): Strays {
  const known = new Map<string, { count: number; since: number }>();
  const passed = new Map<AccountId, number>();
  const judge = (accountId: AccountId, name: string, error: DeliveryError): DeliveryError => {
    const now = clock.monotonic();
    const seen = known.get(name) ?? { count: 0, since: now };
    seen.count += 1;
    known.set(name, seen);
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value ?? "");
    const othersPass = (passed.get(accountId) ?? Number.NEGATIVE_INFINITY) > seen.since;
    if (seen.count < MOST_STRAYS || now - seen.since < LASTING_MS || !othersPass) return error;
    known.delete(name);
    return new DeliveryError({ type: "reject", code: "general", externalCode: String(error.stray) }, error.message);
  };
  return {
    async watch({ id, accountId }, part, act) {
      const name = `${id} ${part}`;
      try {
        const result = await act();
        known.delete(name);
        if (part === WHOLE) passed.set(accountId, clock.monotonic());
        return result;
      } catch (error) {
        throw error instanceof DeliveryError && error.stray !== undefined ? judge(accountId, name, error) : error;
      }
    },
  };
}
