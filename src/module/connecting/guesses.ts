import { type Clock, pause } from "gangway-messenger/clock";

/** How many attempts may start at once, and the interval of further ones, ms. */
interface Pace {
  burst: number;
  everyMs: number;
}
/** A user who mistypes needs a few attempts. */
const PER_ADDRESS: Pace = { burst: 20, everyMs: 250 };
/** From all addresses: half of the ten requests a second that a CRM accepts per key (domain facts). */
const PER_CRM: Pace = { burst: 60, everyMs: 200 };
/** Longest wait of an attempt, ms. Refusing attempts that would wait longer keeps the queue short. */
const MAX_WAIT_MS = 5_000;
const MAX_KEYS = 10_000;

/**
 * Resolves with true when a client address may try a key at a CRM; with false when too many wait or the attempt is
 * aborted. Refused attempts do not count towards the limit, aborted ones do.
 */
export type MayGuess = (address: string, crm: string, signal?: AbortSignal) => Promise<boolean>;

export function createGuessLimit(clock: Clock): MayGuess {
  const [addresses, crms] = [paced(PER_ADDRESS, clock), paced(PER_CRM, clock)];
  return async (address, crm, signal) => {
    const wait = Math.max(addresses.wait(address), crms.wait(crm));
    const mayTry = wait <= MAX_WAIT_MS;
    addresses.count(address, mayTry ? 1 : 0);
    crms.count(crm, mayTry ? 1 : 0);
    if (mayTry && wait > 0) await pause(clock, wait, signal);
    return mayTry && !signal?.aborted;
  };
}

/** Generic cell rate algorithm: stores when each key's burst is full again. */
function paced({ burst, everyMs }: Pace, clock: Clock) {
  // Ordered by last use; the least recently used key goes first.
  const fullAt = new Map<string, number>();
  const next = (key: string) => Math.max(fullAt.get(key) ?? 0, clock.monotonic());
  return {
    wait: (key: string) => Math.max(0, next(key) - clock.monotonic() - (burst - 1) * everyMs),
    count(key: string, attempts: number) {
      const at = next(key) + attempts * everyMs;
      fullAt.delete(key);
      if (fullAt.size >= MAX_KEYS) fullAt.delete(fullAt.keys().next().value ?? "");
      fullAt.set(key, at);
    },
  };
}
