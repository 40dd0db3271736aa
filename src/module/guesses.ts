import { type Clock, pause } from "../domain/clock.ts";

/** Tries that may begin at once, and how often one more may, ms. */
interface Pace {
  burst: number;
  everyMs: number;
}
/** A person who mistypes needs a few. */
const PER_ADDRESS: Pace = { burst: 20, everyMs: 250 };
/** However many addresses guess: half of the ten requests a second that a CRM takes of one key (domain facts). */
const PER_CRM: Pace = { burst: 60, everyMs: 200 };
/** Longest that a try waits for its turn, ms; who would wait longer is refused, so that lines stay short. */
const MAX_WAIT_MS = 5_000;
const MAX_KEYS = 10_000;

/** Resolves when an address may try a key at a CRM; false when too many wait already. Nobody is refused for the past. */
export function pacingGuesses(clock: Clock): (address: string, crm: string) => Promise<boolean> {
  const [addresses, crms] = [paced(PER_ADDRESS, clock), paced(PER_CRM, clock)];
  return async (address, crm) => {
    const wait = Math.max(addresses.wait(address), crms.wait(crm));
    const mayTry = wait <= MAX_WAIT_MS;
    addresses.count(address, mayTry ? 1 : 0);
    crms.count(crm, mayTry ? 1 : 0);
    if (mayTry && wait > 0) await pause(clock, wait);
    return mayTry;
  };
}

/** The generic cell rate algorithm: of each key, when its burst is whole again. */
function paced({ burst, everyMs }: Pace, clock: Clock) {
  // Who tried last stands last: where room is needed, the one goes that has been quiet longest.
  const wholeAt = new Map<string, number>();
  const next = (key: string) => Math.max(wholeAt.get(key) ?? 0, clock.monotonic());
  return {
    wait: (key: string) => Math.max(0, next(key) - clock.monotonic() - (burst - 1) * everyMs),
    count(key: string, tries: number) {
      const at = next(key) + tries * everyMs;
      wholeAt.delete(key);
      if (wholeAt.size >= MAX_KEYS) wholeAt.delete(wholeAt.keys().next().value ?? "");
      wholeAt.set(key, at);
    },
  };
}
