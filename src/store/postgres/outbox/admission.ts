import type { Clock } from "../../../domain/clock.ts";
import type { Bounds } from "../../../domain/overload.ts";
import { boundReached, DEEPER, mayFillLane, refusing } from "../../outbox/admission.ts";
import type { Sessions } from "../sessions.ts";
import { type Accounts, accountOf, createWaits, type Own, plus, wayOf } from "./waiting.ts";

/** A bound is exceeded at most by what the other processes accept while a count holds, and by what is being stored just then. */
export interface Admission {
  /** Runs `accept` unless too much waits. A batch that begins below the bounds is admitted whole. Throws Overload. */
  admitted<T extends { added: number }>(what: Arriving, accept: () => Promise<T>): Promise<T>;
}

interface Arriving {
  accountId: string;
  channelId: string;
  direction: "inbound" | "outbound";
  /** The chat of each message, as the messenger names it. */
  chats: string[];
}

export function createAdmission({ rows }: Pick<Sessions, "rows">, bounds: Bounds, clock: Clock): Admission {
  const refuse = refusing();
  const all: Own = { total: 0, underWay: 0 };
  const accounts: Accounts = new Map();
  const waits = createWaits({ rows, bounds, clock, all, accounts });

  /** True when a chat may be too long. */
  const assertRoom = (what: Arriving): boolean => {
    const { accountId, channelId, direction } = what;
    const of = waits.of(accountId) ?? (() => 0);
    const waiting = { all: waits.inAll(), ofAccount: of(wayOf(direction)), ofChannel: of(wayOf(direction, channelId)) };
    const reached = boundReached(bounds, direction, waiting);
    if (reached) refuse(reached, what);
    return mayFillLane(bounds, direction, waiting);
  };
  const assertLanes = async (what: Arriving): Promise<void> => {
    const { channelId, direction, chats } = what;
    for (const chat of new Set(chats)) {
      const deeper = await rows(DEEPER, { channelId, direction, chat, limit: bounds.perLane - 1 });
      if (deeper.length > 0) refuse("lane", what);
    }
  };
  const add = ({ accountId, channelId, direction }: Arriving, by: number) => {
    const { own, ways } = accountOf(accounts, accountId);
    for (const each of [all, own]) each.total += by;
    for (const way of [wayOf(direction), wayOf(direction, channelId)]) plus(ways, way, by);
  };
  return {
    async admitted(what, accept) {
      const { accountId, chats } = what;
      const most = chats.length;
      if (most === 0) return accept();
      for (let wait = waits.missing(accountId); wait; wait = waits.missing(accountId)) await wait;
      // From here to the counts nobody else is admitted.
      if (assertRoom(what)) await assertLanes(what);
      const account = accountOf(accounts, accountId);
      add(what, most);
      for (const own of [all, account.own]) own.underWay += most;
      const accepting = accept();
      account.idle = Promise.allSettled([account.idle, accepting]);
      let added = 0;
      try {
        const accepted = await accepting;
        added = Math.min(most, accepted.added);
        return accepted;
      } finally {
        for (const own of [all, account.own]) own.underWay -= most;
        add(what, added - most);
      }
    },
  };
}
