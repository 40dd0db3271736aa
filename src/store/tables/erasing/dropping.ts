import { inArray } from "drizzle-orm";
import { run, type Transaction, type Verb } from "../engine.ts";
import { type MessageRow, messages } from "../schema.ts";
import { isOwed } from "../states.ts";

// The end of messages that are being erased: nothing waits for them, and the ledger has no hole.

export type Dropped = Pick<
  MessageRow,
  "id" | "accountId" | "channelId" | "direction" | "kind" | "state" | "ack" | "events" | "album"
>;
export const DROPPED = `id, account_id AS "accountId", channel_id AS "channelId", direction, kind, state, ack, events, album`;

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
  const ids = [...new Set(rows.map(({ id }) => id))];
  const ended = { state: "dropped" as const, head: 0, ack: null };
  if (ids.length > 0) yield* run(orm.update(messages).set(ended).where(inArray(messages.id, ids)));
}
