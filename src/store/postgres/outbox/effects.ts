import { serialByKey } from "../../../domain/time/concurrency.ts";
import type { Decide, Effects } from "../../outbox/effects.ts";
import { DEFAULTS, eventRow } from "../../outbox/rows.ts";
import { columnOf, type MessageColumn } from "../../outbox/updates.ts";
import type { Sealer } from "../../secrets.ts";
import { writeAudit } from "../../tables/accounts/audit.ts";
import { first, run, type Transaction, type Verb } from "../../tables/engine.ts";
import { liveInLane } from "../../tables/states.ts";
import type { PostgresEngine } from "../database/engine.ts";
import { BOOK, createSums } from "../tables/sums.ts";
import type { Parts } from "./parts.ts";

const CARRIED = "SELECT coalesce(sum(events), 0) AS events FROM message WHERE carrier = @id";
const POSITION = "SELECT nextval(pg_get_serial_sequence('message', 'id')) AS position";
const NOTE: MessageColumn[] = [
  "accountId",
  "channelId",
  "direction",
  "kind",
  "chat",
  "events",
  "state",
  "known",
  "deadlineAt",
  "payload",
];
/** Whoever adds one holds the lane. */
const ADD_NOTE = `INSERT INTO message (id, position, ${NOTE.map(columnOf)}, head, run_at, created_at, updated_at)
  SELECT id, id, ${NOTE.map((name) => `@${name}`)}, CASE WHEN EXISTS (${liveInLane((name) => `@${name}`)}) THEN 0 ELSE 1 END, @now, @now, @now
  FROM (SELECT nextval(pg_get_serial_sequence('message', 'id')) AS id) AS next`;

/** Within a transaction that holds the message's lanes. */
export function effectsIn(tx: Transaction, sealer: Sealer): Effects {
  const book: Effects["book"] = (of, change) => {
    const sums = createSums();
    sums.add(of, change);
    return run(BOOK, { sums: sums.rows() });
  };
  return {
    ...{ tx, sealer, book },
    *bookEnd(row, as, by = 1) {
      const parts = row.album === null ? undefined : yield* first<{ events: number }>(CARRIED, { id: row.id });
      const events = (row.events + (parts?.events ?? 0)) * by;
      const sums = createSums();
      const messages = as === "delivered" ? "messagesDelivered" : "messagesRefused";
      sums.add(row, { [as]: events, [messages]: row.kind === "message" ? events : 0 });
      if (events !== 0) yield* run(BOOK, { sums: sums.rows() });
    },
    *nextPosition() {
      return (yield* first<{ position: number }>(POSITION))?.position ?? 0;
    },
    *addNote(channel, note, now) {
      const since = (yield* tx.chat(channel.id, note.chat))?.createdAt ?? Number.POSITIVE_INFINITY;
      const { content: _, ...row } = eventRow(channel, note, since, now, 0);
      yield* run(ADD_NOTE, { ...DEFAULTS, ...row, now });
    },
  };
}

const FIND = `SELECT channel_id AS "channelId", chat FROM message WHERE id = @id AND account_id = @accountId`;

/** Runs people's decisions, each with its audit entry in one transaction; an account's in the order asked. */
export function deciding({ known, notifier, clock, sealer }: Parts, engine: PostgresEngine): Decide {
  const serial = serialByKey();
  const decide: Decide = async (accountId, id, by, act) => {
    const done = await engine.write(function* (tx): Verb<boolean> {
      const row = yield* first<{ channelId: string; chat: string | null }>(FIND, { id, accountId });
      if (!row) return false;
      yield* tx.holdLanes(row.channelId, row.chat ?? "");
      const decided = yield* act(effectsIn(tx, sealer));
      if (decided) yield* writeAudit(tx, clock.now(), accountId, by, { job: id });
      if (decided && !known.of(accountId))
        for (const [text, values] of notifier.statements([accountId])) yield* run(text, values);
      return decided;
    }, "lanes");
    if (done && known.of(accountId)) await known.load([accountId]);
    return done;
  };
  // What is sent again takes its place in the lane as it is decided.
  return (accountId, ...decision) => serial(accountId, () => decide(accountId, ...decision));
}
