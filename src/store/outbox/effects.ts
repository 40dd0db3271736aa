import { eq } from "drizzle-orm";
import type { Ack } from "../../domain/delivery.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";
import { fitGatewayId } from "../../domain/message.ts";
import type { Act } from "../care.ts";
import type { AgentNote } from "../outbox.ts";
import type { Sealer } from "../secrets.ts";
import { first, isOwed, knownChat, liveInLane, run, type Transaction, type Verb } from "../tables/engine.ts";
import { type MessageRow, messages } from "../tables/schema.ts";
import { type ChannelRef, columnOf, type DebtColumns, debtOf, eventRow, type MessageColumn } from "./rows.ts";

// Side effects of changing a message that has ended. The caller holds the lane.

/** Runs a person's decision and its audit entry in one transaction. Resolves with what `act` returns. */
export type Decide = (
  accountId: AccountId,
  id: JobId,
  by: Act | undefined,
  act: (tx: Transaction, sealer: Sealer) => Verb<boolean>,
) => Promise<boolean>;

export const change = ({ orm }: Transaction, id: number, set: Partial<MessageRow>): Verb<void> =>
  run(orm.update(messages).set(set).where(eq(messages.id, id)));

/** The ack that the message owes from now on. Write the columns, then book it. */
export function newDebt(
  tx: Transaction,
  row: MessageRow,
  ack: Ack,
  now: number,
): { columns: DebtColumns; book(): Verb<void> } {
  const { accountId, channelId } = row;
  return {
    columns: debtOf(ack, row.ackVersion, now),
    *book() {
      if (!isOwed(row.ack)) yield* tx.book([{ accountId, channelId, acksOwed: 1 }]);
    },
  };
}

const LIVE_IN_LANE = liveInLane((name) => `@${name}`);

/** Puts a message back at the end of its lane, to be sent again. */
export function* requeue(
  tx: Transaction,
  row: MessageRow,
  set: Pick<MessageRow, "deadlineAt" | "work" | "doubtAt"> & Partial<MessageRow>,
  now: number,
): Verb<void> {
  const { channelId, direction, chat } = row;
  const head = (yield* first(`${LIVE_IN_LANE} LIMIT 1`, { channelId, direction, chat })) ? 0 : 1;
  const fresh = { attempts: 0, unsure: 0, crashes: 0, fatalCrashes: 0, inOwnCode: 0, known: 0, error: null };
  const times = { runAt: now, updatedAt: now, position: yield* tx.nextPosition() };
  yield* change(tx, row.id, { ...set, ...fresh, ...times, state: "ready", head, errorCode: null });
}

const NOTE: MessageColumn[] = [
  ...(["accountId", "channelId", "direction", "kind", "chat"] as const),
  ...(["events", "state", "known", "deadlineAt", "payload"] as const),
];
const ADD_NOTE = `INSERT INTO message (id, position, ${NOTE.map(columnOf)}, head, run_at, created_at, updated_at)
  SELECT @id, @id, ${NOTE.map((name) => `@${name}`)}, CASE WHEN EXISTS (${LIVE_IN_LANE}) THEN 0 ELSE 1 END, @now, @now, @now`;

/** Adds a note to the agent, as a message of its own. */
export function* addNote(tx: Transaction, channel: ChannelRef, note: AgentNote, now: number): Verb<void> {
  const since = (yield* knownChat(tx, channel.id, fitGatewayId(note.chat)))?.createdAt ?? Number.POSITIVE_INFINITY;
  const { content: _, ...row } = eventRow(channel, note, since, now, 0);
  yield* run(ADD_NOTE, { ...row, id: yield* tx.nextPosition(), now });
}
