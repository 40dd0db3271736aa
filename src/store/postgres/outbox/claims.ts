import type { Lease } from "../../../domain/account.ts";
import { createDealer, type Head, hintsOfRest, pickHeads, type Queue } from "../../outbox/dealing.ts";
import { ACK_JOB, type AckJobRow, type JobRows, MESSAGE_JOB, type MessageJobRow } from "../../outbox/jobs.ts";
import { unlessLive } from "../../outbox/updates.ts";
import type { Room } from "../../outbox.ts";
import { StoreError } from "../../store.ts";
import { NOW } from "../leases.ts";
import { isUnknown } from "../reruns.ts";
import { batches } from "./batches.ts";
import { unclaim } from "./doubts.ts";
import type { Parts } from "./parts.ts";

/** The lease may be another's: only this decides. Nobody takes a lease over while its holder claims. */
const LEASES = `WITH given AS (
    SELECT * FROM json_to_recordset(CAST(@given AS json)) AS given ("accountId" text, fence bigint, id bigint, ack boolean)
  ), lease AS MATERIALIZED (
    SELECT account_lease.account_id, account_lease.fence FROM account_lease JOIN member ON member.owner = account_lease.owner
    WHERE member.expires_at > ${NOW} AND (account_lease.account_id, account_lease.fence) IN (
      SELECT "accountId", fence FROM given)
    ORDER BY account_lease.account_id FOR SHARE OF account_lease
  )`;
const OF_LEASE = `message.id = given.id AND message.account_id = given."accountId"
    AND lease.account_id = given."accountId" AND lease.fence = given.fence AND account.id = given."accountId"
    AND account.active <> 0 AND account.frozen = 0`;
const ofMessage = (columns: string) => columns.replaceAll(/(^|, )/g, "$1message.");
/** \`head\`: no older message of its lane is live. */
const TAKE = `${LEASES} UPDATE message SET state = 'sending', attempts = message.attempts + 1, begun = 0, in_own_code = 0,
    fence = given.fence, updated_at = @now
  FROM given, lease, account, channel WHERE ${OF_LEASE} AND NOT given.ack AND channel.id = message.channel_id
    AND channel.state <> 'paused' AND (message.direction = 'outbound' OR account.rest_until <= @now)
    AND head = 1 AND message.state = 'ready' AND run_at <= @now RETURNING ${ofMessage(MESSAGE_JOB)}`;
const TAKE_ACKS = `${LEASES} UPDATE message SET ack = 'sending', ack_attempts = message.ack_attempts + 1, ack_fence = given.fence,
    in_own_code = 0, updated_at = ${unlessLive("@now")}
  FROM given, lease, account WHERE ${OF_LEASE} AND given.ack AND account.rest_until <= @now
    AND message.ack = 'due' AND ack_at <= @now RETURNING ${ofMessage(ACK_JOB)}`;
const TEXTS = { acks: TAKE_ACKS, heads: TAKE };
const HELD = `SELECT FROM account_lease JOIN member ON member.owner = account_lease.owner
  WHERE account_id = @accountId AND fence = @fence AND expires_at > ${NOW}`;

type Kind = "acks" | "heads";
interface Claim {
  lease: Lease;
  room: Room;
}
interface Picked {
  lease: Lease;
  /** What was read. */
  queues: Queue[];
  acks: Head[];
  heads: Head[];
}

/** Marks due heads as sending; claims of one turn share their statements. */
export function claiming(parts: Parts) {
  const { sessions, known, clock } = parts;
  const dealer = createDealer();
  const pick = ({ lease, room }: Claim, queues: Queue[], now: number): Picked => {
    const account = known.of(lease.accountId);
    const picked: Picked = { lease, queues, acks: [], heads: [] };
    if (!account?.works || room.most <= 0) return picked;
    const { restUntil, paused } = account;
    // Messages of paused channels wait; their acks do not.
    const open = queues.filter(({ direction, channelId }) => direction === "ack" || !paused.has(channelId));
    picked.heads = pickHeads(dealer, { account: lease.accountId, queues: open, restUntil, room, now }, (acks) => {
      picked.acks = acks;
      return acks.length;
    });
    return picked;
  };
  /** Of what is not taken. */
  const hintOf = (picked: Picked[], taken: (picked: Picked) => Head[]) => {
    for (const each of picked) {
      const { accountId } = each.lease;
      known.hint(hintsOfRest(each.queues, new Set(taken(each))).map((left) => ({ ...left, accountId })));
    }
  };
  /** Unknown: then the claim has found nothing. */
  const hasPassed = async (lease: Lease) => (await sessions.rows(HELD, { ...lease }).catch(() => [lease])).length === 0;
  return batches<Claim, JobRows>(async (claims) => {
    const accounts = claims.map(({ lease }) => lease.accountId);
    // One more than any can take: what is left gives the next hint.
    const queues = await known.claiming(accounts, Math.max(...claims.map(({ room }) => room.most)) + 1);
    const now = clock.now();
    const picked = claims.map((claim) => pick(claim, queues.get(claim.lease.accountId) ?? [], now));
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
    // The work is another's: to be woken for it would be to claim it again at once.
    if (missing > 0 && count === 0 && (await hasPassed(lease)))
      return () => {
        throw new StoreError("another process has the account");
      };
    if (missing > 0) known.outdate([lease.accountId]);
    return () => taken;
  }
}

/** What nobody else holds. Once there is such a row, all heads of these accounts are asked for. */
async function take<T>(parts: Parts, picked: Picked[], of: Kind, now: number): Promise<T[]> {
  const { sessions, known, locked } = parts;
  const ids = idsOf(picked, of);
  if (ids.length === 0) return [];
  try {
    return await sessions.rows<T>(TEXTS[of], { given: givenOf(picked, of), now }, "write");
  } catch (error) {
    const read = picked.flatMap(({ queues }) => queues.flatMap(({ heads }) => heads.map(({ id }) => id)));
    await locked.found([...ids, ...read], false, error);
    if (!ids.some(locked.has)) throw error;
    for (const each of picked) {
      each.acks = each.acks.filter(({ id }) => !locked.has(id));
      each.heads = each.heads.filter(({ id }) => !locked.has(id));
    }
    known.outdate(picked.map(({ lease }) => lease.accountId));
    return take(parts, picked, of, now);
  }
}

const idsOf = (picked: Picked[], ...of: Kind[]): number[] =>
  picked.flatMap((each) => of.flatMap((kind) => each[kind].map(({ id }) => id)));

const givenOf = (picked: Picked[], of: Kind): string =>
  JSON.stringify(
    picked.flatMap(({ lease, [of]: jobs }) => jobs.map(({ id }) => ({ ...lease, id, ack: of === "acks" }))),
  );

function inOrder(rows: MessageJobRow[], heads: Head[]): MessageJobRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return heads.flatMap(({ id }) => byId.get(id) ?? []);
}
