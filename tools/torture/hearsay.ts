import type { JournalEntry } from "gangway-sandbox";

/** What the server has heard by the messenger's webhooks: what it answered with 200, as the messenger saw it. */
export interface Hearsay {
  /** When a status first named this key of a call, Unix time, ms. */
  toldAt(callback: string): number | undefined;
  /** Whether the server had a customer's message when the other was written, or has both by one body, in this order. */
  precedes(one: Written, other: Written): boolean;
  webhooks(): { bodies: number; entries: number; most: number; unanswered: number };
}
interface Written {
  id: string;
  /** Unix time, ms. */
  at: number;
}
interface Heard {
  at: number;
  body: number;
  place: number;
}
interface Body {
  entry: {
    changes: { value: { messages?: { id: string }[]; statuses?: { biz_opaque_callback_data?: string }[] } }[];
  }[];
}

export function hearsay(journal: { observe(listener: (entry: JournalEntry) => void): void }): Hearsay {
  const messages = new Map<string, Heard>();
  const statuses = new Map<string, number>();
  const sums = { bodies: 0, entries: 0, most: 0, unanswered: 0 };
  journal.observe(({ kind, status, at, request }) => {
    if (kind !== "webhook") return;
    const { entry } = request as Body;
    sums.bodies += 1;
    sums.entries += entry.length;
    sums.most = Math.max(sums.most, entry.length);
    if (status !== 200) {
      sums.unanswered += 1;
      return;
    }
    const values = entry.flatMap(({ changes }) => changes.map(({ value }) => value));
    const arrived = values.flatMap((value) => value.messages ?? []);
    for (const [place, { id }] of arrived.entries())
      if (!messages.has(id)) messages.set(id, { at, body: sums.bodies, place });
    for (const { biz_opaque_callback_data: key } of values.flatMap((value) => value.statuses ?? []))
      if (key !== undefined && !statuses.has(key)) statuses.set(key, at);
  });
  return {
    toldAt: (callback) => statuses.get(callback),
    precedes(one, other) {
      const [first, second] = [messages.get(one.id), messages.get(other.id)];
      if (!first || !second) return false;
      return first.body === second.body ? first.place < second.place : first.at < other.at;
    },
    webhooks: () => ({ ...sums }),
  };
}
