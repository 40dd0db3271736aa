import type { JobRow } from "./schema.ts";

// More is due in an account than may leave: its channels take turns, and in a channel the chats known for a while go before
// those that began just now, without shutting them out. In memory: after a start the turns begin anew.

/** A channel's due heads of one direction: of known chats, and of new ones; each oldest first. */
export interface Due {
  channelId: string;
  known: JobRow[];
  fresh: JobRow[];
}

/** Of so many turns of a channel its known chats have all but one, while both have something due. */
const TURNS = 5;

/** Deals up to `most` turns to the channels of a side of an account and picks what each may send; who `may` not is passed over. */
export type Deal = (side: string, due: Due[], most: number, may?: (row: JobRow) => boolean) => JobRow[];

export function dealing(): Deal {
  // The channels of a side in the order of their last turns, who had one last stands last, with a count of its turns.
  const sides = new Map<string, Map<string, number>>();
  return (side, due, most, may = () => true) => {
    const turns = sides.get(side) ?? new Map<string, number>();
    sides.set(side, turns);
    const byChannel = new Map(due.map((each) => [each.channelId, each]));
    for (const id of turns.keys()) if (!byChannel.has(id)) turns.delete(id);
    // One that had nothing due until now comes first.
    const order = [...byChannel.keys()].sort((a, b) => rank(turns, a) - rank(turns, b));
    const picked: JobRow[] = [];
    while (picked.length < most && order.length > 0) {
      const id = order.shift() as string;
      const row = next(byChannel.get(id) as Due, (turns.get(id) ?? 0) % TURNS);
      if (!row || !may(row)) continue;
      picked.push(row);
      const count = (turns.get(id) ?? 0) + 1;
      turns.delete(id);
      turns.set(id, count);
      order.push(id);
    }
    return picked;
  };
}

/** Every other time that somebody asks. */
export function alternating(): (who: string) => boolean {
  const last = new Map<string, boolean>();
  return (who) => {
    const now = !last.get(who);
    last.set(who, now);
    return now;
  };
}

function rank(turns: Map<string, number>, id: string): number {
  return turns.has(id) ? [...turns.keys()].indexOf(id) : -1;
}

function next({ known, fresh }: Due, turn: number): JobRow | undefined {
  const first = turn === TURNS - 1 ? fresh : known;
  return first.shift() ?? (first === known ? fresh : known).shift();
}
