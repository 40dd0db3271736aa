import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import { INBOUND_PATIENCE_MS } from "../../../domain/delivery.ts";
import { type AccountLimits, LIMITS, limitsIn } from "../../../domain/pausing.ts";
import type { AccountStore } from "../../accounts.ts";
import type { ChannelStore } from "../../channels.ts";
import { all, type Engine, first, LIVE, run, type Transaction, type Verb } from "../engine.ts";
import { accounts, channels, messages } from "../schema.ts";
import { writeAudit } from "./audit.ts";

// Pauses by the vendor. They are independent of the states that the CRM and the merchant set.

/** The column of an account's own limits. */
export const LIMITS_OF = "SELECT limits FROM account WHERE id = @id";

/** Gives messages that waited for a resumption their full time. */
export function* extendInbound({ orm, joinLive }: Transaction, of: SQL, deadlineAt: number): Verb<void> {
  const isWaiting = and(
    sql`${messages.id} IN (SELECT message.id FROM channel ${joinLive} ON message.channel_id = channel.id
      WHERE ${of} AND ${LIVE})`,
    eq(messages.direction, "inbound"),
    eq(messages.state, "ready"),
  );
  yield* run(orm.update(messages).set({ deadlineAt }).where(isWaiting));
}

export function accountPauses(
  { write }: Engine,
  clock: Pick<Clock, "now">,
): Pick<AccountStore, "setPause" | "setLimits"> {
  return {
    setPause: (id, reason, by) =>
      write(function* (tx) {
        const [now, pauseReason] = [clock.now(), reason ?? null];
        const isOther = and(eq(accounts.id, id), sql`${accounts.pauseReason} IS DISTINCT FROM ${pauseReason}`);
        const set = tx.orm.update(accounts).set({ pauseReason, updatedAt: now });
        const changed = yield* all(set.where(isOther).returning({ id: accounts.id }));
        if (changed.length === 0) return false;
        if (reason === undefined) yield* extendInbound(tx, sql`channel.account_id = ${id}`, now + INBOUND_PATIENCE_MS);
        yield* writeAudit(tx, now, id, by, { reason });
        return true;
      }),
    setLimits: (id, change, by) =>
      write(function* (tx) {
        const now = clock.now();
        const row = yield* first<{ limits: string | null }>(LIMITS_OF, { id });
        if (!row) return undefined;
        const before = limitsIn(row.limits ?? "");
        const limits: AccountLimits = {};
        for (const name of LIMITS) {
          const value = change[name] === undefined ? before[name] : change[name];
          if (value !== undefined && value !== "default") limits[name] = value;
        }
        if (LIMITS.every((name) => limits[name] === before[name])) return limits;
        const json = LIMITS.some((name) => limits[name] !== undefined) ? JSON.stringify(limits) : null;
        yield* run(tx.orm.update(accounts).set({ limits: json, updatedAt: now }).where(eq(accounts.id, id)));
        const { calls = "default", jobs = "default" } = limits;
        yield* writeAudit(tx, now, id, by, { calls, jobs });
        return limits;
      }),
  };
}

/**
 * A pause leaves the channel's own state alone: when the vendor resumes it, a paused or stopped channel is so again.
 * The epoch stays, too, since session and settings have not changed.
 */
export function channelPauses({ write }: Engine, clock: Pick<Clock, "now">): Pick<ChannelStore, "setPause"> {
  const { accountId, kind, name, state } = channels;
  return {
    setPause: (id, reason, by) =>
      write(function* (tx) {
        const [now, pauseReason] = [clock.now(), reason ?? null];
        const isOther = sql`${state} <> 'removed' AND ${channels.pauseReason} IS DISTINCT FROM ${pauseReason}`;
        const set = tx.orm.update(channels).set({ pauseReason, updatedAt: now });
        const [row] = yield* all(set.where(and(eq(channels.id, id), isOther)).returning({ accountId, kind, name }));
        if (!row) return false;
        if (reason === undefined) yield* extendInbound(tx, sql`channel.id = ${id}`, now + INBOUND_PATIENCE_MS);
        yield* writeAudit(tx, now, row.accountId, by, { channel: id, kind: row.kind, name: row.name, reason });
        return true;
      }),
  };
}
