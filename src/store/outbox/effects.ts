import { eq } from "drizzle-orm";
import type { Ack } from "../../domain/delivery.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";
import type { Act } from "../care.ts";
import type { AgentNote } from "../outbox.ts";
import type { Sealer } from "../secrets.ts";
import { first, isOwed, liveInLane, run, type Transaction, type Verb } from "../tables/engine.ts";
import { type MessageRow, messages } from "../tables/schema.ts";
import { type ChannelRef, type DebtColumns, debtOf } from "./rows.ts";

type Of = Pick<MessageRow, "accountId" | "channelId">;
type Ended = Of & Pick<MessageRow, "id" | "kind" | "events" | "album">;

/** What else happens when a message that has ended changes: each engine's own. */
export interface Effects {
  tx: Transaction;
  sealer: Sealer;
  /** The ledger's sums of acks move. */
  book(of: Of, change: Partial<Record<"acksOwed" | "acksRefused", number>>): Verb<void>;
  /** The ledger books the message's end. `by` -1 reverts it. */
  bookEnd(row: Ended, as: "delivered" | "refused", by?: 1 | -1): Verb<void>;
  /** The next position in any lane. */
  nextPosition(): Verb<number>;
  /** Tells the agent. */
  addNote(channel: ChannelRef, note: AgentNote, now: number): Verb<void>;
}

/** Runs a person's decision and its audit entry in one transaction. Resolves with what `act` returns. */
export type Decide = (
  accountId: AccountId,
  id: JobId,
  by: Act | undefined,
  act: (effects: Effects) => Verb<boolean>,
) => Promise<boolean>;

/** A row as it is in this transaction. */
export const change = ({ orm }: Transaction, id: number, set: Partial<MessageRow>): Verb<void> =>
  run(orm.update(messages).set(set).where(eq(messages.id, id)));

/** What the message owes the gateway from now on. Write the columns, then book it. */
export function newDebt(
  effects: Effects,
  row: MessageRow,
  ack: Ack,
  now: number,
): { columns: DebtColumns; book(): Verb<void> } {
  return {
    columns: debtOf(ack, row.ackVersion, now),
    *book() {
      if (!isOwed(row.ack)) yield* effects.book(row, { acksOwed: 1 });
    },
  };
}

const LIVE_IN_LANE = `${liveInLane((name) => `@${name}`)} LIMIT 1`;

/** Back at the end of its lane, to be sent again. */
export function* requeue(
  { tx, nextPosition }: Effects,
  row: MessageRow,
  set: Pick<MessageRow, "deadlineAt" | "work" | "doubtAt"> & Partial<MessageRow>,
  now: number,
): Verb<void> {
  const { channelId, direction, chat } = row;
  const head = (yield* first(LIVE_IN_LANE, { channelId, direction, chat })) ? 0 : 1;
  const fresh = { attempts: 0, unsure: 0, crashes: 0, fatalCrashes: 0, inOwnCode: 0, known: 0, error: null };
  const times = { runAt: now, updatedAt: now, position: yield* nextPosition() };
  yield* change(tx, row.id, { ...set, ...fresh, ...times, state: "ready", head, errorCode: null });
}
