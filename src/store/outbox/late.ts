import { eq } from "drizzle-orm";
import type { Channel } from "../../domain/channel/channel.ts";
import type { Ack } from "../../domain/delivery/delivery.ts";
import type { SentPart } from "../../domain/delivery/plan.ts";
import { newWork } from "../../domain/delivery/work.ts";
import type { ChannelId, ChatId, GatewayMessageId, MessengerMessageId } from "../../domain/ids.ts";
import type { LateError, LateFailure } from "../../domain/message/message.ts";
import { LATE_FAILURES, writeNotes } from "../tables/channels/notes.ts";
import { first, type Transaction, type Verb } from "../tables/engine.ts";
import { covers } from "../tables/erasing/erasures.ts";
import { contentOf, oneMore } from "../tables/messages/contents.ts";
import { forgetParts, partNamed } from "../tables/messages/messages.ts";
import { type MessageRow, messages } from "../tables/schema.ts";
import { change, type Effects, newDebt } from "./effects.ts";

// Failures of messages that the messenger had accepted. One that overtakes the answer to our call is kept as a note, and
// applied by the update that ends the message.

const keyOf = (chat: string, id: MessengerMessageId) => `${LATE_FAILURES}${chat}:${id}`;
const NOTE = "SELECT value FROM note WHERE channel_id = @channelId AND key = @key";
/** ";" is the character after ":". */
const ANY = `SELECT 1 FROM note WHERE channel_id = @channelId
  AND key >= '${LATE_FAILURES}' AND key < '${LATE_FAILURES.slice(0, -1)};' LIMIT 1`;
/** A held message may still be confirmed, or sent again. Conditions exactly as in the index `message_lane`. */
const UNDER_WAY = `SELECT 1 FROM message WHERE channel_id = @channelId AND direction = 'outbound' AND chat = @chat
    AND state IN ('ready','sending','waiting')
  UNION ALL SELECT 1 FROM message WHERE channel_id = @channelId AND chat = @chat AND state = 'held' LIMIT 1`;
/** The gateway must not get the older ack, which is under way, after the newer one, ms. */
const OLDER_ACK_MS = 5_000;

/** `kept`: until the message ends. `known`: nothing is left to do. */
type Accepted = "applied" | "kept" | "known" | "unknown";

export function* acceptFailure(
  effects: Effects,
  { id: channelId }: Pick<Channel, "id">,
  { chat, messengerMessageId, error }: LateFailure,
  now: number,
): Verb<Accepted> {
  const { tx } = effects;
  const part = yield* partNamed(channelId, messengerMessageId);
  const row = part && (yield* rowOf(tx, part.id));
  if (row?.direction === "outbound") {
    // Anything else: it is a repeat, or a person has decided meanwhile.
    if (row.state !== "done" || (yield* covers(effects.sealer, row.id))) return "known";
    yield* becomeUndelivered(effects, row, inWords(error, part?.place ?? 1, part?.parts ?? 1), now);
    return "applied";
  }
  if (!(yield* first(UNDER_WAY, { channelId, chat }))) return "unknown";
  if (!(yield* tx.mayStore(channelId, [chat]))) return "known";
  return yield* keep(tx, { channelId, chat, messengerMessageId, error }, now);
}

const rowOf = ({ orm }: Transaction, id: number): Verb<MessageRow | undefined> =>
  first(orm.select().from(messages).where(eq(messages.id, id)));

/** A message of several parts is delivered as a whole, or not. */
const inWords = (error: LateError, part: number, of: number): LateError =>
  of > 1 ? { ...error, message: `Part ${part} of ${of} was not delivered: ${error.message}` } : error;

type Kept = Pick<LateFailure, "chat" | "messengerMessageId" | "error"> & { channelId: ChannelId };

function* keep(tx: Transaction, { channelId, chat, messengerMessageId, error }: Kept, now: number): Verb<Accepted> {
  const key = keyOf(chat, messengerMessageId);
  if (yield* first(NOTE, { channelId, key })) return "known";
  yield* writeNotes(now, channelId, [{ key, value: JSON.stringify(error) }]);
  (yield* keptIn(tx, channelId)).any = true;
  return "kept";
}

/** SQLite keeps it in memory, so that a message's end rarely reads them. `any` may outlive the last one. */
function* keptIn(tx: Transaction, channelId: ChannelId): Verb<{ any: boolean }> {
  const load = function* (): Verb<{ any: boolean }> {
    return { any: (yield* first(ANY, { channelId })) !== undefined };
  };
  return (yield* tx.find("late-failures", channelId, load)) ?? { any: false };
}

/** What the messenger has reported of a message that ends only now. */
export interface Overtaken {
  error: LateError;
  /** Call once it is recorded. */
  forget(now: number): Verb<void>;
}

export function* overtaken(
  tx: Transaction,
  { channelId, chat }: { channelId: ChannelId; chat: ChatId },
  parts: SentPart[] = [],
): Verb<Overtaken | undefined> {
  if (parts.length === 0 || !(yield* keptIn(tx, channelId)).any) return undefined;
  const kept: { key: string; place: number; error: LateError }[] = [];
  for (const [n, { messengerMessageId }] of parts.entries()) {
    const key = keyOf(chat, messengerMessageId);
    const note = yield* first<{ value: string }>(NOTE, { channelId, key });
    if (note) kept.push({ key, place: n + 1, error: JSON.parse(note.value) });
  }
  const [oldest] = kept;
  if (!oldest) return undefined;
  return {
    error: inWords(oldest.error, oldest.place, parts.length),
    forget: (now) =>
      writeNotes(
        now,
        channelId,
        kept.map(({ key }) => ({ key, value: "" })),
      ),
  };
}

/** The columns of a message's end. */
export const undelivered = ({ code, message }: LateError, now: number) => ({
  ...{ state: "dead" as const, error: message, errorCode: code, lateAt: now },
});

function* becomeUndelivered(effects: Effects, row: MessageRow, error: LateError, now: number): Verb<void> {
  const ack = ackOf(row, error);
  const debt = ack && newDebt(effects, row, ack, now);
  // Without its content nobody could send it again.
  const left = row.payload === null ? { state: "dropped" as const } : { tries: oneMore(row.tries, now, error.message) };
  const times = row.ack === "sending" && debt ? { ackAt: now + OLDER_ACK_MS } : {};
  const end = { ...undelivered(error, now), ...left, updatedAt: now };
  yield* change(effects.tx, row.id, { ...end, ...debt?.columns, ...times });
  if (debt) yield* debt.book();
  yield* effects.bookEnd(row, "delivered", -1);
  yield* effects.bookEnd(row, "refused");
}

function ackOf(row: MessageRow, error: LateError): Ack | undefined {
  const task = contentOf(row)?.task;
  const act = task?.direction === "outbound" && task.act.type === "message" ? task.act : undefined;
  const gatewayMessageId = (row.gatewayMessageId ?? act?.gatewayMessageId) as GatewayMessageId | undefined;
  const messengerMessageId = (row.firstId ?? row.messengerMessageId ?? undefined) as MessengerMessageId | undefined;
  return gatewayMessageId && { gatewayMessageId, messengerMessageId, error };
}

type Anew = Pick<MessageRow, "work" | "doubtAt"> & Partial<MessageRow>;

/** To send such a message again: from its first step on, under a new key, as the messenger has given up the old one. */
export function* anew(row: MessageRow): Verb<Anew> {
  yield* forgetParts(row.id);
  const { work } = contentOf(row) ?? {};
  return {
    ...{ work: work ? JSON.stringify(newWork(work.plan)) : null, doubtAt: null },
    ...{ generation: row.generation + 1, lateAt: null },
    ...{ messengerMessageId: null, firstId: null, holds: null, fixed: null, words: null },
  };
}
