import { eq, sql } from "drizzle-orm";
import type { Channel } from "../../../domain/channel.ts";
import type { Ack } from "../../../domain/delivery.ts";
import type { ChannelId, ChatId, GatewayMessageId, MessengerMessageId } from "../../../domain/ids.ts";
import type { LateError, LateFailure } from "../../../domain/message.ts";
import type { SentPart } from "../../../domain/plan.ts";
import { newWork } from "../../../domain/work.ts";
import { contentOf } from "../../tables/contents.ts";
import { forgetParts, partNamed } from "../../tables/messages.ts";
import { LATE_FAILURES } from "../../tables/notes.ts";
import { type MessageRow, messages } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import { newDebt } from "../tables/acks.ts";
import { mayStore } from "../tables/chats.ts";
import { runNow, writeNotes } from "../tables/engine.ts";
import { keptTries } from "../tables/lanes.ts";
import { bookEnd } from "../tables/tally.ts";

// Failures of messages that the messenger had accepted. One that overtakes the answer to our call is kept as a note, and
// applied by the update that ends the message.

const keyOf = (chat: string, id: MessengerMessageId) => `${LATE_FAILURES}${chat}:${id}`;
const NOTE = "SELECT value FROM note WHERE channel_id = @channelId AND key = @key";
const ANY = `SELECT 1 FROM note WHERE channel_id = @channelId AND key GLOB '${LATE_FAILURES}*' LIMIT 1`;
/** A held message may still be confirmed, or sent again. Conditions exactly as in the index `message_lane`. */
const UNDER_WAY = `SELECT 1 FROM message WHERE channel_id = @channelId AND direction = 'outbound' AND chat = @chat
    AND state IN ('ready','sending','waiting')
  UNION ALL SELECT 1 FROM message WHERE channel_id = @channelId AND chat = @chat AND state = 'held' LIMIT 1`;
/** The gateway must not get the older ack, which is under way, after the newer one, ms. */
const OLDER_ACK_MS = 5_000;

/** `kept`: until the message ends. `known`: nothing is left to do. */
type Accepted = "applied" | "kept" | "known" | "unknown";

export function acceptFailure(
  db: Database,
  { id: channelId }: Pick<Channel, "id">,
  { chat, messengerMessageId, error }: LateFailure,
  now: number,
): Accepted {
  const part = runNow(db, partNamed(channelId, messengerMessageId));
  const row = part && rowOf(db, part.id);
  if (row?.direction === "outbound") {
    // Anything else: it is a repeat, or a person has decided meanwhile.
    if (row.state !== "done" || db.erasing.covers(row.id)) return "known";
    becomeUndelivered(db, row, inWords(error, part?.place ?? 1, part?.parts ?? 1), now);
    return "applied";
  }
  if (db.prepared(UNDER_WAY).get({ channelId, chat }) === undefined) return "unknown";
  return mayStore(db, channelId, [chat]) ? keep(db, { channelId, chat, messengerMessageId, error }, now) : "known";
}

const rowOf = (db: Database, id: number) => db.orm.select().from(messages).where(eq(messages.id, id)).get();

/** A message of several parts is delivered as a whole, or not. */
const inWords = (error: LateError, part: number, of: number): LateError =>
  of > 1 ? { ...error, message: `Part ${part} of ${of} was not delivered: ${error.message}` } : error;

type Kept = Pick<LateFailure, "chat" | "messengerMessageId" | "error"> & { channelId: ChannelId };

function keep(db: Database, { channelId, chat, messengerMessageId, error }: Kept, now: number): Accepted {
  const key = keyOf(chat, messengerMessageId);
  if (db.prepared(NOTE).get({ channelId, key })) return "known";
  writeNotes(db, now, channelId, [{ key, value: JSON.stringify(error) }]);
  keptIn(db, channelId).any = true;
  return "kept";
}

/** In memory, so that a message's end rarely reads them. `any` may outlive the last one. */
const keptIn = (db: Database, channelId: ChannelId) =>
  db.rows.find("late-failures", channelId, () => ({ any: db.prepared(ANY).get({ channelId }) !== undefined })) as {
    any: boolean;
  };

/** What the messenger has reported of a message that ends only now. */
export interface Overtaken {
  error: LateError;
  /** Call once it is recorded. */
  forget(now: number): void;
}

export function overtaken(
  db: Database,
  { channelId, chat }: { channelId: ChannelId; chat: ChatId },
  parts: SentPart[] = [],
): Overtaken | undefined {
  if (!keptIn(db, channelId).any) return undefined;
  const kept = parts.flatMap(({ messengerMessageId }, n) => {
    const key = keyOf(chat, messengerMessageId);
    const note = db.prepared(NOTE).get({ channelId, key }) as { value: string } | undefined;
    return note ? [{ key, place: n + 1, error: JSON.parse(note.value) as LateError }] : [];
  });
  const [first] = kept;
  if (!first) return undefined;
  return {
    error: inWords(first.error, first.place, parts.length),
    forget: (now) =>
      writeNotes(
        db,
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

function becomeUndelivered(db: Database, row: MessageRow, error: LateError, now: number): void {
  const ack = ackOf(row, error);
  const debt = ack && newDebt(db, row, ack, now);
  const times = row.ack === "sending" && debt ? { ackAt: now + OLDER_ACK_MS } : {};
  const end = undelivered(error, now);
  const tries = sql`json_insert(${sql.raw(keptTries("tries"))}, '$[#]', json_array(${now}, ${error.message}))`;
  db.orm
    .update(messages)
    // Without its content nobody could send it again.
    .set({
      ...end,
      ...(row.payload === null ? { state: "dropped" } : { tries }),
      updatedAt: now,
      ...debt?.columns,
      ...times,
    })
    .where(eq(messages.id, row.id))
    .run();
  debt?.book();
  bookEnd(db, row, "delivered", -1);
  bookEnd(db, row, "refused");
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
export function anew(db: Database, row: MessageRow): Anew {
  runNow(db, forgetParts(row.id));
  const { work } = contentOf(row) ?? {};
  return {
    ...{ work: work ? JSON.stringify(newWork(work.plan)) : null, doubtAt: null },
    ...{ generation: row.generation + 1, lateAt: null },
    ...{ messengerMessageId: null, firstId: null, holds: null, fixed: null, words: null },
  };
}
