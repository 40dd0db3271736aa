import { and, desc, eq, gte, lte, type SQL } from "drizzle-orm";
import type { Database } from "./db.ts";
import { audit } from "./schema.ts";

/** What a person does. No secret and no message text belongs into it. */
export interface Act {
  actor: "account user" | "operator";
  /** In a few words, for example `message sent again`. */
  action: string;
  detail?: Detail;
}
/** An act of a person at the form. */
export const byUser = (action: string): Act => ({ actor: "account user", action });
type Detail = Record<string, string | number | boolean | undefined>;

export interface AuditRow {
  id: number;
  at: number;
  actor: Act["actor"];
  action: string;
  accountId?: string;
  detail: Detail;
}
export interface AuditFilter {
  accountId?: string;
  /** Both ends are in it, ms. */
  from?: number;
  to?: number;
  most: number;
}

/** The acts of people, for whoever has to find out later what happened. */
export interface AuditStore {
  record(accountId: string | undefined, act: Act): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<AuditRow[]>;
}

/** For the transaction of the act itself; without an act nothing is written. */
export function writeAudit(
  db: Database,
  now: number,
  accountId: string | undefined,
  act: Act | undefined,
  detail: Detail = {},
): void {
  if (!act) return;
  const row = { accountId: accountId ?? null, actor: act.actor, action: act.action, at: now };
  db.orm
    .insert(audit)
    .values({ ...row, detail: JSON.stringify({ ...detail, ...act.detail }) })
    .run();
}

export function auditStore(db: Database, clock: { now(): number }): AuditStore {
  return {
    record: (accountId, act) => db.write(() => writeAudit(db, clock.now(), accountId, act)),
    list: async ({ accountId, from, to, most }) => {
      const where: (SQL | undefined)[] = [
        accountId === undefined ? undefined : eq(audit.accountId, accountId),
        from === undefined ? undefined : gte(audit.at, from),
        to === undefined ? undefined : lte(audit.at, to),
      ];
      return db.orm
        .select()
        .from(audit)
        .where(and(...where))
        .orderBy(desc(audit.id))
        .limit(most)
        .all()
        .map((row) => ({ ...row, accountId: row.accountId ?? undefined, detail: JSON.parse(row.detail) as Detail }));
    },
  };
}
