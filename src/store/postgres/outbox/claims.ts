import type { Lease } from "../../../domain/account.ts";
import type { Direction } from "../../../domain/delivery.ts";
import type { AccountId } from "../../../domain/ids.ts";
import {
  createDealer,
  type Head,
  type Hint,
  hintsOfRest,
  LOOKS_AHEAD,
  pickHeads,
  type Queue,
  takeDue,
} from "../../outbox/dealing.ts";
import {
  ACK_JOB,
  type AckJobRow,
  CLAIMABLE,
  claimSets,
  type JobRows,
  MESSAGE_JOB,
  type MessageJobRow,
} from "../../outbox/rows.ts";
import type { Room } from "../../outbox.ts";
import { StoreError } from "../../store.ts";
import { ACCOUNT_WORKS, CHANNEL_PAUSED } from "../../tables/engine.ts";
import { isUnknown } from "../database/faults.ts";
import { LIVING_LEASE } from "../tables/leases.ts";
import { unclaim } from "./doubts.ts";
import { batches, WITHOUT } from "./known-accounts.ts";
import { type Parts, records, recordsOf } from "./storing.ts";

/** Proves that the lease is ours, and locks it: nobody takes it over while its holder claims. */
const LEASES = `WITH given AS (
    SELECT * FROM json_to_recordset(CAST(@given AS json)) AS given ("accountId" text, fence bigint, id bigint, ack boolean)
  ), lease AS MATERIALIZED (
    SELECT account_lease.account_id, account_lease.fence FROM ${LIVING_LEASE}
    WHERE (account_lease.account_id, account_lease.fence) IN (SELECT "accountId", fence FROM given)
    ORDER BY account_lease.account_id FOR SHARE OF account_lease
  )`;
const OF_LEASE = `message.id = given.id AND message.account_id = given."accountId"
    AND lease.account_id = given."accountId" AND lease.fence = given.fence AND account.id = given."accountId"
    AND ${ACCOUNT_WORKS}`;
const SETS = claimSets("given.fence");
const TAKE = `${LEASES} UPDATE message SET ${SETS.message}
  FROM given, lease, account, channel WHERE ${OF_LEASE} AND NOT given.ack AND channel.id = message.channel_id
    AND NOT ${CHANNEL_PAUSED} AND (message.direction = 'outbound' OR account.rest_until <= @now)
    AND ${CLAIMABLE.message} RETURNING ${MESSAGE_JOB}`;
const TAKE_ACKS = `${LEASES} UPDATE message SET ${SETS.ack}
  FROM given, lease, account WHERE ${OF_LEASE} AND given.ack AND account.rest_until <= @now
    AND ${CLAIMABLE.ack} RETURNING ${ACK_JOB}`;
const TEXTS = { acks: TAKE_ACKS, heads: TAKE };
const OUR_LEASE = `SELECT FROM ${LIVING_LEASE} WHERE account_id = @accountId AND fence = @fence`;

type Kind = "acks" | "heads";
interface Claim {
  lease: Lease;
  room: Room;
}
interface Picked extends Claim {
  due: Hint[];
  /** Heads that were read of the due queues. */
  queues: Queue[];
  acks: Head[];
  heads: Head[];
}

/** Marks due heads as sending; claims of one turn share their statements. */
export function claiming(parts: Parts) {
  const { transactions, known, clock } = parts;
  const dealer = createDealer();
  const pick = (picked: Picked, now: number) => {
    const { lease, room, queues } = picked;
    const { restUntil = 0 } = known.of(lease.accountId) ?? {};
    picked.heads = pickHeads(dealer, { account: lease.accountId, queues, restUntil, room, now }, (acks) => {
      picked.acks = acks;
      return acks.length;
    });
  };
  /** Hints of the heads that were not taken. */
  const hintOf = (picked: Picked[], taken: (picked: Picked) => Head[]) => {
    for (const each of picked) {
      const { accountId } = each.lease;
      known.hint(hintsOfRest(each.queues, new Set(taken(each)), clock.now()).map((left) => ({ ...left, accountId })));
    }
  };
  /** Whether the lease has passed to another process; false if that is unknown. */
  const hasPassed = async (lease: Lease) =>
    (await transactions.rows(OUR_LEASE, { ...lease }).catch(() => [lease])).length === 0;
  return batches<Claim, JobRows>(async (claims) => {
    await known.load(claims.map(({ lease }) => lease.accountId).filter((id) => !known.of(id)));
    const now = clock.now();
    const picked = await read(parts, claims, now);
    for (const each of picked) pick(each, now);
    let acks: AckJobRow[] = [];
    let messages: MessageJobRow[] = [];
    try {
      // One after the other: a message and its ack are one row.
      acks = await take<AckJobRow>(parts, picked, "acks", now);
      messages = await take<MessageJobRow>(parts, picked, "heads", now);
    } catch (error) {
      if (isUnknown(error) || acks.length > 0) await unclaim(parts, picked, now);
      hintOf(picked, () => []);
      throw error;
    }
    hintOf(picked, (each) => [...each.acks, ...each.heads]);
    return Promise.all(picked.map((each) => settle(each, acks, messages)));
  });

  async function settle({ lease, acks, heads }: Picked, ackRows: AckJobRow[], rows: MessageJobRow[]) {
    const isOwn = ({ accountId }: { accountId: string }) => accountId === lease.accountId;
    const taken: JobRows = { acks: ackRows.filter(isOwn), messages: inOrder(rows.filter(isOwn), heads) };
    const count = taken.acks.length + taken.messages.length;
    const missing = acks.length + heads.length - count;
    // The work is another process's: waking up for it would mean claiming it again at once.
    if (missing > 0 && count === 0 && (await hasPassed(lease)))
      return () => {
        throw new StoreError("another process has the account");
      };
    if (missing > 0) known.outdate([lease.accountId]);
    return () => taken;
  }
}

/** Reads due queues: of each, more heads than the claim can take, for the next hint. */
async function read(parts: Parts, claims: Claim[], now: number): Promise<Picked[]> {
  const { known } = parts;
  const picked = claims.map(({ lease, room }): Picked => {
    const account = known.of(lease.accountId);
    const due = account?.works && room.most > 0 ? takeDue(account.hints, account.paused, now) : [];
    return { lease, room, due, queues: [], acks: [], heads: [] };
  });
  try {
    const queues = await queuesOf(parts, picked);
    for (const each of picked) each.queues = queues.get(each.lease.accountId) ?? [];
  } catch (error) {
    for (const { lease, due } of picked) known.hint(due.map((each) => ({ ...each, accountId: lease.accountId })));
    throw error;
  }
  return picked;
}

interface HeadRow extends Head {
  accountId: AccountId;
  direction: Direction;
  known: 0 | 1;
}
/** The limit is part of the text: for a parameter PostgreSQL plans with a tenth of all rows. */
const headsUpTo = (most: number) => `WITH ${WITHOUT}
  SELECT queues."accountId", queues."channelId", queues.direction, queues.known, head.id, head.run_at AS "runAt"
  FROM ${recordsOf("queues", ["accountId", "channelId", "direction", "known"])} CROSS JOIN LATERAL (SELECT id, run_at FROM message
    WHERE channel_id = queues."channelId" AND direction = queues.direction AND known = queues.known AND head = 1
      AND state = 'ready' AND id NOT IN (SELECT id FROM without) ORDER BY run_at, id LIMIT ${most}) AS head
  UNION ALL SELECT owed."accountId", ack.channel_id, 'ack', 0, ack.id, ack.ack_at
  FROM ${recordsOf("owed", ["accountId"])} CROSS JOIN LATERAL (SELECT channel_id, id, ack_at FROM message
    WHERE account_id = owed."accountId" AND ack = 'due' AND ack IN ('due','sending')
      AND id NOT IN (SELECT id FROM without) ORDER BY ack_at, id LIMIT ${most}) AS ack`;

/** The first heads of due queues, by account. */
async function queuesOf({ transactions, unclaimable }: Parts, picked: Picked[]): Promise<Map<AccountId, Queue[]>> {
  const all = picked.flatMap(({ lease: { accountId }, due }) => due.map((each) => ({ accountId, ...each })));
  const found = new Map<AccountId, Queue[]>();
  if (all.length === 0) return found;
  const asked = all.flatMap(({ accountId, channelId, direction }) =>
    (direction === "inbound" ? [1, 0] : [0]).map((known) => ({ accountId, channelId, direction, known })),
  );
  const isAck = ({ direction }: { direction: Direction }) => direction === "ack";
  // Rounded up to a power of two: each text is prepared once per connection.
  const most = 2 ** Math.ceil(Math.log2(Math.max(LOOKS_AHEAD, ...picked.map(({ room }) => room.most + 1))));
  const rows = await transactions.rows<HeadRow>(headsUpTo(most), {
    queues: records(asked.filter((each) => !isAck(each))),
    owed: records(asked.filter(isAck)),
    without: JSON.stringify(unclaimable()),
  });
  for (const { accountId, direction, known, ...head } of rows.sort((a, b) => a.runAt - b.runAt || a.id - b.id)) {
    const queues = found.get(accountId) ?? [];
    found.set(accountId, queues);
    const isOwn = (queue: Queue) =>
      queue.direction === direction && (direction === "ack" || queue.channelId === head.channelId);
    const queue = queues.find(isOwn) ?? { direction, channelId: head.channelId, known: [], fresh: [] };
    if (!queues.includes(queue)) queues.push(queue);
    queue[known === 1 ? "known" : "fresh"].push(head);
  }
  return found;
}

/** Claims what nobody else locks. Once a row is locked, looks at all heads that were read for these accounts. */
async function take<T>(parts: Parts, picked: Picked[], of: Kind, now: number): Promise<T[]> {
  const { transactions, known, locked } = parts;
  const given = picked.flatMap(({ lease, [of]: heads }) =>
    heads.map(({ id }) => ({ ...lease, id, ack: of === "acks" })),
  );
  if (given.length === 0) return [];
  try {
    return await transactions.rows<T>(TEXTS[of], { given: JSON.stringify(given), now }, "write");
  } catch (error) {
    const read = picked.flatMap((each) => each.queues.flatMap((queue) => [...queue.known, ...queue.fresh]));
    const ids = [...given, ...read].map(({ id }) => id);
    await locked.findLocked(ids, false, error);
    if (!given.some(({ id }) => locked.has(id))) throw error;
    for (const each of picked) {
      each.acks = each.acks.filter(({ id }) => !locked.has(id));
      each.heads = each.heads.filter(({ id }) => !locked.has(id));
    }
    known.outdate(picked.map(({ lease }) => lease.accountId));
    return take(parts, picked, of, now);
  }
}

function inOrder(rows: MessageJobRow[], heads: Head[]): MessageJobRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return heads.flatMap(({ id }) => byId.get(id) ?? []);
}
