import type { AccountId, JobId } from "../../domain/ids.ts";
import type { DeadFilter, DeadLetter } from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";
import { MIN_PATIENCE_MS } from "./bulk.ts";

// Undelivered messages of all accounts, for the API.

export type Wanted = Omit<DeadFilter, "limit">;
export interface Page {
  messages: DeadLetter[];
  /** The id after which the next page begins; absent on the last one. */
  next?: number;
}
export interface Done {
  /** Ids of the matching messages that were acted on, or in a dry run would be. */
  done: number[];
  /** Ids of messages that cannot be acted on, or that somebody else decided on meanwhile. */
  skipped: number[];
  /** Whether more messages may match than one request takes. */
  more: boolean;
  /** The id after which a repeat continues; absent without more. */
  next?: number;
}
interface How {
  dryRun: boolean;
  /** Name of the API token. */
  token: string;
  /** Only messages after this id. */
  after?: number;
}

export interface VendorUndelivered {
  /** In order of acceptance. */
  page(wanted: Wanted, limit: number, after?: number): Promise<Page>;
  /** Oldest first, each in its own transaction with an audit entry that names the token. */
  act(what: "retry" | "discard", wanted: Wanted, how: How): Promise<Done>;
}

interface Parts {
  store: Pick<Store, "dead">;
  patienceMs: number;
  wake(id: AccountId): void;
}

/** Maximum numbers of messages that a request acts on, and examines. */
export const MAX_ACTED = 1_000;
const MAX_LOOKED_AT = 10_000;
/** Messages per page, contents included. */
const READ_AT_ONCE = 100;

const isPossible = (what: "retry" | "discard", { state, unreadable }: DeadLetter): boolean =>
  what === "retry" ? !unreadable : state !== "held";

export function createVendorUndelivered({ store: { dead }, patienceMs, wake }: Parts): VendorUndelivered {
  async function* each(wanted: Wanted, given?: number): AsyncGenerator<DeadLetter> {
    for (let after = given; ; ) {
      const found = await dead.list({ ...wanted, after, limit: READ_AT_ONCE });
      yield* found;
      if (found.length < READ_AT_ONCE) return;
      after = found.at(-1)?.id;
    }
  }
  const actOn = async (what: "retry" | "discard", { id, endedAt }: DeadLetter, token: string): Promise<boolean> => {
    const refs = [{ id: id as JobId, endedAt }];
    const acted =
      what === "retry"
        ? dead.replay(refs, Math.max(MIN_PATIENCE_MS, patienceMs), { token })
        : dead.discard(refs, { token });
    return (await acted) > 0;
  };
  return {
    async page(wanted, limit, after) {
      const messages: DeadLetter[] = [];
      for await (const letter of each(wanted, after)) {
        if (messages.length === limit) return { messages, next: messages.at(-1)?.id };
        messages.push(letter);
      }
      return { messages };
    },
    async act(what, wanted, { dryRun, token, after }) {
      const result: Done = { done: [], skipped: [], more: false };
      const { done, skipped } = result;
      const woken = new Set<string>();
      let last = after;
      for await (const letter of each(wanted, after)) {
        result.more = done.length === MAX_ACTED || done.length + skipped.length === MAX_LOOKED_AT;
        if (result.more) break;
        const isDone = isPossible(what, letter) && (dryRun || (await actOn(what, letter, token)));
        (isDone ? done : skipped).push(letter.id);
        if (isDone) woken.add(letter.accountId);
        last = letter.id;
      }
      if (!dryRun && what === "retry") for (const id of woken) wake(id as AccountId);
      return result.more ? { ...result, next: last } : result;
    },
  };
}
