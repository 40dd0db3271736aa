import { and, eq, inArray } from "drizzle-orm";
import { slicesOf } from "../../../domain/counts.ts";
import { run, type Transaction, type Verb } from "../engine.ts";
import { type MessageRow, messages } from "../schema.ts";
import { isOwed } from "../states.ts";

// The end of messages that are being erased: nothing waits for them, and the ledger has no hole.

export type Dropped = Pick<
  MessageRow,
  "id" | "accountId" | "channelId" | "direction" | "kind" | "state" | "ack" | "events" | "album"
>;
export const DROPPED = `id, account_id AS "accountId", channel_id AS "channelId", direction, kind, state, ack, events, album`;

/** Of a statement. */
const MAX_VALUES = 1_000;

const isLive = ({ state }: Pick<Dropped, "state">): boolean =>
  state === "ready" || state === "sending" || state === "waiting";

/** Ends what they are still owed. */
export function* dropWork(tx: Transaction, rows: Dropped[]): Verb<void> {
  const live = rows.filter(isLive);
  const held = rows.filter(({ state }) => state === "held");
  const acks = rows.filter(({ ack }) => isOwed(ack));
  yield* tx.refused({ live, held, acks });
  yield* endAll(tx, [...live, ...held, ...acks]);
}

/** Without the ledger. */
export function* endAll({ orm }: Transaction, rows: Pick<Dropped, "id">[]): Verb<void> {
  const ended = { state: "dropped" as const, head: 0, ack: null };
  const all = [...new Set(rows.map(({ id }) => id))];
  // Heads last: the trigger would make each of the others the head in turn.
  for (const head of [0, 1])
    for (const ids of slicesOf(all, MAX_VALUES))
      yield* run(
        orm
          .update(messages)
          .set(ended)
          .where(and(eq(messages.head, head), inArray(messages.id, ids))),
      );
}
