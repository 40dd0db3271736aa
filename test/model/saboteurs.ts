import type { Job } from "../../src/domain/delivery.ts";
import type { ChannelEvent } from "../../src/domain/message.ts";
import type { Outbox } from "../../src/store/outbox.ts";
import type { Saboteur } from "./bench.ts";

type Sql = Parameters<Saboteur>[1];

const outboxWith =
  (change: (outbox: Outbox, sql: Sql) => Partial<Outbox>): Saboteur =>
  (store, sql) => ({ ...store, outbox: { ...store.outbox, ...change(store.outbox, sql) } });

const after = (sql: Sql, text: string, ...values: unknown[]) => sql.prepare(text).run(...values);
/** The job under the current lease, whoever claimed it. */
const asHolder = (sql: Sql, job: Job): Job => {
  const row = sql.prepare("SELECT fence FROM job WHERE id = ?").get(job.id) as { fence: number };
  return { ...job, fence: row.fence };
};
let renamed = 0;
const asNew = (event: ChannelEvent): ChannelEvent => {
  renamed += 1;
  return { ...event, key: `${event.key}/${renamed}` };
};

/** Each breaks one promise of the store. */
export const SABOTEURS: [string, Saboteur][] = [
  [
    "does not promote the next job of a lane to its head",
    outboxWith(({ done }, sql) => ({
      async done(job, outcome) {
        const recorded = await done(job, outcome);
        if (recorded) after(sql, "UPDATE job SET head = 0 WHERE lane = ?", job.lane);
        return recorded;
      },
    })),
  ],
  [
    "records results under a stale lease",
    outboxWith(({ done, failed, postponed }, sql) => ({
      done: (job, outcome) => done(asHolder(sql, job), outcome),
      failed: (job, ...rest) => failed(asHolder(sql, job), ...rest),
      postponed: (job, runAt) => postponed(asHolder(sql, job), runAt),
    })),
  ],
  [
    "takes a repeated event for a new one",
    outboxWith(({ acceptInbound }) => ({
      acceptInbound: (channel, arrival) => acceptInbound(channel, { ...arrival, events: arrival.events.map(asNew) }),
    })),
  ],
  [
    "counts no attempts",
    outboxWith(({ claim }, sql) => ({
      async claim(lease, most) {
        const jobs = await claim(lease, most);
        for (const { id } of jobs) after(sql, "UPDATE job SET attempts = attempts - 1 WHERE id = ?", id);
        return jobs;
      },
    })),
  ],
  [
    "resends a job at its old position",
    outboxWith((_, sql) => ({
      async sendAgain(accountId, id) {
        const again =
          "UPDATE job SET state = 'ready', head = 1 WHERE id = ? AND account_id = ? AND state IN ('dead', 'held')";
        return after(sql, again, id, accountId).changes === 1;
      },
    })),
  ],
  [
    "claims a job twice",
    outboxWith(({ claim }, sql) => ({
      async claim(lease, most) {
        const jobs = await claim(lease, most);
        if (jobs[0]) after(sql, "UPDATE job SET state = 'ready' WHERE id = ?", jobs[0].id);
        return jobs;
      },
    })),
  ],
  [
    "loses a job in a crash",
    outboxWith(({ takeOver }, sql) => ({
      async takeOver(lease) {
        const [lost, ...left] = await takeOver(lease);
        if (lost) after(sql, "DELETE FROM job WHERE id = ?", lost.id);
        return left;
      },
    })),
  ],
  [
    "does not count crashes",
    outboxWith(({ takeOver }, sql) => ({
      async takeOver(lease) {
        const left = await takeOver(lease);
        for (const { id } of left) after(sql, "UPDATE job SET crashes = crashes - 1 WHERE id = ?", id);
        return left.map((job) => ({ ...job, crashes: job.crashes - 1 }));
      },
    })),
  ],
];
