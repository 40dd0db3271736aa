import { sql } from "drizzle-orm";
import type { AccountStore } from "../../accounts.ts";
import { accountLeases } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";

/** Always granted: there is one process. */
export const takeLease =
  (db: Database): AccountStore["takeLease"] =>
  (accountId, owner) =>
    db.write(() => {
      const { fence } = db.orm
        .insert(accountLeases)
        .values({ accountId, owner, fence: 1 })
        .onConflictDoUpdate({
          target: accountLeases.accountId,
          set: { owner, fence: sql`${accountLeases.fence} + 1` },
        })
        .returning()
        .get();
      return { accountId, fence };
    });
