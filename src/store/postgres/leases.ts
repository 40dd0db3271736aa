import type { AccountId } from "../../domain/ids.ts";
import type { LeaseStore } from "../leases.ts";
import { all, type Engine, first, run } from "../tables/engine.ts";

// A lease lives as long as its holder is a member, so that one row is renewed, however many accounts a process has. All times
// are of the database's clock: the processes' may differ.

const NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";
const MEMBERS = `SELECT owner FROM member WHERE expires_at > ${NOW}`;
const JOIN = `INSERT INTO member (owner, expires_at) VALUES (@owner, ${NOW} + @ttlMs)`;
const RENEW = `UPDATE member SET expires_at = ${NOW} + @ttlMs WHERE owner = @owner AND expires_at > ${NOW} RETURNING owner`;
const LEAVE = "DELETE FROM member WHERE owner = @owner";
/** Those that never left. */
const SWEEP = `DELETE FROM member WHERE expires_at < ${NOW} - 3600000`;
const TAKE = `INSERT INTO account_lease (account_id, owner, fence)
  SELECT @accountId, owner, 1 FROM member WHERE owner = @owner AND expires_at > ${NOW}
  ON CONFLICT (account_id) DO UPDATE SET owner = excluded.owner, fence = account_lease.fence + 1
    WHERE account_lease.owner NOT IN (${MEMBERS})
  RETURNING fence`;
const RELEASE = "UPDATE account_lease SET owner = '' WHERE account_id = @accountId AND fence = @fence";
const FREE = `SELECT id FROM account WHERE NOT EXISTS (
  SELECT 1 FROM account_lease WHERE account_id = account.id AND owner IN (${MEMBERS})) ORDER BY id`;

export function leaseStore({ read, write }: Engine): LeaseStore {
  return {
    join: ({ owner, ttlMs }) =>
      write(function* () {
        yield* run(SWEEP);
        yield* run(JOIN, { owner, ttlMs });
      }),
    renew: async ({ owner, ttlMs }) => (await write(() => first(RENEW, { owner, ttlMs }))) !== undefined,
    take: async (accountId, owner) => {
      const taken = await write(() => first<{ fence: number }>(TAKE, { accountId, owner }));
      return taken && { accountId, fence: taken.fence };
    },
    release: ({ accountId, fence }) => write(() => run(RELEASE, { accountId, fence })),
    leave: (owner) => write(() => run(LEAVE, { owner })),
    free: () =>
      read(function* () {
        const accounts = yield* all<{ id: AccountId }>(FREE);
        const members = yield* all(MEMBERS);
        return { accounts: accounts.map(({ id }) => id), members: members.length };
      }),
  };
}
