import { sql } from "drizzle-orm";
import type { ChannelId } from "gangway-messenger/ids";
import type { Lease } from "../../domain/account.ts";
import type { Direction } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import { limitsIn } from "../../domain/pausing.ts";
import { GATEWAY, type Hosts, type NextDue, type RecentCalls, type Room, type Side, type Target } from "../outbox.ts";
import { startsOf } from "../tables/accounts/accounts.ts";
import { all, type Transaction, type Verb } from "../tables/engine.ts";
import { BEEN_IN_OWN_CODE, IN_OWN_CODE } from "../tables/schema.ts";
import { ACK_JOB, type AckJobRow, type JobRows, MESSAGE_JOB, type MessageJobRow } from "./rows.ts";

// Hints in memory of when each queue of an account is next due. A hint may be early, never late (on PostgreSQL by a
// sweep at most, after a lost connection): only a claim reads what is due, and leaves a hint of the rest.

/** The heads of one channel and direction; an account's acks form one queue. */
export interface QueueOf {
  direction: Direction;
  channelId: ChannelId;
}
export interface Hint extends QueueOf {
  /** When its first message is due, ms. */
  at: number;
  /** How many may be due then; one slot each is enough until a claim has looked. */
  jobs: number;
}
export type AccountHint = Hint & { accountId: AccountId };

/** Hints by queue. */
export type Hints = Map<string, Hint>;

const nameOf = ({ direction, channelId }: QueueOf) => (direction === "ack" ? "ack" : `${direction} ${channelId}`);

/** All queues of an account with these channels. */
export const queuesWith = (channelIds: ChannelId[]): QueueOf[] => [
  ...channelIds.flatMap((channelId): QueueOf[] => [
    { direction: "inbound", channelId },
    { direction: "outbound", channelId },
  ]),
  { direction: "ack", channelId: "" as ChannelId },
];

/** Paused channels. */
type Paused = ReadonlySet<string>;

/** Messages of paused channels wait; their acks do not. */
const isOpen = ({ direction, channelId }: QueueOf, paused: Paused): boolean =>
  direction === "ack" || !paused.has(channelId);

/** Adds a hint; of two for one queue, the earlier time holds. */
export function hint(hints: Hints, { direction, channelId, at, jobs }: Hint): void {
  const name = nameOf({ direction, channelId });
  const known = hints.get(name);
  if (known) Object.assign(known, { at: Math.min(known.at, at), jobs: known.jobs + jobs });
  else hints.set(name, { direction, channelId, at, jobs });
}

/** A claim reads at least this many heads of a queue: those that it leaves give the next hint. */
export const LOOKS_AHEAD = 16;

/** Takes the hints of due queues out. The claim that reads these queues puts back what it leaves. */
export function takeDue(hints: Hints, paused: Paused, now: number): Hint[] {
  const due = [...hints.values()].filter((each) => each.at <= now && isOpen(each, paused));
  for (const each of due) hints.delete(nameOf(each));
  return due;
}

// Which heads to claim. Acks may take half of the gateway's slots, customers' and agents' messages half of the rest each;
// unused shares go to the others.

/** The next message of a chat, or an ack that is owed. */
export interface Head {
  id: number;
  channelId: ChannelId;
  /** When it is due, ms. */
  runAt: number;
}

/** Heads of one channel and direction, oldest first. Known chats are apart only inbound; all else is `fresh`. */
export interface Queue extends QueueOf {
  known: Head[];
  fresh: Head[];
}

/** Hints of the heads that a claim has read but not taken. It reads more heads of a queue than it can take. */
export const hintsOfRest = (queues: Queue[], taken: ReadonlySet<Head>, now = 0): Hint[] =>
  queues.flatMap(({ direction, channelId, known, fresh }) => {
    const left = [...known, ...fresh].filter((head) => !taken.has(head));
    if (left.length === 0) return [];
    const at = Math.min(...left.map(({ runAt }) => runAt));
    return [{ direction, channelId, at, jobs: left.filter(({ runAt }) => runAt <= Math.max(now, at)).length }];
  });

/** The claim of an account that works. */
interface Claiming {
  account: string;
  queues: Queue[];
  /** Nothing goes to the gateway before this time, ms. */
  restUntil: number;
  room: Room;
  now: number;
}

/** Picks the messages to claim, and takes a slot for each. `claimAcks` claims acks first and returns their number. */
export function pickHeads(dealer: Dealer, claiming: Claiming, claimAcks: (picked: Head[]) => number): Head[] {
  const { account, queues, restUntil, room, now } = claiming;
  const due = (direction: Direction, most: number) => dueOf(queues, direction, now, most);
  const toGateway = restUntil > now ? 0 : Math.min(room.most, room.free("gateway"));
  const inbound = due("inbound", toGateway);
  const owed = due("ack", toGateway).flatMap(({ fresh }) => fresh);
  const ackRoom = owed.length > 0 ? shareOf(dealer, `${account} acks`, toGateway, sizeOf(inbound)) : 0;
  const acks = claimAcks(owed.slice(0, ackRoom).filter(({ channelId }) => room.take("gateway", channelId)));
  const left = room.most - acks;
  const inboundRoom = Math.min(left, toGateway - acks);
  const outboundRoom = Math.min(left, room.free("messenger"));
  const outbound = due("outbound", outboundRoom);
  const half = outbound.length > 0 ? shareOf(dealer, account, left, Math.min(sizeOf(inbound), inboundRoom)) : 0;
  const heads = dealFairly(dealer, `${account} outbound`, outbound, Math.min(outboundRoom, half), "messenger", room);
  const restOfGateway = Math.min(inboundRoom, left - heads.length);
  heads.push(...dealFairly(dealer, `${account} inbound`, inbound, restOfGateway, "gateway", room));
  return heads.sort((a, b) => a.runAt - b.runAt || a.id - b.id);
}

/** The slots that others leave, but at least half; the odd slot alternates. */
function shareOf(dealer: Dealer, key: string, slots: number, wantedByOthers: number): number {
  const rest = slots - wantedByOthers;
  if (rest >= slots / 2) return rest;
  return slots % 2 === 0 || dealer.alternate(key) ? Math.ceil(slots / 2) : Math.floor(slots / 2);
}

const sizeOf = (due: Queue[]): number => due.reduce((sum, { known, fresh }) => sum + known.length + fresh.length, 0);

/** Due heads of one direction's queues, up to `most` known and `most` fresh ones of each. */
function dueOf(queues: Queue[], direction: Direction, now: number, most: number): Queue[] {
  const due = (heads: Head[]) => heads.filter(({ runAt }) => runAt <= now).slice(0, Math.max(0, most));
  return queues
    .filter((queue) => queue.direction === direction)
    .map((queue) => ({ ...queue, known: due(queue.known), fresh: due(queue.fresh) }))
    .filter(({ known, fresh }) => known.length + fresh.length > 0);
}

/** Up to `most` due heads that get a slot; round robin over channels unless all fit. */
function dealFairly(dealer: Dealer, queue: string, due: Queue[], most: number, side: Side, room: Room): Head[] {
  const [first] = due;
  if (!first || most <= 0) return [];
  const take = ({ channelId }: Head) => room.take(side, channelId);
  const all = due.length > 1 ? [] : [...first.known, ...first.fresh];
  const fits = all.length > 0 && all.length <= Math.min(most, room.free(side, first.channelId));
  return fits ? all.filter(take) : dealer.deal(queue, due, most, take);
}

/** Facts about an account that decide on its queues. */
export interface Facts {
  /** Active at the CRM, and not paused by the vendor. */
  works: boolean;
  hosts: Hosts;
  paused: Paused;
  /** Nothing goes to the gateway before this time, ms. */
  restUntil: number;
}
/** The same facts, as the account's row has them. */
export interface AccountFacts extends Pick<Facts, "restUntil"> {
  works: boolean | 0 | 1;
  gatewayUrl: string;
  limits: string | null;
}
export type ChannelFacts = [id: ChannelId, kind: string, state: string, isPaused: boolean | 0 | 1];

export function factsOf({ works, restUntil, gatewayUrl, limits }: AccountFacts, channels: ChannelFacts[]): Facts {
  const kindOf = new Map(channels.filter(([, , state]) => state !== "removed").map(([id, kind]) => [id, kind]));
  const gateway = URL.canParse(gatewayUrl) ? new URL(gatewayUrl).host : undefined;
  return {
    works: Boolean(works),
    hosts: { gateway, kindOf, calls: limitsIn(limits ?? "").calls },
    paused: new Set(channels.filter(([, , , isPaused]) => isPaused).map(([id]) => id)),
    restUntil,
  };
}

/** Due jobs by target, as the hints say, and when the next one will be due. */
export function dueIn(hints: Hints, { hosts: { kindOf }, paused, restUntil }: Facts, now: number): NextDue {
  const due = new Map<Target, number>();
  let later: number | undefined;
  for (const queue of hints.values()) {
    if (!isOpen(queue, paused)) continue;
    const { direction, channelId, at, jobs } = queue;
    const target = direction === "outbound" ? (kindOf.get(channelId) ?? "") : GATEWAY;
    const from = target === GATEWAY ? Math.max(at, restUntil) : at;
    if (from <= now) due.set(target, (due.get(target) ?? 0) + jobs);
    else later = Math.min(later ?? from, from);
  }
  return { due: [...due].map(([target, jobs]) => ({ target, jobs })), later };
}

// Round robin over an account's channels when more is due than may be claimed. Within a channel, known chats go before
// new ones without starving them. In memory: a restart resets the order.

/** Every n-th turn of a channel goes to a new chat, while both have work due. */
const NEW_CHAT_EVERY = 5;

/** Decides which channels go next when not all can. */
export interface Dealer {
  /** Deals up to `limit` turns to channels and picks a job for each; a channel drops out when `mayTake` refuses its job. */
  deal(queue: string, due: Queue[], limit: number, mayTake?: (row: Head) => boolean): Head[];
  /** True on every other call per key: who gets the odd slot. */
  alternate(key: string): boolean;
}

export function createDealer(): Dealer {
  // By queue: channels and their number of turns, least recently served first.
  const queues = new Map<string, Map<ChannelId, number>>();
  const last = new Map<string, boolean>();
  return {
    deal(queue, due, limit, mayTake = () => true) {
      const turns = queues.get(queue) ?? new Map<ChannelId, number>();
      queues.set(queue, turns);
      const byChannel = new Map(due.map((each) => [each.channelId, each]));
      for (const id of turns.keys()) if (!byChannel.has(id)) turns.delete(id);
      // A channel that had nothing due until now comes first.
      const order = [...byChannel.keys()].sort((a, b) => rank(turns, a) - rank(turns, b));
      const picked: Head[] = [];
      while (picked.length < limit && order.length > 0) {
        const id = order.shift() as ChannelId;
        const row = next(byChannel.get(id) as Queue, (turns.get(id) ?? 0) % NEW_CHAT_EVERY);
        if (!row || !mayTake(row)) continue;
        picked.push(row);
        const count = (turns.get(id) ?? 0) + 1;
        turns.delete(id);
        turns.set(id, count);
        order.push(id);
      }
      return picked;
    },
    alternate(key) {
      const value = !last.get(key);
      last.set(key, value);
      return value;
    },
  };
}

function rank(turns: Map<ChannelId, number>, id: ChannelId): number {
  return turns.has(id) ? [...turns.keys()].indexOf(id) : -1;
}

function next({ known, fresh }: Queue, turn: number): Head | undefined {
  const first = turn === NEW_CHAT_EVERY - 1 ? fresh : known;
  return first.shift() ?? (first === known ? fresh : known).shift();
}

// What a new holder of an account takes over from the last one. Conditions exactly as in the partial indexes.

const [ACK_FENCE, FENCE] = [sql.raw("ack_fence"), sql.raw("fence")];

/** Hands jobs under way to this lease and counts the crash. */
export function* takeOver({ joinLive }: Transaction, { accountId, fence }: Lease): Verb<JobRows> {
  // Acks go first, so that a crash counts once per row. A job that awaited a call did not cause the crash.
  const crashed = sql`crashes = crashes + CASE WHEN ack = 'sending' AND ack_fence = ${fence} THEN 0 ELSE 1 END,
    fatal_crashes = CASE in_own_code WHEN ${sql.raw(String(IN_OWN_CODE))} THEN fatal_crashes + 1
      WHEN ${sql.raw(String(BEEN_IN_OWN_CODE))} THEN 0 ELSE fatal_crashes END, in_own_code = 0`;
  const holds = sql`EXISTS (SELECT 1 FROM account_lease WHERE account_id = ${accountId} AND fence = ${fence})`;
  const acks = yield* all<AckJobRow>(sql`UPDATE message SET ${ACK_FENCE} = ${fence}, ${crashed}
    WHERE account_id = ${accountId} AND ack = 'sending' AND ack IN ('due','sending') AND ${holds}
    RETURNING ${sql.raw(ACK_JOB)}`);
  const messages = yield* all<MessageJobRow>(sql`UPDATE message SET ${FENCE} = ${fence}, ${crashed}
    WHERE id IN (SELECT message.id FROM channel ${joinLive} ON message.channel_id = channel.id
      WHERE channel.account_id = ${accountId} AND message.state IN ('ready','sending','waiting'))
    AND state = 'sending' AND ${holds} RETURNING ${sql.raw(MESSAGE_JOB)}`);
  return { acks, messages };
}

/** Calls of the previous process by account: those since a time, ms, and those that may still be under way. */
export function* recentCalls({ indexedBy }: Transaction, since: number): Verb<RecentCalls[]> {
  type Row = Omit<RecentCalls, "unanswered"> & { unansweredCalls: string };
  const rows = yield* all<Row>(sql`SELECT account.id AS "accountId", coalesce(sum(call.recent), 0) AS recent,
      coalesce(sum(call.sending), 0) AS sending, unanswered_calls AS "unansweredCalls"
    FROM account LEFT JOIN (
      SELECT account_id, 1 AS recent, 0 AS sending FROM message ${indexedBy("message_age")}
        WHERE state IN ('done','dead') AND payload IS NOT NULL AND updated_at > ${since}
      UNION ALL
      SELECT account_id, CASE WHEN updated_at > ${since} THEN 1 ELSE 0 END, CASE WHEN state = 'sending' THEN 1 ELSE 0 END
        FROM message ${indexedBy("message_lane")} WHERE state IN ('ready','sending','waiting')
          AND (attempts > 0 OR work IS NOT NULL) AND (updated_at > ${since} OR state = 'sending')
      UNION ALL
      SELECT account_id, 0, 1 FROM message ${indexedBy("message_ack")} WHERE ack = 'sending' AND ack IN ('due','sending')
    ) AS call ON call.account_id = account.id
    GROUP BY account.id HAVING count(call.recent) + unanswered > 0`);
  return rows.map(({ unansweredCalls, ...calls }) => ({ ...calls, unanswered: startsOf(unansweredCalls) }));
}
