import { and, desc, eq, gte, lte } from "drizzle-orm";
import { type Act, type AuditStore, BACKUP_MADE, type Detail } from "../../care.ts";
import { all, type Engine, first, run, type Transaction, type Verb } from "../engine.ts";
import { audit } from "../schema.ts";

/** Call in the transaction of the act itself. Writes nothing without an act, or for an erased account. */
export function* writeAudit(
  tx: Transaction,
  now: number,
  accountId: string | undefined,
  act: Act | undefined,
  detail: Detail = {},
): Verb<void> {
  if (!act || (accountId && (yield* tx.isAccountErased(accountId)))) return;
  if (accountId !== undefined) tx.changed(accountId);
  const row = { accountId: accountId ?? null, actor: act.actor, action: act.action, at: now };
  yield* run(tx.orm.insert(audit).values({ ...row, detail: JSON.stringify({ ...detail, ...act.detail }) }));
}

const LAST_BACKUP = `SELECT at FROM audit WHERE account_id IS NULL AND action = '${BACKUP_MADE}' ORDER BY id DESC LIMIT 1`;

export function auditStore({ read, write }: Engine, clock: { now(): number }): AuditStore {
  return {
    record: (accountId, act) => write((tx) => writeAudit(tx, clock.now(), accountId, act)),
    list: ({ accountId, action, from, to, limit }) =>
      read(function* ({ orm }) {
        const where = and(
          accountId === undefined ? undefined : eq(audit.accountId, accountId),
          action === undefined ? undefined : eq(audit.action, action),
          from === undefined ? undefined : gte(audit.at, from),
          to === undefined ? undefined : lte(audit.at, to),
        );
        const rows = yield* all(orm.select().from(audit).where(where).orderBy(desc(audit.id)).limit(limit));
        return rows.map((row) => ({
          ...row,
          accountId: row.accountId ?? undefined,
          detail: JSON.parse(row.detail) as Detail,
        }));
      }),
    lastBackup: async () => (await read(() => first<{ at: number }>(LAST_BACKUP)))?.at,
  };
}
