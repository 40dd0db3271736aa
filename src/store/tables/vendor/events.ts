import { randomUUID } from "node:crypto";
import { and, asc, desc, eq, sql } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import type { VendorEvent } from "../../../domain/vendor.ts";
import type { VendorEvents } from "../../vendor.ts";
import { all, type Engine, first, metaOf, run, setMeta, type Verb } from "../engine.ts";
import { accounts, vendorEvents } from "../schema.ts";

/** While this key exists, triggers write events. */
export const LISTENING = "vendor_events";

const DUE = sql`state = 'due'`;
/** Longer than any pause, ms: a later time means that the clock was put back. */
const NO_PAUSE_MS = 600_000;
const IS_DUE = `SELECT 1 FROM vendor_event WHERE state = 'due' AND (run_at <= @now OR run_at > @now + ${NO_PAUSE_MS}) LIMIT 1`;
/** One end of the index. SQLite would read all of it for min and max together. */
const endOf = (order: "ASC" | "DESC") =>
  `(SELECT id FROM vendor_event WHERE state = 'due' ORDER BY id ${order} LIMIT 1)`;
export const FIRST_DUE = `SELECT ${endOf("ASC")} AS id, ${endOf("DESC")} AS newest`;
const FIGURES = `SELECT count(*) AS due, min(created_at) AS "oldestAt" FROM vendor_event WHERE state = 'due'`;

interface How {
  /** Resolves with true once all transactions that may have an id have ended; false when that takes too long. */
  settled(): Promise<boolean>;
  alone: VendorEvents["alone"];
  /** The trigger on messages, where it is optional. */
  trigger?: { on: string; off: string };
}

type Row = typeof vendorEvents.$inferSelect;

const toEvent = ({ accountId, error, endedAt, ...row }: Row): VendorEvent => ({
  ...row,
  ...{ accountId: accountId ?? undefined, error: error ?? undefined, endedAt: endedAt ?? undefined },
});

export function vendorEventStore({ read, write }: Engine, clock: Pick<Clock, "now">, how: How): VendorEvents {
  /** All ids up to this one are known. */
  let settledTo = 0;
  const bounds = () => read(() => first<{ id: number | null; newest: number | null }>(FIRST_DUE));
  const change = (id: number, set: Partial<Row>) =>
    write(
      ({ orm }) =>
        run(
          orm
            .update(vendorEvents)
            .set({ ...set, attempts: sql`attempts + 1` as unknown as number })
            .where(and(eq(vendorEvents.id, id), DUE)),
        ),
      "lanes",
    );
  return {
    async listen(on) {
      const was = (await read(() => metaOf(LISTENING))) !== undefined;
      const trigger = how.trigger?.[on ? "on" : "off"];
      if (was === on && trigger === undefined) return;
      await write(function* () {
        yield* setMeta(LISTENING, on ? "on" : undefined);
        if (trigger !== undefined) yield* run(trigger);
      });
    },
    report: (type, accountId, data) =>
      write(function* ({ orm }): Verb<void> {
        if (!(yield* metaOf(LISTENING))) return;
        const account = yield* first(
          orm.select({ id: accounts.id, crmUrl: accounts.crmUrl }).from(accounts).where(eq(accounts.id, accountId)),
        );
        if (!account) return;
        const now = clock.now();
        const body = JSON.stringify({ type, timestamp: new Date(now).toISOString(), data: { account, ...data } });
        const uid = `evt_${randomUUID().replaceAll("-", "")}`;
        yield* run(orm.insert(vendorEvents).values({ uid, accountId, type, body, createdAt: now }));
      }, "lanes"),
    isDue: async () => (await read(() => first(IS_DUE, { now: clock.now() }))) !== undefined,
    async next() {
      const { id, newest } = (await bounds()) ?? { id: null, newest: null };
      if (id === null || newest === null) return undefined;
      if (id > settledTo) {
        if (!(await how.settled())) return undefined;
        settledTo = newest;
      }
      const due = await read(({ orm }) =>
        first(orm.select().from(vendorEvents).where(DUE).orderBy(asc(vendorEvents.id)).limit(1)),
      );
      return due && toEvent(due);
    },
    delivered: (id) => change(id, { state: "delivered", error: null, endedAt: clock.now() }),
    failed: (id, error, runAt) => change(id, { error, runAt }),
    givenUp: (id, error) => change(id, { state: "given up", error, endedAt: clock.now() }),
    alone: how.alone,
    list: async (limit) => {
      const newest = await read(({ orm }) =>
        all(orm.select().from(vendorEvents).orderBy(desc(vendorEvents.id)).limit(limit)),
      );
      return newest.map(toEvent);
    },
    async figures() {
      const row = await read(() => first<{ due: number; oldestAt: number | null }>(FIGURES));
      return { due: row?.due ?? 0, oldestAt: row?.oldestAt ?? undefined };
    },
  };
}
