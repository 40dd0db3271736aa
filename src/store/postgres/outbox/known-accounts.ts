import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import type { Head, Queue } from "../../outbox/dealing.ts";
import { type AccountHint, type Hints, hint, type QueueDirection } from "../../outbox/hints.ts";
import type { Hosts } from "../../outbox.ts";
import type { Sessions } from "../sessions.ts";

// What the holder of accounts knows of them: read when it takes the lease, when a row changes, and by each claim. Hints come
// from what its own statements return; for what another process stores, the account is due until a claim has looked.

/** An account, as it was when it was last read. */
export interface Known {
  /** Active, and not frozen. */
  works: boolean;
  hasTrouble: boolean;
  restUntil: number;
  hosts: Hosts;
  paused: Set<string>;
  hints: Hints;
}

export interface KnownAccounts {
  of(accountId: AccountId): Known | undefined;
  /** Reads accounts anew. */
  load(accountIds: AccountId[]): Promise<void>;
  /**
   * The same, and the first heads of each queue that may be claimed. They leave no hints: the claim leaves one of what it does
   * not take.
   */
  claiming(accountIds: AccountId[], most: number): Promise<ReadonlyMap<AccountId, Queue[]>>;
  /** Undefined: all of them. */
  forget(accountIds?: AccountId[]): void;
  hint(hints: Iterable<AccountHint>): void;
  /** Another process has stored work for these: anything may be due. */
  dueNow(accountIds: AccountId[]): void;
  /** They are not right any more, or none is: they are read again, soon. */
  outdate(accountIds?: AccountId[]): void;
  /** Reads accounts anew, by turns if there are more than `most`; whether anything was different. */
  sweep(most?: number): Promise<boolean>;
}

const HEADS = `SELECT json_build_array(channel.id, queue.direction, queue.known, head.id, head.run_at)
  FROM channel
  CROSS JOIN (VALUES ('inbound', 1), ('inbound', 0), ('outbound', 0)) AS queue (direction, known)
  CROSS JOIN LATERAL (SELECT id, run_at FROM message
    WHERE channel_id = channel.id AND direction = queue.direction AND known = queue.known AND head = 1 AND state = 'ready'
      AND id NOT IN (SELECT id FROM without)
    ORDER BY run_at, id LIMIT CAST(@most AS int)) AS head
  WHERE channel.account_id = account.id`;
const ACKS = `SELECT json_build_array(channel_id, 'ack', 0, id, ack_at) FROM message
  WHERE account_id = account.id AND ack = 'due' AND ack IN ('due','sending')
    AND id NOT IN (SELECT id FROM without) ORDER BY ack_at, id LIMIT CAST(@most AS int)`;
const READ = `WITH without AS MATERIALIZED (SELECT CAST(json_array_elements_text(CAST(@without AS json)) AS bigint) AS id)
  SELECT id, active <> 0 AND frozen = 0 AS works, trouble IS NOT NULL AS "hasTrouble", rest_until AS "restUntil",
  gateway_url AS "gatewayUrl",
  (SELECT json_agg(json_build_array(id, kind, state) ORDER BY id) FROM channel WHERE account_id = account.id) AS channels,
  array_to_json(ARRAY(${HEADS})) AS heads, array_to_json(ARRAY(${ACKS})) AS acks
  FROM account WHERE id IN (SELECT json_array_elements_text(CAST(@ids AS json)))`;

type HeadRow = [channelId: ChannelId, direction: QueueDirection, known: 0 | 1, id: number, runAt: number];
interface Row {
  id: AccountId;
  works: boolean;
  hasTrouble: boolean;
  restUntil: number;
  gatewayUrl: string;
  channels: [id: ChannelId, kind: string, state: string][] | null;
  heads: HeadRow[];
  acks: HeadRow[];
}

interface Entry {
  known?: Known;
  /** What was read last, to compare. */
  text?: string;
  /** Hints since the reading under way began. */
  since?: AccountHint[];
}

interface Given extends Pick<Sessions, "rows"> {
  /** Messages that cannot be claimed now: another program holds their rows, or what becomes of them is being recorded. */
  unclaimable(): number[];
}

/** `changed`: an account may have other work than was known. */
export function knownAccounts({ rows, unclaimable }: Given, changed: (accountId: AccountId) => void): KnownAccounts {
  const entries = new Map<AccountId, Entry>();
  const outdated = new Set<AccountId>();
  let reading: Promise<unknown> = Promise.resolve();
  let swept = 0;

  const read = async (ids: AccountId[], most: number, isClaiming: boolean) => {
    const asked = new Map(ids.map((id) => [id, entries.get(id) ?? {}]));
    for (const [id, entry] of asked) {
      entry.since = [];
      entries.set(id, entry);
    }
    const different: AccountId[] = [];
    const queues = new Map<AccountId, Queue[]>();
    const values = { ids: JSON.stringify(ids), without: JSON.stringify(unclaimable()), most };
    const found = await rows<Row>(READ, values);
    const existing = new Set(found.map(({ id }) => id));
    // Erased.
    for (const [id, entry] of asked) if (!existing.has(id) && entries.get(id) === entry) entries.delete(id);
    for (const row of found) {
      const entry = asked.get(row.id);
      // It was forgotten meanwhile.
      if (!entry || entries.get(row.id) !== entry) continue;
      const own = queuesOf(row);
      queues.set(row.id, own);
      const { heads: _, acks: __, ...facts } = row;
      const text = JSON.stringify([
        facts,
        own.map(({ direction, channelId, heads }) => [direction, channelId, heads[0]]),
      ]);
      if (text !== entry.text) different.push(row.id);
      const known = knownOf(row);
      const firsts = own.flatMap(({ heads: [first], ...queue }) => (first ? [{ ...queue, at: first.runAt }] : []));
      for (const each of [...(isClaiming ? [] : firsts), ...(entry.since ?? [])]) hint(known.hints, each);
      Object.assign(entry, { text, known, since: undefined });
    }
    return { different, queues };
  };
  /** One reading at a time: the later one has the newer rows. */
  const inTurn = (ids: AccountId[], most = 1, isClaiming = false): ReturnType<typeof read> => {
    const none = { different: [], queues: new Map() };
    const after = reading.then(() => (ids.length > 0 ? read(ids, most, isClaiming) : none));
    reading = after.catch(() => undefined);
    return after;
  };
  const refresh = async () => {
    const ids = [...outdated].filter((id) => entries.has(id));
    outdated.clear();
    try {
      await inTurn(ids);
      for (const id of ids) changed(id);
    } catch {
      // The next sweep finds them different.
      for (const id of ids) delete entries.get(id)?.text;
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
    load: async (ids) => void (await inTurn(ids)),
    claiming: async (ids, most) => (await inTurn(ids, most, true)).queues,
    forget(accountIds = [...entries.keys()]) {
      for (const id of accountIds) entries.delete(id);
    },
    hint: take,
    dueNow(accountIds) {
      for (const accountId of accountIds) {
        const channels = [...(entries.get(accountId)?.known?.hosts.kindOf.keys() ?? [])];
        const hints = channels.flatMap((channelId) =>
          (["inbound", "outbound"] as const).map((direction) => ({ accountId, channelId, direction, at: 0 })),
        );
        take([...hints, { accountId, channelId: "" as ChannelId, direction: "ack", at: 0 }]);
        if (entries.has(accountId)) changed(accountId);
      }
    },
    outdate(accountIds = [...entries.keys()]) {
      for (const id of accountIds) {
        if (!entries.has(id)) continue;
        if (outdated.size === 0) setImmediate(() => void refresh());
        outdated.add(id);
      }
    },
    async sweep(most = entries.size) {
      const ids = [...entries.keys()];
      const first = swept < ids.length ? swept : 0;
      swept = first + most;
      const { different } = await inTurn(ids.slice(first, swept));
      for (const id of different) changed(id);
      return different.length > 0;
    },
  };
}

function queuesOf({ heads, acks }: Row): Queue[] {
  const queues = new Map<string, Queue>();
  for (const [channelId, direction, known, id, runAt] of [...heads, ...acks]) {
    const name = direction === "ack" ? "ack" : `${direction} ${channelId} ${known}`;
    const queue: Queue = queues.get(name) ?? { direction, channelId, known, heads: [] };
    queue.heads.push({ id, channelId, runAt } satisfies Head);
    queues.set(name, queue);
  }
  return [...queues.values()];
}

function knownOf({ works, hasTrouble, restUntil, gatewayUrl, channels }: Row): Known {
  const list = channels ?? [];
  const kindOf = new Map(list.filter(([, , state]) => state !== "removed").map(([id, kind]) => [id, kind]));
  const gateway = URL.canParse(gatewayUrl) ? new URL(gatewayUrl).host : undefined;
  const paused = new Set<string>(list.filter(([, , state]) => state === "paused").map(([id]) => id));
  return { works, hasTrouble, restUntil, hosts: { gateway, kindOf }, paused, hints: new Map() };
}
