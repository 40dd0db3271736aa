import { type Clock, pause } from "gangway-messenger/clock";
import { sameSecret } from "gangway-messenger/ids";
import type { Remembered } from "../../store/accounts.ts";
import { createExpiring } from "../account/expiring.ts";
import type { Visit } from "../account/visits.ts";
import type { Offer } from "./login-offers.ts";

/** How long a login may take at the messenger, and then how long its outcome is kept, ms. */
export const LOGIN_MS = 600_000;

/** `detail`: the messenger's own words, or why it did not answer. */
export type LoginFault = { code: "cancelled" | "empty" } | { code: "refused" | "away"; detail: string };

export type Outcome = { fault: LoginFault } | Offer;

/** Logins in progress, and their outcomes. */
export interface LoginMemory {
  begin(visit: Visit, kind: string, stateHash: string): Promise<void>;
  /** False if this visit did not begin the login. The first return with this state calls `ask`; repeats wait. */
  comeBack(visit: Visit, kind: string, stateHash: string, ask: () => Promise<Outcome>): Promise<boolean>;
  outcome(visit: Visit, kind: string): Promise<Outcome | undefined>;
  keep(visit: Visit, kind: string, outcome: Outcome): Promise<void>;
}

/** Concurrent logins of one visit at a messenger, for example in several tabs. */
const MAX_BEGUN = 3;

interface Begun {
  stateHash: string;
  until: number;
  /** Settles when the first return with this state has its outcome. */
  back?: Promise<void>;
}

const keyOf = ({ id }: Visit, kind: string) => `${id} ${kind}`;

/** Keeps logins in this process's memory: nothing reaches the disk. */
export function ownLogins(clock: Clock): LoginMemory {
  const begun = createExpiring<Begun[]>(clock, LOGIN_MS);
  const outcomes = createExpiring<Outcome>(clock, LOGIN_MS);
  return {
    async begin(visit, kind, stateHash) {
      const now = clock.monotonic();
      const earlier = begun.get(keyOf(visit, kind))?.filter(({ until }) => until > now) ?? [];
      begun.set(keyOf(visit, kind), [...earlier, { stateHash, until: now + LOGIN_MS }].slice(-MAX_BEGUN));
    },
    async comeBack(visit, kind, stateHash, ask) {
      const own = begun.get(keyOf(visit, kind))?.find((each) => sameSecret(stateHash, each.stateHash));
      if (!own || own.until <= clock.monotonic()) return false;
      own.back ??= ask().then((outcome) => outcomes.set(keyOf(visit, kind), outcome));
      await own.back;
      return true;
    },
    outcome: async (visit, kind) => outcomes.get(keyOf(visit, kind)),
    async keep() {
      // `outcome` returned the stored object itself, which the caller has changed in place.
    },
  };
}

/** How long a repeated return waits for the first, and its polling interval, ms. */
const [REPEAT_MS, LOOK_MS] = [30_000, 250];

/** A person may return to another process, so all processes share the logins, encrypted in their database. */
export function sharedLogins(remembered: Remembered, clock: Clock): LoginMemory {
  const set = ({ account }: Visit, name: string, value: unknown) =>
    remembered.set(account.id, name, JSON.stringify(value, asLists), LOGIN_MS);
  const outcomeName = (visit: Visit, kind: string) => `login outcome ${keyOf(visit, kind)}`;
  const keep: LoginMemory["keep"] = (visit, kind, outcome) => set(visit, outcomeName(visit, kind), outcome);
  return {
    keep,
    async begin(visit, kind, stateHash) {
      const name = `login ${keyOf(visit, kind)} ${stateHash}`;
      await set(visit, `${name} known`, true);
      await set(visit, `${name} first`, true);
    },
    async comeBack(visit, kind, stateHash, ask) {
      const name = `login ${keyOf(visit, kind)} ${stateHash}`;
      if (await remembered.take(`${name} first`)) {
        await keep(visit, kind, await ask());
        await set(visit, `${name} done`, true);
        return true;
      }
      if (!(await remembered.get(`${name} known`))) return false;
      for (let waited = 0; waited < REPEAT_MS && !(await remembered.get(`${name} done`)); waited += LOOK_MS)
        await pause(clock, LOOK_MS);
      return true;
    },
    async outcome(visit, kind) {
      const text = await remembered.get(outcomeName(visit, kind));
      const found = text === undefined ? undefined : JSON.parse(text);
      if (!found || "fault" in found) return found;
      return { choices: found.choices, connected: new Set(found.connected), faults: new Map(found.faults) };
    },
  };
}

const asLists = (_: string, value: unknown) => (value instanceof Set || value instanceof Map ? [...value] : value);
