import { all, type Refused, run, type Verb } from "../../tables/engine.ts";
import { tallies } from "../../tables/schema.ts";

// The ledger's sums of one transaction, booked once for each channel.

const COUNTS = [
  ...["accepted", "delivered", "refused", "messagesDelivered", "messagesRefused"],
  ...["acksOwed", "acksGiven", "acksRefused"],
] as const;
type Counts = Partial<Record<(typeof COUNTS)[number], number>>;
const TIMES = ["lastInboundAt", "lastOutboundAt"] as const;
type Times = Partial<Record<(typeof TIMES)[number], number>>;

const nameOf = (name: (typeof COUNTS)[number] | (typeof TIMES)[number]) => tallies[name].name;
const added = COUNTS.map((name) => `${nameOf(name)} = tally.${nameOf(name)} + excluded.${nameOf(name)}`);
const newest = TIMES.map((name) => `${nameOf(name)} = greatest(tally.${nameOf(name)}, excluded.${nameOf(name)})`);
/** In the order of the channels: transactions that book for the same ones wait in turn. */
export const BOOK = `INSERT INTO tally (channel_id, account_id, ${[...COUNTS, ...TIMES].map(nameOf)})
  SELECT "channelId", "accountId", ${[...COUNTS.map((name) => `coalesce("${name}", 0)`), ...TIMES.map((name) => `"${name}"`)]}
  FROM json_to_recordset(CAST(@sums AS json)) AS sums ("channelId" text, "accountId" text,
    ${[...COUNTS, ...TIMES].map((name) => `"${name}" bigint`)}) ORDER BY "channelId"
  ON CONFLICT (channel_id) DO UPDATE SET ${[...added, ...newest]}`;

type Channel = { channelId: string; accountId: string };

export interface Sums {
  add(channel: Channel, change: Counts, last?: Times): void;
  /** For `BOOK`. */
  rows(): string;
}

export function createSums(): Sums {
  const channels = new Map<string, Channel & Counts & Times>();
  return {
    add({ channelId, accountId }, change, last) {
      const sums = channels.get(channelId) ?? { channelId, accountId };
      channels.set(channelId, Object.assign(sums, last));
      for (const name of COUNTS) sums[name] = (sums[name] ?? 0) + (change[name] ?? 0);
    },
    rows: () => JSON.stringify([...channels.values()]),
  };
}

const CARRIED = `SELECT carrier, sum(events) AS events FROM message
  WHERE carrier IN (SELECT CAST(json_array_elements_text(CAST(@ids AS json)) AS bigint)) GROUP BY carrier`;

/** Of an album, all parts count. */
export function* bookRefused({ live, held, acks, untold = [] }: Refused): Verb<void> {
  const ended = [...live, ...held];
  const ids = ended.flatMap(({ id, album }) => (album === null ? [] : [id]));
  const parts =
    ids.length > 0 ? yield* all<{ carrier: number; events: number }>(CARRIED, { ids: JSON.stringify(ids) }) : [];
  const carried = new Map(parts.map(({ carrier, events }) => [carrier, events]));
  const sums = createSums();
  for (const row of ended) {
    const events = row.events + (carried.get(row.id) ?? 0);
    sums.add(row, { refused: events, messagesRefused: row.kind === "message" ? events : 0 });
  }
  for (const row of acks) sums.add(row, { acksRefused: 1 });
  for (const row of untold) sums.add(row, { acksOwed: 1, acksRefused: 1 });
  if (ended.length + acks.length > 0) yield* run(BOOK, { sums: sums.rows() });
}
