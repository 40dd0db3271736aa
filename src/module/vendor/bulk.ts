import { setImmediate } from "node:timers/promises";
import type { Clock } from "gangway-messenger/clock";
import { serialByKey } from "gangway-messenger/concurrency";
import type { Account } from "../../domain/account.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";
import type { DeadFilter, DeadLetters, DeadRef, FoundMessage } from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";
import { type Placed, placed } from "../messages/placing.ts";
import { accountOf } from "./naming.ts";

// Acts on undelivered messages of many accounts at once.

/** Minimum deadline of messages sent again in bulk, ms: messages of one chat leave a second apart. */
export const MIN_PATIENCE_MS = 3_600_000;
/** Maximum number of messages per batch. */
export const BATCH = 100;
/** Messages whose contents are read per query. */
const READ_AT_ONCE = 250;
/** Accounts that a batch acts on concurrently. */
const ACCOUNTS_AT_ONCE = 8;
/** A request starts no further batch after this time. */
const MAX_RUN_MS = 10_000;
const MAX_MATCHING = 100_000;
const SHOWN = 50;

export type Bulk = "again" | "discard";
/** Selects undelivered messages by reason. */
export interface Which extends Pick<DeadFilter, "state" | "code" | "error" | "from" | "to"> {
  accountId?: AccountId;
}

interface Matching {
  count: number;
  accounts: number;
  /** When the first and the last message ended, ms. */
  oldestAt?: number;
  newestAt?: number;
  /** More than `MAX_MATCHING` match; only the oldest are counted, so the selection should be narrowed. */
  more?: true;
}

interface Rehearsed extends Matching {
  until: number;
  unreadable: number;
  /** May have been delivered: their customers may get them twice. */
  unsure: number;
}

export interface BulkActs {
  /** Acts on one message; false if it is not undelivered, cannot be read, or somebody else has decided on it. */
  one(what: Bulk, id: JobId): Promise<boolean>;
  /** Finds an account by id or CRM address. */
  accountOf(name: string): Promise<Account | undefined>;
  /** The newest matching messages, and figures about all. */
  look(which: Which): Promise<Matching & { newest: Placed<FoundMessage>[] }>;
  /** What `run` would do; changes nothing. `unreadable` messages cannot be sent. */
  rehearse(which: Which): Promise<Rehearsed>;
  /**
   * Acts on messages that ended by `until`, oldest first, each in its own transaction with an audit entry. Stops after
   * MAX_RUN_MS with some `left`; a repeat resumes. `failed`: unreadable, or decided on by somebody else.
   */
  run(what: Bulk, which: Which, until: number): Promise<{ done: number; failed: number; left: number }>;
}

interface BulkParts {
  store: Pick<Store, "accounts" | "audit" | "dead" | "stories">;
  clock: Pick<Clock, "now" | "monotonic">;
  outboundPatienceMs: number;
  wake(id: AccountId): void;
}

/** Returns the ids of the messages that cannot be read. */
export async function unreadableOf(
  dead: Pick<DeadLetters, "list">,
  state: DeadFilter["state"],
  refs: DeadRef[],
): Promise<number[]> {
  const unreadable: number[] = [];
  for (let n = 0; n < refs.length; n += READ_AT_ONCE) {
    const ids = refs.slice(n, n + READ_AT_ONCE).map(({ id }) => id);
    const letters = await dead.list({ state, ids, limit: ids.length });
    unreadable.push(...letters.flatMap((letter) => (letter.unreadable ? [letter.id] : [])));
    await setImmediate();
  }
  return unreadable;
}

/** Counts messages that may have been delivered. */
export const unsureIn = (refs: DeadRef[]): number => refs.filter(({ unsure }) => unsure > 0).length;

export const accountsIn = (refs: DeadRef[]): number => new Set(refs.map(({ accountId }) => accountId)).size;

function matchingOf(refs: DeadRef[]): Matching {
  let [oldestAt, newestAt]: [number?, number?] = [];
  for (const { endedAt } of refs) {
    if (oldestAt === undefined || endedAt < oldestAt) oldestAt = endedAt;
    if (newestAt === undefined || endedAt > newestAt) newestAt = endedAt;
  }
  const more = refs.length > MAX_MATCHING && { more: true as const };
  return { count: Math.min(refs.length, MAX_MATCHING), accounts: accountsIn(refs), oldestAt, newestAt, ...more };
}

const ACTIONS: Record<Bulk, string> = {
  again: "messages sent again in bulk",
  discard: "messages discarded in bulk",
};

export function createBulk({ store, clock, outboundPatienceMs, wake }: BulkParts): BulkActs {
  const oneByOne = serialByKey<"bulk">();
  const { dead } = store;
  const matching = (which: Which) => dead.refs({ ...which, messages: true, limit: MAX_MATCHING + 1 });
  const act: Record<Bulk, (refs: DeadRef[]) => Promise<number>> = {
    again: (refs) => dead.replay(refs, Math.max(MIN_PATIENCE_MS, outboundPatienceMs)),
    discard: dead.discard,
  };
  /** Acts account by account, keeping the order within each. */
  const runBatch = async (what: Bulk, batch: DeadRef[]) => {
    const byAccount = [...Map.groupBy(batch, ({ accountId }) => accountId)];
    let done = 0;
    for (let n = 0; n < byAccount.length; n += ACCOUNTS_AT_ONCE) {
      const some = byAccount.slice(n, n + ACCOUNTS_AT_ONCE).map(async ([accountId, refs]) => {
        const count = await act[what](refs);
        if (count > 0 && what === "again") wake(accountId);
        return count;
      });
      for (const count of await Promise.all(some)) done += count;
    }
    return done;
  };
  return {
    async one(what, id) {
      for (const state of ["dead", "held"] as const) {
        const refs = await dead.refs({ state, ids: [id], limit: 1 });
        if (refs.length > 0) return (await runBatch(what, refs)) > 0;
      }
      return false;
    },
    accountOf: (name) => accountOf(store, name),
    async look(which) {
      const refs = await matching(which);
      const newest = await store.stories.some(refs.slice(-SHOWN).map(({ id }) => id));
      return { ...matchingOf(refs), newest: await placed(store, newest) };
    },
    async rehearse(which) {
      const until = clock.now();
      const refs = await matching(upTo(which, until));
      const unreadable = (await unreadableOf(dead, which.state, refs)).length;
      return { ...matchingOf(refs), until, unreadable, unsure: unsureIn(refs) };
    },
    run: (what, which, until) =>
      oneByOne("bulk", async () => {
        const refs = await matching(upTo(which, until));
        const end = clock.monotonic() + MAX_RUN_MS;
        let [tried, done] = [0, 0];
        try {
          while (tried < refs.length && (tried === 0 || clock.monotonic() < end)) {
            const batch = refs.slice(tried, tried + BATCH);
            done += await runBatch(what, batch);
            tried += batch.length;
          }
        } finally {
          const { state, code } = which;
          // Log no account and no error text, which may quote a customer: an erasure would not find it here.
          const detail = { count: done, accounts: accountsIn(refs.slice(0, tried)), state, code };
          if (done > 0) await store.audit.record(undefined, { actor: "operator", action: ACTIONS[what], detail });
        }
        return { done, failed: tried - done, left: refs.length - tried };
      }),
  };
}

const upTo = ({ to, ...which }: Which, until: number): Which => ({ ...which, to: Math.min(to ?? until, until) });
