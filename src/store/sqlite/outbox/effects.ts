import type { Clock } from "../../../domain/time/clock.ts";
import { eventCandidate } from "../../outbox/accepting.ts";
import type { Decide, Effects } from "../../outbox/effects.ts";
import type { Sealer } from "../../secrets.ts";
import { just } from "../../tables/engine.ts";
import type { Database } from "../database/db.ts";
import { runNow, transactionOf, writeAudit } from "../tables/engine.ts";
import { nextPosition } from "../tables/lanes.ts";
import { book, bookEnd } from "../tables/tally.ts";
import { acceptNew } from "./accepting.ts";

export const effectsIn = (db: Database, sealer: Sealer): Effects => ({
  ...{ tx: transactionOf(db), sealer },
  book: ({ channelId, accountId }, change) => just(book(db, { id: channelId, accountId }, change)),
  bookEnd: (row, as, by) => just(bookEnd(db, row, as, by)),
  nextPosition: () => just(nextPosition(db)),
  addNote: (channel, note, now) => just(void acceptNew(db, [eventCandidate(channel, note, now, 0)], now)),
});

export function deciding(db: Database, sealer: Sealer, clock: Clock): Decide {
  const effects = effectsIn(db, sealer);
  return (accountId, id, by, act) =>
    db.write(() => {
      const done = runNow(db, act(effects));
      if (done) writeAudit(db, clock.now(), accountId, by, { job: id });
      return done;
    });
}
