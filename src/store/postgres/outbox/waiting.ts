import type { Clock } from "../../../domain/clock.ts";
import type { Bounds } from "../../../domain/overload.ts";
import { leastBound, shareOf } from "../../outbox/admission.ts";
import type { Sessions } from "../sessions.ts";

// What waits in the whole database, as far as admission needs it. The ledger's sums, a row a channel, tell once a second how
// much that is in all, and of which accounts it is much. Only of those, and only while something comes for them, live
// messages are counted: up to the bound, once a second. What this process accepts meanwhile is added. One count at a time: a
// process that counts much counts less often.

/** How long a count holds, ms, and at least as a multiple of the time that it took. */
const [HOLDS_MS, HOLDS_TIMES] = [1_000, 10];

/** Held messages, which are nobody's work, are in these sums; our own notes are not. */
const SUMS = `SELECT coalesce(sum(waiting + acks), 0) AS "inAll",
    coalesce(json_object_agg(account_id, waiting) FILTER (WHERE waiting >= CAST(@much AS double precision)), '{}') AS busy
  FROM (SELECT account_id, sum(accepted - delivered - refused) AS waiting, sum(acks_owed - acks_given - acks_refused) AS acks
    FROM tally GROUP BY account_id) AS sums`;
const HELD = `SELECT coalesce(sum(events), 0) AS held FROM message
  WHERE (state IN ('held','dead') OR ack = 'refused') AND state = 'held'`;
const live = (direction: string) => `(SELECT message.channel_id, message.direction FROM channel JOIN message
    ON message.channel_id = channel.id AND message.direction = '${direction}' AND message.state IN ('ready','sending','waiting')
  WHERE channel.account_id = @accountId LIMIT CAST(@${direction} AS bigint))`;
const COUNT = `SELECT channel_id AS "channelId", direction, count(*) AS live
  FROM (${live("inbound")} UNION ALL ${live("outbound")}) AS message GROUP BY channel_id, direction`;

/** What this process has accepted since its start, with what is under way. */
export interface Own {
  total: number;
  underWay: number;
}

/** An account that something comes for. */
interface Account {
  own: Own;
  /** What this process has accepted, by `wayOf`. */
  ways: Map<string, number>;
  /** When nothing of it is under way. */
  idle: Promise<unknown>;
  counted?: Counted;
  counting?: Promise<unknown>;
}

interface Counted {
  until: number;
  live: Map<string, number>;
  /** The account's, as they were then. */
  ways: Map<string, number>;
}

/** A look at the sums. */
interface Seen {
  until: number;
  inAll: number;
  busy: Record<string, number>;
  /** What this process had accepted then: in all, and of each account. */
  ownInAll: number;
  ownOf: Map<string, number>;
}

export type Accounts = Map<string, Account>;

export function accountOf(accounts: Accounts, id: string): Account {
  const known = accounts.get(id) ?? { own: { total: 0, underWay: 0 }, ways: new Map(), idle: Promise.resolve() };
  accounts.set(id, known);
  return known;
}

const settled = ({ total, underWay }: Own) => total - underWay;
export const plus = (counts: Map<string, number>, name: string, by: number) =>
  counts.set(name, (counts.get(name) ?? 0) + by);
/** A direction of an account, or of one of its channels. */
export const wayOf = (direction: string, channelId = ""): string => `${channelId} ${direction}`;
const limitOf = (bound: number) => (Number.isFinite(bound) ? bound : null);

export interface Waits {
  /** What must be read before `of` and `inAll` tell whether there is room. */
  missing(accountId: string): Promise<unknown> | undefined;
  /** Undefined: too little for any bound of the account. */
  of(accountId: string): ((way: string) => number) | undefined;
  inAll(): number;
}

/** Nothing has come for them since the look began, and no count of theirs holds. */
function forgetIdle(accounts: Accounts, ownOf: Map<string, number>, now: number): void {
  for (const [id, { own, counting, counted }] of accounts) {
    if (own.total !== ownOf.get(id) || counting || (counted && now < counted.until)) continue;
    accounts.delete(id);
    ownOf.delete(id);
  }
}

interface Parts {
  rows: Sessions["rows"];
  bounds: Bounds;
  clock: Clock;
  /** This process's. */
  all: Own;
  accounts: Accounts;
}

export function createWaits({ rows, bounds, clock, all, accounts }: Parts): Waits {
  const least = leastBound(bounds);
  /** At most of an account that a look does not name. */
  const much = least / 2;
  let seen: Seen | undefined;
  let looking: Promise<unknown> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const isFresh = ({ until }: { until: number }) => clock.monotonic() < until;
  const holdsUntil = (asked: number) => {
    const now = clock.monotonic();
    return now + Math.max(HOLDS_MS, HOLDS_TIMES * (now - asked));
  };
  const lookNow = async () => {
    const asked = clock.monotonic();
    const ownOf = new Map([...accounts].map(([id, { own }]) => [id, settled(own)]));
    const ownInAll = settled(all);
    const [sums] = await rows<Pick<Seen, "inAll" | "busy">>(SUMS, { much });
    const { inAll, busy } = sums ?? { inAll: 0, busy: {} };
    const [row] = inAll >= bounds.all ? await rows<{ held: number }>(HELD) : [];
    forgetIdle(accounts, ownOf, clock.monotonic());
    seen = { until: holdsUntil(asked), inAll: inAll - (row?.held ?? 0), busy, ownInAll, ownOf };
  };
  const look = () => {
    looking ??= lookNow().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const countNow = async (accountId: string, account: Account, asked: number) => {
    // New ones wait for the count.
    await account.idle;
    const ways = new Map(account.ways);
    const [inbound, outbound] = [limitOf(shareOf(bounds, "inbound")), limitOf(shareOf(bounds, "outbound"))];
    const counts = new Map<string, number>();
    type Row = { channelId: string; direction: string; live: number };
    for (const row of await rows<Row>(COUNT, { accountId, inbound, outbound }))
      for (const way of [wayOf(row.direction), wayOf(row.direction, row.channelId)]) plus(counts, way, row.live);
    account.counted = { until: holdsUntil(asked), live: counts, ways };
  };
  const count = (accountId: string, account: Account) => {
    if (account.counting) return account.counting;
    const asked = clock.monotonic();
    const counting = last
      .then(() => countNow(accountId, account, asked))
      .finally(() => {
        account.counting = undefined;
      });
    account.counting = counting;
    last = counting.catch(() => undefined);
    return counting;
  };

  const inAll = () => (seen ? seen.inAll + all.total - seen.ownInAll : 0);
  const isCalm = (id: string) => {
    const own = (accounts.get(id)?.own.total ?? 0) - (seen?.ownOf.get(id) ?? 0);
    return (seen?.busy[id] ?? Math.floor(much)) + own < least;
  };
  return {
    inAll,
    missing(accountId) {
      if (least === Number.POSITIVE_INFINITY && bounds.all === Number.POSITIVE_INFINITY) return undefined;
      if (!seen) return look();
      if (!isFresh(seen)) {
        const looked = look();
        // Only a refusal waits for what is new.
        if (inAll() >= bounds.all) return looked;
        looked.catch(() => undefined);
      }
      if (inAll() >= bounds.all || isCalm(accountId)) return undefined;
      const account = accountOf(accounts, accountId);
      return account.counted && isFresh(account.counted) ? undefined : count(accountId, account);
    },
    of(accountId) {
      const { counted, ways } = accounts.get(accountId) ?? {};
      if (!seen || isCalm(accountId) || !counted || !ways) return undefined;
      return (way) => (counted.live.get(way) ?? 0) + (ways.get(way) ?? 0) - (counted.ways.get(way) ?? 0);
    },
  };
}
