import type { ChannelId } from "../../domain/ids.ts";
import { GATEWAY, type Hosts, type NextDue, type Room, type Side, type Target } from "../outbox.ts";
import { type Hint, type Hints, isOpen, type Paused, type QueueDirection, type QueueOf } from "./hints.ts";

// Which heads to claim. Acks may take half of the gateway's slots, customers' and agents' messages half of the rest each;
// unused shares go to the others.

/** The next message of a chat, or an ack that is owed. */
export interface Head {
  id: number;
  channelId: ChannelId;
  /** When it is due, ms. */
  runAt: number;
}

/** Heads of one channel and direction, oldest first. Inbound ones apart by whether their chat is new; acks by account. */
export interface Queue extends QueueOf {
  known: 0 | 1;
  heads: Head[];
}

/** The parts that a queue is read in: of known chats and of new ones, apart only toward the gateway. */
export const partsOf = (direction: QueueDirection): (0 | 1)[] => (direction === "inbound" ? [1, 0] : [0]);

/** Hints of what a claim has left. It reads more heads of a queue than it can take. */
export const hintsOfRest = (queues: Queue[], taken: ReadonlySet<Head>, now = 0): Hint[] =>
  queues.flatMap(({ direction, channelId, heads }) => {
    const left = heads.filter((head) => !taken.has(head));
    const at = left[0]?.runAt;
    if (at === undefined) return [];
    return [{ direction, channelId, at, jobs: left.filter(({ runAt }) => runAt <= Math.max(now, at)).length }];
  });

/** Of an account that works. */
export interface Claiming {
  account: string;
  queues: Queue[];
  /** Nothing goes to the gateway before, ms. */
  restUntil: number;
  room: Room;
  now: number;
}

/** The messages to claim, each with a slot. `claimAcks` gets the acks to claim first; it returns how many it has. */
export function pickHeads(dealer: Dealer, claiming: Claiming, claimAcks: (picked: Head[]) => number): Head[] {
  const { account, queues, restUntil, room, now } = claiming;
  const due = (direction: Queue["direction"], most: number) => dueOf(queues, direction, now, most);
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

/** What others leave of the slots, but at least half; the odd slot alternates. */
function shareOf(dealer: Dealer, key: string, slots: number, wantedByOthers: number): number {
  const rest = slots - wantedByOthers;
  if (rest >= slots / 2) return rest;
  return slots % 2 === 0 || dealer.alternate(key) ? Math.ceil(slots / 2) : Math.floor(slots / 2);
}

const sizeOf = (due: DueHeads[]): number => due.reduce((sum, { known, fresh }) => sum + known.length + fresh.length, 0);

/** The oldest due heads of one direction by channel, up to `most` of each. */
function dueOf(queues: Queue[], wanted: Queue["direction"], now: number, most: number): DueHeads[] {
  if (most <= 0) return [];
  const channels = new Map<string, DueHeads>();
  for (const { direction, channelId, known, heads: own } of queues) {
    if (direction !== wanted) continue;
    const late = own.findIndex(({ runAt }) => runAt > now);
    const due = own.slice(0, Math.min(most, late < 0 ? most : late));
    if (due.length === 0) continue;
    const channel = channels.get(channelId) ?? { channelId, known: [], fresh: [] };
    channel[known === 1 ? "known" : "fresh"] = due;
    channels.set(channelId, channel);
  }
  return [...channels.values()];
}

/** Up to `most` due heads that get a slot; round robin over channels unless all fit. */
function dealFairly(dealer: Dealer, queue: string, due: DueHeads[], most: number, side: Side, room: Room): Head[] {
  const [first] = due;
  if (!first || most <= 0) return [];
  const take = ({ channelId }: Head) => room.take(side, channelId);
  const all = due.length > 1 ? [] : [...first.known, ...first.fresh];
  const fits = all.length > 0 && all.length <= Math.min(most, room.free(side, first.channelId));
  return fits ? all.filter(take) : dealer.deal(queue, due, most, take);
}

/** What decides on an account's queues. */
interface Facts {
  hosts: Hosts;
  paused: Paused;
  /** Nothing goes to the gateway before, ms. */
  restUntil: number;
}

/** What of the queues is due by target, and when the next will be. */
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

/** A channel's due heads of one direction, of known and of new chats; oldest first. */
interface DueHeads {
  channelId: ChannelId;
  known: Head[];
  fresh: Head[];
}

/** Every n-th turn of a channel goes to a new chat, while both have work due. */
const NEW_CHAT_EVERY = 5;

/** Who goes next when not all can. */
export interface Dealer {
  /** Deals up to `limit` turns to channels and picks a job for each; a channel drops out when `mayTake` refuses its job. */
  deal(queue: string, due: DueHeads[], limit: number, mayTake?: (row: Head) => boolean): Head[];
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
        const row = next(byChannel.get(id) as DueHeads, (turns.get(id) ?? 0) % NEW_CHAT_EVERY);
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

function next({ known, fresh }: DueHeads, turn: number): Head | undefined {
  const first = turn === NEW_CHAT_EVERY - 1 ? fresh : known;
  return first.shift() ?? (first === known ? fresh : known).shift();
}
