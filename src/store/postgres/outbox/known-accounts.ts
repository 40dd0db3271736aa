import type { ChannelId } from "gangway-messenger/ids";
import type { Direction } from "../../../domain/delivery.ts";
import type { AccountId } from "../../../domain/ids.ts";
import {
  type AccountFacts,
  type AccountHint,
  type ChannelFacts,
  type Facts,
  factsOf,
  type Hints,
  hint,
  queuesWith,
} from "../../outbox/dealing.ts";
import { ACCOUNT_WORKS, CHANNEL_PAUSED } from "../../tables/engine.ts";
import type { LaneTransactions } from "../database/lane-transactions.ts";
import type { OwnAccounts } from "../tables/leases.ts";

// What a process knows of its accounts: read when it takes the lease and when a row changes. Hints come from what its
// own statements return; when another process stores work, all queues are due until a claim has looked.

/** Messages that cannot be claimed now. */
export const WITHOUT =
  "without AS MATERIALIZED (SELECT CAST(json_array_elements_text(CAST(@without AS json)) AS bigint) AS id)";

/** An account, as it was when it was last read. */
interface Known extends Facts {
  hasTrouble: boolean;
  hints: Hints;
}

export interface KnownAccounts extends OwnAccounts {
  of(accountId: AccountId): Known | undefined;
  hint(hints: Iterable<AccountHint>): void;
  /** Rereads those of the accounts that this process works for, and calls `changed` for those that differ. */
  reread(accountIds: AccountId[]): Promise<void>;
  /** Another process has stored work for these: anything may be due. */
  dueNow(accountIds: AccountId[]): void;
  /** These accounts, or all, may be stale: they are read again soon. */
  outdate(accountIds?: AccountId[]): void;
  /** Rereads at most `most` accounts, in turn. Resolves with whether any differed. */
  sweep(most?: number): Promise<boolean>;
}

const FIRSTS = `SELECT json_build_array(channel.id, queue.direction, first.id, first.run_at)
  FROM channel
  CROSS JOIN (VALUES ('inbound', 1), ('inbound', 0), ('outbound', 0)) AS queue (direction, known)
  CROSS JOIN LATERAL (SELECT id, run_at FROM message
    WHERE channel_id = channel.id AND direction = queue.direction AND known = queue.known AND head = 1 AND state = 'ready'
      AND id NOT IN (SELECT id FROM without)
    ORDER BY run_at, id LIMIT 1) AS first
  WHERE channel.account_id = account.id`;
const ACK = `SELECT json_build_array(channel_id, 'ack', id, ack_at) FROM message
  WHERE account_id = account.id AND ack = 'due' AND ack IN ('due','sending')
    AND id NOT IN (SELECT id FROM without) ORDER BY ack_at, id LIMIT 1`;
const READ = `WITH ${WITHOUT}
  SELECT id, ${ACCOUNT_WORKS} AS works, limits, trouble IS NOT NULL AS "hasTrouble", rest_until AS "restUntil",
  gateway_url AS "gatewayUrl",
  (SELECT json_agg(json_build_array(id, kind, state, ${CHANNEL_PAUSED}) ORDER BY id) FROM channel WHERE account_id = account.id) AS channels,
  array_to_json(ARRAY(${FIRSTS}) || ARRAY(${ACK})) AS firsts
  FROM account WHERE id IN (SELECT json_array_elements_text(CAST(@ids AS json)))`;

type First = [channelId: ChannelId, direction: Direction, id: number, at: number];
interface Row extends AccountFacts {
  id: AccountId;
  hasTrouble: boolean;
  channels: ChannelFacts[] | null;
  firsts: First[];
}

interface Entry {
  known?: Known;
  /** What was read last, to compare. */
  text?: string;
  /** Hints since the reading under way began. */
  since?: AccountHint[];
}

interface Given extends Pick<LaneTransactions, "rows"> {
  /** Messages whose rows another program locks, or whose results are being recorded. */
  unclaimable(): number[];
}

/** `changed`: an account may have other work than was known. */
export function knownAccounts({ rows, unclaimable }: Given, changed: (accountId: AccountId) => void): KnownAccounts {
  const entries = new Map<AccountId, Entry>();
  const outdated = new Set<AccountId>();
  let reading: Promise<unknown> = Promise.resolve();
  let swept = 0;

  const read = async (asked: Map<AccountId, Entry>): Promise<AccountId[]> => {
    for (const entry of asked.values()) entry.since = [];
    const different: AccountId[] = [];
    const ids = JSON.stringify([...asked.keys()]);
    const found = await rows<Row>(READ, { ids, without: JSON.stringify(unclaimable()) }).catch((error: unknown) => {
      for (const entry of asked.values()) entry.since = undefined;
      throw error;
    });
    const existing = new Set(found.map(({ id }) => id));
    // The account was erased.
    for (const [id, entry] of asked) if (!existing.has(id) && entries.get(id) === entry) entries.delete(id);
    for (const row of found) {
      const entry = asked.get(row.id);
      // It was forgotten while it was read.
      if (!entry || entries.get(row.id) !== entry) continue;
      const text = JSON.stringify(row);
      if (text !== entry.text) different.push(row.id);
      const known = knownOf(row);
      for (const each of entry.since ?? []) hint(known.hints, each);
      Object.assign(entry, { text, known, since: undefined });
    }
    return different;
  };
  /** One reading at a time: the later one has the newer rows. What was forgotten meanwhile is not read. */
  const load = (ids: AccountId[]): Promise<AccountId[]> => {
    const after = reading.then(() => {
      const asked = ids.flatMap((id): [AccountId, Entry][] => {
        const entry = entries.get(id);
        return entry ? [[id, entry]] : [];
      });
      return asked.length > 0 ? read(new Map(asked)) : [];
    });
    reading = after.catch(() => undefined);
    return after;
  };
  const refresh = async () => {
    const ids = [...outdated].filter((id) => entries.has(id));
    outdated.clear();
    try {
      await load(ids);
      for (const id of ids) changed(id);
    } catch {
      // Makes the next sweep find them different.
      for (const id of ids) delete entries.get(id)?.text;
    }
  };
  const outdate = (accountIds = [...entries.keys()]) => {
    for (const id of accountIds) {
      if (!entries.has(id)) continue;
      if (outdated.size === 0) setImmediate(() => void refresh());
      outdated.add(id);
    }
  };
  const take = (hints: Iterable<AccountHint>) => {
    for (const each of hints) {
      const entry = entries.get(each.accountId);
      entry?.since?.push(each);
      if (entry?.known) hint(entry.known.hints, each);
    }
  };
  return {
    of: (accountId) => entries.get(accountId)?.known,
    async load(ids) {
      for (const id of ids) if (!entries.has(id)) entries.set(id, {});
      await load(ids);
    },
    async reread(ids) {
      for (const id of await load(ids)) changed(id);
    },
    forget(accountIds = [...entries.keys()]) {
      for (const id of accountIds) entries.delete(id);
    },
    hint: take,
    dueNow(accountIds) {
      for (const accountId of accountIds) {
        const entry = entries.get(accountId);
        const queues = queuesWith([...(entry?.known?.hosts.kindOf.keys() ?? [])]);
        take(queues.map((queue) => ({ ...queue, accountId, at: 0, jobs: 1 })));
        // A read under way may miss the work, or not know its channel yet.
        if (entry?.since) outdate([accountId]);
        if (entry) changed(accountId);
      }
    },
    outdate,
    async sweep(most = entries.size) {
      const ids = [...entries.keys()];
      const first = swept < ids.length ? swept : 0;
      swept = first + most;
      const different = await load(ids.slice(first, swept));
      for (const id of different) changed(id);
      return different.length > 0;
    },
  };
}

function knownOf({ hasTrouble, channels, firsts, ...account }: Row): Known {
  const hints: Hints = new Map();
  for (const [channelId, direction, , at] of firsts) hint(hints, { channelId, direction, at, jobs: 1 });
  return { ...factsOf(account, channels ?? []), hasTrouble, hints };
}

// Requests that come in one turn, or while a batch is stored, are stored together.

/** Requests per transaction: they hold as many locks, of which a server has some thousands. */
const MAX_BATCH = 128;
interface Pending<Q, R> {
  request: Q;
  resolve(value: R): void;
  reject(error: unknown): void;
}

/**
 * `store` resolves, once it is committed, with a function for each request that gives its value, or throws. If it fails, each
 * request is stored apart, so that one cannot fail the others.
 */
export function batches<Q, R>(store: (requests: Q[]) => Promise<(() => R)[]>): (request: Q) => Promise<R> {
  const pending: Pending<Q, R>[] = [];
  // One batch at a time, so that what came first is stored first. The next one gathers meanwhile.
  let busy = false;
  const storeAll = async (batch: Pending<Q, R>[]) => {
    try {
      const ends = await store(batch.map(({ request }) => request));
      for (const [n, pending] of batch.entries()) settle(pending, ends[n] as () => R);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const each of batch) await storeAll([each]);
    }
  };
  const flush = async () => {
    while (pending.length > 0) await storeAll(pending.splice(0, MAX_BATCH));
    busy = false;
  };
  return (request) =>
    new Promise((resolve, reject) => {
      pending.push({ request, resolve, reject });
      if (busy) return;
      busy = true;
      setImmediate(() => void flush());
    });
}

function settle<Q, R>({ resolve, reject }: Pending<Q, R>, end: () => R): void {
  try {
    resolve(end());
  } catch (error) {
    reject(error);
  }
}
