import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import { addHead, type Head, nameOfQueue, PAGE, type Queue, removeHead } from "../../outbox/heads.ts";
import type { Hosts } from "../../outbox.ts";
import type { Sessions } from "../sessions.ts";

// What the holder of accounts knows of their work, in memory: read when it takes the lease, then kept by what its own
// statements return, and read again when another process tells of a change, or at the next sweep.

/** An account, as it was when it was last read or changed here. */
export interface Known {
  /** Active, and not frozen. */
  works: boolean;
  hasTrouble: boolean;
  restUntil: number;
  hosts: Hosts;
  paused: Set<string>;
  queues: Map<string, Queue>;
}

/** A head that has come or gone: `runAt` of before and of now, ms. */
export interface Move {
  accountId: string;
  channelId: string;
  direction: Queue["direction"];
  known: number;
  id: number;
  before?: number;
  now?: number;
}

export interface Memory {
  of(accountId: AccountId): Known | undefined;
  /** Reads accounts anew. */
  load(accountIds: AccountId[]): Promise<void>;
  /** Undefined: all of them. */
  forget(accountIds?: AccountId[]): void;
  moved(moves: Move[]): void;
  /** These heads are being claimed. Tell of the moves again when they are: a reading meanwhile has shown them. */
  gone(accountId: AccountId, heads: Head[]): Move[];
  /** What becomes of these jobs is being recorded: until `shown`, no reading offers them. */
  hidden(ids: number[]): { shown(): void };
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
      AND id NOT IN (SELECT id FROM locked)
    ORDER BY run_at, id LIMIT ${PAGE}) AS head
  WHERE channel.account_id = account.id`;
const ACKS = `SELECT json_build_array(channel_id, 'ack', 0, id, ack_at) FROM message
  WHERE account_id = account.id AND ack = 'due' AND ack IN ('due','sending')
    AND id NOT IN (SELECT id FROM locked) ORDER BY ack_at, id LIMIT ${PAGE}`;
const READ = `WITH locked AS MATERIALIZED (SELECT CAST(json_array_elements_text(CAST(@locked AS json)) AS bigint) AS id)
  SELECT id, active <> 0 AND frozen = 0 AS works, trouble IS NOT NULL AS "hasTrouble", rest_until AS "restUntil",
  gateway_url AS "gatewayUrl",
  (SELECT json_agg(json_build_array(id, kind, state) ORDER BY id) FROM channel WHERE account_id = account.id) AS channels,
  array_to_json(ARRAY(${HEADS})) AS heads, array_to_json(ARRAY(${ACKS})) AS acks
  FROM account WHERE id IN (SELECT json_array_elements_text(CAST(@ids AS json)))`;

type HeadRow = [channelId: ChannelId, direction: Queue["direction"], known: 0 | 1, id: number, runAt: number];
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
  /** What happened since the reading under way began. */
  since?: Move[];
}

/** `missedBy`: a reading of this account left it out. If nothing is recorded after all, the account must be read again. */
interface Hidden {
  times: number;
  missedBy?: AccountId;
}
type Hiding = Map<number, Hidden>;

interface Given extends Pick<Sessions, "rows"> {
  /** Messages that cannot be claimed now: another program holds their rows. */
  locked(): number[];
}

/** `changed`: an account may have other work than was known. */
export function createMemory({ rows, locked }: Given, changed: (accountId: AccountId) => void): Memory {
  const entries = new Map<AccountId, Entry>();
  const outdated = new Set<AccountId>();
  const hiding: Hiding = new Map();
  let reading: Promise<unknown> = Promise.resolve();
  let swept = 0;

  const read = async (ids: AccountId[]) => {
    const asked = new Map(ids.map((id) => [id, entries.get(id) ?? {}]));
    for (const [id, entry] of asked) {
      entry.since = [];
      entries.set(id, entry);
    }
    const different: AccountId[] = [];
    const found = await rows<Row>(READ, { ids: JSON.stringify(ids), locked: JSON.stringify(locked()) });
    const existing = new Set(found.map(({ id }) => id));
    // Erased.
    for (const [id, entry] of asked) if (!existing.has(id) && entries.get(id) === entry) entries.delete(id);
    for (const row of found) {
      const entry = asked.get(row.id);
      // It was forgotten meanwhile.
      if (!entry || entries.get(row.id) !== entry) continue;
      const text = JSON.stringify(row);
      if (text !== entry.text) different.push(row.id);
      const moves = entry.since ?? [];
      Object.assign(entry, { text, known: knownOf(row, hiding), since: undefined });
      for (const move of moves) apply(entry, move);
    }
    return different;
  };
  /** One reading at a time: the later one has the newer rows. */
  const load = (ids: AccountId[]): Promise<AccountId[]> => {
    const after = reading.then(() => (ids.length > 0 ? read(ids) : []));
    reading = after.catch(() => undefined);
    return after;
  };
  const moved = (moves: Move[]) => {
    for (const move of moves) {
      const entry = entries.get(move.accountId as AccountId);
      if (!entry) continue;
      entry.since?.push(move);
      apply(entry, move);
    }
  };
  const refresh = async () => {
    const ids = [...outdated].filter((id) => entries.has(id));
    outdated.clear();
    try {
      await load(ids);
      for (const id of ids) changed(id);
    } catch {
      // The next sweep finds them different.
      for (const id of ids) delete entries.get(id)?.text;
    }
  };
  const outdate = (accountIds: AccountId[]) => {
    for (const id of accountIds) {
      if (!entries.has(id)) continue;
      if (outdated.size === 0) setImmediate(() => void refresh());
      outdated.add(id);
    }
  };
  return {
    of: (accountId) => entries.get(accountId)?.known,
    load: async (ids) => void (await load(ids)),
    forget(accountIds = [...entries.keys()]) {
      for (const id of accountIds) entries.delete(id);
    },
    moved,
    gone(accountId, heads) {
      const claimed = new Set(heads);
      const queues = [...(entries.get(accountId)?.known?.queues.values() ?? [])];
      const moves = queues.flatMap(({ direction, known, heads: own }) =>
        own
          .filter((head) => claimed.has(head))
          .map(({ id, channelId, runAt: before }) => ({ accountId, channelId, direction, known, id, before })),
      );
      moved(moves);
      return moves;
    },
    hidden(ids) {
      for (const id of ids) {
        const hidden = hiding.get(id) ?? { times: 0 };
        hidden.times += 1;
        hiding.set(id, hidden);
      }
      return {
        shown() {
          for (const id of ids) {
            const hidden = hiding.get(id);
            if (!hidden || --hidden.times > 0) continue;
            hiding.delete(id);
            if (hidden.missedBy) outdate([hidden.missedBy]);
          }
        },
      };
    },
    outdate: (accountIds = [...entries.keys()]) => outdate(accountIds),
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

function apply({ known }: Entry, { channelId, direction, known: of, id, before, now }: Move): void {
  if (!known) return;
  const name = nameOfQueue(direction, channelId as ChannelId, of === 1 ? 1 : 0);
  const queue = known.queues.get(name) ?? emptyQueue([channelId as ChannelId, direction, of === 1 ? 1 : 0]);
  if (before !== undefined) removeHead(queue, { id, runAt: before });
  // What a reading has shown already is not there twice.
  if (now !== undefined) removeHead(queue, { id, runAt: now });
  if (now !== undefined) addHead(queue, { id, channelId: channelId as ChannelId, runAt: now });
  known.queues.set(name, queue);
}

const emptyQueue = ([channelId, direction, known]: [ChannelId, Queue["direction"], 0 | 1]): Queue => ({
  ...{ direction, channelId, known, heads: [] },
});

function knownOf(
  { id: accountId, works, hasTrouble, restUntil, gatewayUrl, channels, heads, acks }: Row,
  hiding: Hiding,
): Known {
  const list = channels ?? [];
  const queues = new Map<string, Queue>();
  for (const [channelId, direction, known, id, runAt] of [...heads, ...acks]) {
    const name = nameOfQueue(direction, channelId, known);
    const queue = queues.get(name) ?? emptyQueue([channelId, direction, known]);
    queue.heads.push({ id, channelId, runAt } satisfies Head);
    queues.set(name, queue);
  }
  for (const queue of queues.values()) {
    if (queue.heads.length === PAGE) queue.end = queue.heads.at(-1);
    queue.heads = queue.heads.filter(({ id }) => {
      const hidden = hiding.get(id);
      if (hidden) hidden.missedBy = accountId;
      return !hidden;
    });
  }
  const kindOf = new Map(list.filter(([, , state]) => state !== "removed").map(([id, kind]) => [id, kind]));
  const gateway = URL.canParse(gatewayUrl) ? new URL(gatewayUrl).host : undefined;
  const paused = new Set<string>(list.filter(([, , state]) => state === "paused").map(([id]) => id));
  return { works, hasTrouble, restUntil, hosts: { gateway, kindOf }, paused, queues };
}
