import type { Clock } from "../../../domain/time/clock.ts";
import { eventCandidate } from "../../outbox/accepting.ts";
import type { Decide, Effects } from "../../outbox/effects.ts";
import { just } from "../../tables/engine.ts";
import type { Database } from "../database/db.ts";
import { runNow, transactionOf, writeAudit } from "../tables/engine.ts";
import { nextPosition } from "../tables/lanes.ts";
import { book, bookEnd } from "../tables/tally.ts";
import { acceptNew } from "./accepting.ts";

const made = new WeakMap<Database, Effects>();

export function effectsIn(db: Database): Effects {
  const known = made.get(db) ?? createEffects(db);
  made.set(db, known);
  return known;
}

const createEffects = (db: Database): Effects => ({
  tx: transactionOf(db),
  covers: (id) => just(db.erasing.covers(id)),
  book: ({ channelId, accountId }, change) => just(book(db, { id: channelId, accountId }, change)),
  bookEnd: (row, as, by) => just(bookEnd(db, row, as, by)),
  nextPosition: () => just(nextPosition(db)),
  addNote: (channel, note, now) => just(void acceptNew(db, [eventCandidate(channel, note, now, 0)], now)),
});

export const deciding =
  (db: Database, clock: Clock): Decide =>
  (accountId, id, by, act) =>
    db.write(() => {
      const done = runNow(db, act(effectsIn(db)));
      if (done) writeAudit(db, clock.now(), accountId, by, { job: id });
      return done;
    });
