import type { ChannelEvent } from "gangway-messenger/message";
import type { Job } from "../../src/domain/delivery.ts";
import type { Outbox } from "../../src/store/outbox.ts";
import type { Saboteur } from "./bench.ts";

type Sql = Parameters<Saboteur>[1];

const outboxWith =
  (change: (outbox: Outbox, sql: Sql) => Partial<Outbox>): Saboteur =>
  (store, sql) => ({ ...store, outbox: { ...store.outbox, ...change(store.outbox, sql) } });

const after = (sql: Sql, text: string, ...values: unknown[]) => sql.prepare(text).run(...values);
const isAck = ({ direction }: Job) => direction === "ack";
interface Held {
  fence: number;
  version: number;
}
const held = (sql: Sql, { id, direction }: Job): Held =>
  sql
    .prepare(
      `SELECT ${direction === "ack" ? "ack_fence" : "fence"} AS fence, ack_version AS version FROM message WHERE id = ?`,
    )
    .get(id) as Held;
/** The job under the current lease, whoever claimed it. */
const asHolder = (sql: Sql, job: Job): Job => ({ ...job, fence: held(sql, job).fence });
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
        if (recorded) after(sql, "UPDATE message SET head = 0 WHERE channel_id = ?", job.channelId);
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
        for (const { id } of jobs) after(sql, "UPDATE message SET attempts = attempts - 1 WHERE id = ?", id);
        return jobs;
      },
    })),
  ],
  [
    "claims messages of a paused channel",
    outboxWith(({ claim }, sql) => ({
      async claim(lease, most) {
        after(sql, "UPDATE channel SET state = 'active' WHERE state = 'paused'");
        return claim(lease, most);
      },
    })),
  ],
  [
    "sends again at the old position",
    outboxWith(({ sendAgain }, sql) => ({
      async sendAgain(accountId, id, ...rest) {
        const again = await sendAgain(accountId, id, ...rest);
        if (again) after(sql, "UPDATE message SET position = id WHERE id = ?", id);
        return again;
      },
    })),
  ],
  [
    "sends again with the attempts of before",
    outboxWith(({ sendAgain }, sql) => ({
      async sendAgain(accountId, id, ...rest) {
        const { attempts } = (sql.prepare("SELECT attempts FROM message WHERE id = ?").get(id) ?? {}) as Partial<Job>;
        const again = await sendAgain(accountId, id, ...rest);
        if (again) after(sql, "UPDATE message SET attempts = ? WHERE id = ?", attempts, id);
        return again;
      },
    })),
  ],
  [
    "claims a job twice",
    outboxWith(({ claim }, sql) => ({
      async claim(lease, most) {
        const jobs = await claim(lease, most);
        const twice = jobs.find((job) => !isAck(job));
        if (twice) after(sql, "UPDATE message SET state = 'ready' WHERE id = ?", twice.id);
        return jobs;
      },
    })),
  ],
  [
    "loses a job in a crash",
    outboxWith(({ takeOver }, sql) => ({
      async takeOver(lease) {
        const [lost, ...left] = await takeOver(lease);
        if (lost) after(sql, "DELETE FROM message WHERE id = ?", lost.id);
        return left;
      },
    })),
  ],
  [
    "does not count crashes",
    outboxWith(({ takeOver }, sql) => ({
      async takeOver(lease) {
        const left = await takeOver(lease);
        for (const { id } of left) after(sql, "UPDATE message SET crashes = crashes - 1 WHERE id = ?", id);
        return left.map((job) => ({ ...job, crashes: job.crashes - 1 }));
      },
    })),
  ],
  [
    "takes the answer to an older ack for one to a newer debt",
    outboxWith(({ done }, sql) => ({
      async done(job, outcome) {
        const recorded = await done(job, outcome);
        if (recorded || !isAck(job) || held(sql, job).fence !== job.fence) return recorded;
        after(sql, "UPDATE message SET ack = 'given' WHERE id = ? AND ack = 'due'", job.id);
        return recorded;
      },
    })),
  ],
  [
    "does not raise the version of an ack with a new outcome",
    outboxWith(({ done }, sql) => ({
      async done(job, outcome) {
        const recorded = await done(job, outcome);
        if (recorded && outcome.ack) after(sql, "UPDATE message SET ack_version = 1 WHERE id = ?", job.id);
        return recorded;
      },
    })),
  ],
  [
    "loses an ack under way in a crash",
    outboxWith(({ takeOver }, sql) => ({
      async takeOver(lease) {
        const left = await takeOver(lease);
        const lost = left.find(isAck);
        if (lost) after(sql, "UPDATE message SET ack = NULL WHERE id = ?", lost.id);
        return left.filter((job) => job !== lost);
      },
    })),
  ],
  [
    "claims an ack twice",
    outboxWith(({ claim }, sql) => ({
      async claim(lease, most) {
        const jobs = await claim(lease, most);
        const twice = jobs.find(isAck);
        if (twice) after(sql, "UPDATE message SET ack = 'due' WHERE id = ?", twice.id);
        return jobs;
      },
    })),
  ],
  [
    "loses an album's carried part",
    outboxWith(({ acceptInbound }, sql) => ({
      async acceptInbound(channel, arrival) {
        const added = await acceptInbound(channel, arrival);
        after(sql, "DELETE FROM message WHERE state = 'carried'");
        return added;
      },
    })),
  ],
  [
    "forgets the ack at the end of a message",
    outboxWith(({ done, failed }) => ({
      done: (job, outcome) => done(job, { ...outcome, ack: undefined }),
      failed: (job, next, error) => failed(job, next, error),
    })),
  ],
  [
    "forgets a failure that overtakes the answer to our call",
    outboxWith(({ acceptInbound }, sql) => ({
      async acceptInbound(channel, arrival, slots) {
        const added = await acceptInbound(channel, arrival, slots);
        after(sql, "DELETE FROM note WHERE key LIKE 'late-failure:%'");
        return added;
      },
    })),
  ],
  [
    "does not apply a kept failure when its message ends",
    outboxWith(({ done }, sql) => ({
      async done(job, outcome, slots) {
        after(sql, "UPDATE note SET key = 'hidden:' || key WHERE key LIKE 'late-failure:%'");
        const recorded = await done(job, outcome, slots);
        after(sql, "UPDATE note SET key = substr(key, 8) WHERE key LIKE 'hidden:%'");
        return recorded;
      },
    })),
  ],
  [
    "leaves a message that failed late among the delivered ones of the ledger",
    outboxWith(({ acceptInbound }, sql) => ({
      async acceptInbound(channel, arrival, slots) {
        const added = await acceptInbound(channel, arrival, slots);
        const isLate = added > 0 && arrival.events.some(({ type }) => type === "failed");
        const back = "UPDATE tally SET delivered = delivered + 1, refused = refused - 1 WHERE channel_id = ?";
        if (isLate) after(sql, back, channel.id);
        return added;
      },
    })),
  ],
  [
    "lets the answer to the older ack stand for a late failure",
    outboxWith(({ acceptInbound }, sql) => ({
      async acceptInbound(channel, arrival, slots) {
        const added = await acceptInbound(channel, arrival, slots);
        after(sql, "UPDATE message SET ack_version = 1, ack = 'sending' WHERE late_at IS NOT NULL AND ack_version = 2");
        return added;
      },
    })),
  ],
  [
    "sends a message that failed late again under its old key",
    outboxWith(({ sendAgain }, sql) => ({
      async sendAgain(accountId, id, ...rest) {
        const again = await sendAgain(accountId, id, ...rest);
        after(sql, "UPDATE message SET generation = 0 WHERE id = ?", id);
        return again;
      },
    })),
  ],
  [
    "counts an ack twice in the ledger",
    outboxWith(({ done }, sql) => ({
      async done(job, outcome) {
        const recorded = await done(job, outcome);
        if (recorded && isAck(job))
          after(sql, "UPDATE tally SET acks_given = acks_given + 1 WHERE channel_id = ?", job.channelId);
        return recorded;
      },
    })),
  ],
];
