import { sql } from "drizzle-orm";
import type { AccountId } from "../../../domain/ids.ts";
import type { LeaseStore, Taken } from "../../leases.ts";
import { accountLeases } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  take: orm
    .insert(accountLeases)
    .values({ accountId: at("accountId"), owner: at("owner"), fence: 1 })
    .onConflictDoUpdate({
      target: accountLeases.accountId,
      set: { owner: sql`excluded.owner`, fence: sql`${accountLeases.fence} + 1` },
    })
    .returning()
    .prepare(),
});

/** Always granted: there is one process, and whoever held a lease before has ended. */
export function leaseStore(db: Database): LeaseStore {
  const done = async () => undefined;
  return {
    shared: false,
    join: done,
    renew: async () => true,
    take: (accounts, owner) =>
      db.write(() =>
        accounts.map((accountId): Taken => {
          const { fence } = db.statements(statements).take.get({ accountId, owner });
          return { lease: { accountId, fence }, lost: false };
        }),
      ),
    release: done,
    leave: done,
    shares: async () => {
      const free = db.sqlite.prepare<[], AccountId>("SELECT id FROM account").pluck().all();
      return { free, members: 1, accounts: free.length };
    },
  };
}
