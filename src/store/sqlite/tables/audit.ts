import { and, desc, eq, gte, lte, type SQL } from "drizzle-orm";
import type { Act, AuditStore, Detail } from "../../audit.ts";
import { audit } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import { ACCOUNTS } from "../database/tombstones.ts";

/** Call in the transaction of the act itself. No act, no entry; nor is there one in an erased account. */
export function writeAudit(
  db: Database,
  now: number,
  accountId: string | undefined,
  act: Act | undefined,
  detail: Detail = {},
): void {
  if (!act || (accountId && db.tombstones.buriedAt(ACCOUNTS, [accountId]) !== undefined)) return;
  if (accountId !== undefined) db.versions.bump(accountId);
  const row = { accountId: accountId ?? null, actor: act.actor, action: act.action, at: now };
  db.orm
    .insert(audit)
    .values({ ...row, detail: JSON.stringify({ ...detail, ...act.detail }) })
    .run();
}

export function auditStore(db: Database, clock: { now(): number }): AuditStore {
  return {
    record: (accountId, act) => db.write(() => writeAudit(db, clock.now(), accountId, act)),
    list: async ({ accountId, from, to, limit }) => {
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
        .limit(limit)
        .all()
        .map((row) => ({ ...row, accountId: row.accountId ?? undefined, detail: JSON.parse(row.detail) as Detail }));
    },
  };
}
