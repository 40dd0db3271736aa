import type { Clock } from "gangway-messenger/clock";
import type { AccountId, JobId } from "../../domain/ids.ts";
import type { Act } from "../../store/care.ts";
import type { DeadFilter, DeadLetter } from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";
import { MIN_PATIENCE_MS } from "./bulk.ts";

// Undelivered messages of whichever accounts, for the API.

export type Wanted = Omit<DeadFilter, "limit">;
export interface Page {
  messages: DeadLetter[];
  /** The id after which the next page begins; absent on the last one. */
  next?: number;
}
export interface Done {
  /** Of those that fit, the ids that it was done with, or in a rehearsal would be. */
  done: number[];
  /** Unreadable ones, and those that somebody else decided on meanwhile. */
  skipped: number[];
  /** Whether more fit than a request takes. */
  more: boolean;
}

export interface VendorUndelivered {
  /** In order of acceptance. */
  page(wanted: Wanted, limit: number, after?: number): Promise<Page>;
  /** Oldest first, each in a transaction of its own with its audit entry, which names the token. */
  act(what: "retry" | "discard", wanted: Wanted, how: { dryRun: boolean; token: string }): Promise<Done>;
}

interface Parts {
  store: Pick<Store, "dead" | "outbox">;
  clock: Pick<Clock, "now">;
  patienceMs: number;
  wake(id: AccountId): void;
}

/** Messages that a request acts on, at most; read at once, with what is in them. */
export const MAX_ACTED = 1_000;
const READ_AT_ONCE = 100;

export function createVendorUndelivered({ store, clock, patienceMs, wake }: Parts): VendorUndelivered {
  const { dead, outbox } = store;
  const page: VendorUndelivered["page"] = async (wanted, limit, given) => {
    const messages: DeadLetter[] = [];
    for (let after = given; ; ) {
      const found = await dead.list({ ...wanted, after, limit: READ_AT_ONCE });
      for (const letter of found) {
        if (messages.length === limit) return { messages, next: messages.at(-1)?.id };
        messages.push(letter);
      }
      if (found.length < READ_AT_ONCE) return { messages };
      after = found.at(-1)?.id;
    }
  };
  const actOn = (what: "retry" | "discard", { accountId, id }: DeadLetter, token: string): Promise<boolean> => {
    const action = what === "retry" ? "message sent again" : "message discarded";
    const by: Act = { actor: "operator", action, detail: { token } };
    const [owner, job] = [accountId as AccountId, id as JobId];
    if (what === "retry") return outbox.sendAgain(owner, job, Math.max(MIN_PATIENCE_MS, patienceMs), by);
    return outbox.discarded(owner, job, clock.now(), by);
  };
  return {
    page,
    async act(what, wanted, { dryRun, token }) {
      const { messages, next } = await page(wanted, MAX_ACTED);
      const result: Done = { done: [], skipped: [], more: next !== undefined };
      for (const letter of messages) {
        const isDone = !(what === "retry" && letter.unreadable) && (dryRun || (await actOn(what, letter, token)));
        (isDone ? result.done : result.skipped).push(letter.id);
      }
      const woken = new Set(messages.filter(({ id }) => result.done.includes(id)).map(({ accountId }) => accountId));
      if (!dryRun && what === "retry") for (const id of woken) wake(id as AccountId);
      return result;
    },
  };
}
