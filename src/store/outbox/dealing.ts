import { countBefore } from "../../domain/sorted.ts";
import { type DueJobs, GATEWAY, type Hosts, type NextDue, type Room, type Side, type Target } from "../outbox.ts";
import type { Head, Queue } from "./heads.ts";
import type { Dealer, Due } from "./turns.ts";

// Which heads to claim. Acks may take half of the gateway's slots, customers' and agents' messages half of the rest each;
// unused shares go to the others.

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

const sizeOf = (due: Due[]): number => due.reduce((sum, { known, fresh }) => sum + known.length + fresh.length, 0);

/** The oldest due heads of one direction by channel, up to `most` of each. */
function dueOf(queues: Queue[], wanted: Queue["direction"], now: number, most: number): Due[] {
  if (most <= 0) return [];
  const channels = new Map<string, Due>();
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
function dealFairly(dealer: Dealer, queue: string, due: Due[], most: number, side: Side, room: Room): Head[] {
  const [first] = due;
  if (!first || most <= 0) return [];
  const take = ({ channelId }: Head) => room.take(side, channelId);
  const all = due.length > 1 ? [] : [...first.known, ...first.fresh];
  const fits = all.length > 0 && all.length <= Math.min(most, room.free(side, first.channelId));
  return fits ? all.filter(take) : dealer.deal(queue, due, most, take);
}

const NEVER = Number.POSITIVE_INFINITY;

/** What of the queues is due by target, and when the next will be. */
export function dueIn(queues: Queue[], { kindOf }: Hosts, restUntil: number, now: number): NextDue {
  const next: NextDue = { due: [] };
  const rests = restUntil > now;
  for (const { direction, channelId, heads: own, end } of queues) {
    // Those after the last one that was read are due no earlier; a claim reads them.
    const heads = own.length > 0 || !end ? own : [end];
    const target = direction === "outbound" ? (kindOf.get(channelId) ?? "") : GATEWAY;
    const waits = rests && target === GATEWAY;
    const jobs = waits ? 0 : countBefore(heads, ({ runAt }) => runAt <= now);
    if (jobs > 0) addDue(next.due, target, jobs, heads[0]?.runAt ?? now);
    const after = heads[jobs];
    if (after) next.later = Math.min(next.later ?? NEVER, Math.max(after.runAt, waits ? restUntil : 0));
  }
  return next;
}

function addDue(due: DueJobs[], target: Target, jobs: number, since: number): void {
  const known = due.find((each) => each.target === target);
  if (!known) return void due.push({ target, jobs, since });
  known.jobs += jobs;
  known.since = Math.min(known.since, since);
}
