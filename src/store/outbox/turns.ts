import type { ChannelId } from "../../domain/ids.ts";
import type { Head } from "./heads.ts";

// Round robin over an account's channels when more is due than may be claimed. Within a channel, known chats go before
// new ones without starving them. In memory: a restart resets the order.

/** A channel's due heads of one direction, of known and of new chats; oldest first. */
export interface Due {
  channelId: ChannelId;
  known: Head[];
  fresh: Head[];
}

/** Every n-th turn of a channel goes to a new chat, while both have work due. */
const NEW_CHAT_EVERY = 5;

/** Deals up to `limit` turns to channels and picks a job for each; a channel drops out when `mayTake` refuses its job. */
export type Deal = (queue: string, due: Due[], limit: number, mayTake?: (row: Head) => boolean) => Head[];

/** Who goes next when not all can. */
export interface Dealer {
  deal: Deal;
  /** True on every other call per key: who gets the odd slot. */
  alternate(key: string): boolean;
}

export function createDealer(): Deal {
  // By queue: channels and their number of turns, least recently served first.
  const queues = new Map<string, Map<ChannelId, number>>();
  return (queue, due, limit, mayTake = () => true) => {
    const turns = queues.get(queue) ?? new Map<ChannelId, number>();
    queues.set(queue, turns);
    const byChannel = new Map(due.map((each) => [each.channelId, each]));
    for (const id of turns.keys()) if (!byChannel.has(id)) turns.delete(id);
    // A channel that had nothing due until now comes first.
    const order = [...byChannel.keys()].sort((a, b) => rank(turns, a) - rank(turns, b));
    const picked: Head[] = [];
    while (picked.length < limit && order.length > 0) {
      const id = order.shift() as ChannelId;
      const row = next(byChannel.get(id) as Due, (turns.get(id) ?? 0) % NEW_CHAT_EVERY);
      if (!row || !mayTake(row)) continue;
      picked.push(row);
      const count = (turns.get(id) ?? 0) + 1;
      turns.delete(id);
      turns.set(id, count);
      order.push(id);
    }
    return picked;
  };
}

/** Returns true on every other call per key, starting with true. */
export function createAlternator(): (key: string) => boolean {
  const last = new Map<string, boolean>();
  return (key) => {
    const value = !last.get(key);
    last.set(key, value);
    return value;
  };
}

function rank(turns: Map<ChannelId, number>, id: ChannelId): number {
  return turns.has(id) ? [...turns.keys()].indexOf(id) : -1;
}

function next({ known, fresh }: Due, turn: number): Head | undefined {
  const first = turn === NEW_CHAT_EVERY - 1 ? fresh : known;
  return first.shift() ?? (first === known ? fresh : known).shift();
}
