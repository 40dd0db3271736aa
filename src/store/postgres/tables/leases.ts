import { fingerprint } from "gangway-messenger/ids";
import type { AccountId } from "../../../domain/ids.ts";
import type { LeaseStore, Remembered, SharedPermit, SharedPermits } from "../../accounts.ts";
import { ifOpens, type Sealer } from "../../secrets.ts";
import { StoreError } from "../../store.ts";
import { assertNotMoved } from "../../tables/accounts/keys.ts";
import { all, type Engine, first, run, type Verb } from "../../tables/engine.ts";
import { tooOld } from "../database/migrations.ts";

// A lease lives as long as its holder is a member, so that one row is renewed, however many accounts a process has. All times
// are of the database's clock: the processes' may differ.

/** The database's clock, ms. */
export const NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";
/** Processes whose membership has not expired. */
export const MEMBERS = `SELECT owner FROM member WHERE expires_at > ${NOW}`;
/** SQL of the leases whose holder is a member, to be followed by conditions. */
export const LIVING_LEASE = `account_lease JOIN member ON member.owner = account_lease.owner AND member.expires_at > ${NOW}`;
/** Finds a contract that keeps out a program which knows too little. */
const CONTRACT = "SELECT name FROM migration WHERE oldest > @knows";
const JOIN = `INSERT INTO member (owner, expires_at, knows, sealing) VALUES (@owner, ${NOW} + @ttlMs, @knows, @sealing)`;
const RENEW = `UPDATE member SET expires_at = ${NOW} + @ttlMs WHERE owner = @owner AND expires_at > ${NOW} RETURNING owner`;
const LEAVE = "DELETE FROM member WHERE owner = @owner";
/** Deletes members that never left, an hour after they expired. */
const SWEEP = `DELETE FROM member WHERE expires_at < ${NOW} - 3600000`;
/** `lost` reads the row from before. A member may retake its own lease: it may not have heard that it got it. */
const TAKE = `INSERT INTO account_lease (account_id, owner, fence)
  SELECT account.id, member.owner, 1 FROM account, member
  WHERE account.id IN (SELECT jsonb_array_elements_text(CAST(@accounts AS jsonb)))
    AND member.owner = @owner AND member.expires_at > ${NOW}
  ORDER BY account.id
  ON CONFLICT (account_id) DO UPDATE SET owner = excluded.owner, fence = account_lease.fence + 1
    WHERE account_lease.owner = @owner OR account_lease.owner NOT IN (${MEMBERS})
  RETURNING account_id AS "accountId", fence, coalesce((SELECT before.owner NOT IN ('', @owner) FROM account_lease AS before
    WHERE before.account_id = account_lease.account_id), false) AS lost`;
const RELEASE = `UPDATE account_lease SET owner = '' FROM jsonb_to_recordset(CAST(@leases AS jsonb))
    AS given("accountId" text, fence bigint)
  WHERE account_id = given."accountId" AND account_lease.fence = given.fence`;
const RELEASE_ALL = "UPDATE account_lease SET owner = '' WHERE owner = @owner";
const FREE = `SELECT id FROM account WHERE NOT EXISTS (
  SELECT 1 FROM account_lease WHERE account_id = account.id AND owner IN (${MEMBERS})) ORDER BY id`;
const SHARED = `SELECT (SELECT count(*) FROM (${MEMBERS}) AS living) AS members, (SELECT count(*) FROM account) AS accounts`;

/** The accounts whose work this process knows. */
export interface OwnAccounts {
  /** Reads the accounts anew. Resolves when they are known, before anybody works for them. */
  load(accountIds: AccountId[]): Promise<void>;
  /** Undefined: all accounts. */
  forget(accountIds?: AccountId[]): void;
}

interface Program {
  /** The newest migration that it knows. */
  knows: string;
  /** A value that it has sealed with its first key. */
  sealing: string;
}

export function leaseStore({ read, write }: Engine, own: OwnAccounts, { knows, sealing }: Program): LeaseStore {
  return {
    shared: true,
    join({ owner, ttlMs }) {
      // A process that joins again has lost all that it held.
      own.forget();
      return write(function* () {
        yield* run(SWEEP);
        const contract = yield* first<{ name: string }>(CONTRACT, { knows });
        if (contract) throw tooOld(contract.name);
        yield* assertNotMoved();
        yield* run(JOIN, { owner, ttlMs, knows, sealing });
      });
    },
    renew: async ({ owner, ttlMs }) => (await write(() => first(RENEW, { owner, ttlMs }))) !== undefined,
    take: async (accounts, owner) => {
      type Row = { accountId: AccountId; fence: number; lost: boolean };
      const rows = await write(() => all<Row>(TAKE, { accounts: JSON.stringify(accounts), owner }));
      if (rows.length > 0) await own.load(rows.map(({ accountId }) => accountId));
      return rows.map(({ lost, ...lease }) => ({ lease, lost }));
    },
    release(leases) {
      own.forget(leases.map(({ accountId }) => accountId));
      return write(() => run(RELEASE, { leases: JSON.stringify(leases) }));
    },
    leave(owner) {
      own.forget();
      return write(function* () {
        yield* run(RELEASE_ALL, { owner });
        yield* run(LEAVE, { owner });
      });
    },
    shares: () =>
      read(function* () {
        const free = yield* all<{ id: AccountId }>(FREE);
        const counts = yield* first<{ members: number; accounts: number }>(SHARED);
        return { free: free.map(({ id }) => id), ...(counts ?? { members: 0, accounts: 0 }) };
      }),
  };
}

/** Keeps servers from joining until the transaction ends. Throws StoreError if one runs on the database. */
export function* keepServersOut(): Verb<void> {
  yield* run("LOCK TABLE member IN SHARE MODE");
  if ((yield* all(MEMBERS)).length > 0)
    throw new StoreError(
      "a Gangway runs on the PostgreSQL database: stop all of them first, and wait ten seconds after one was killed",
    );
}

const SEALING = `SELECT sealing FROM member WHERE owner IN (${MEMBERS})`;

/** What each process has sealed with its first key. */
export const sealingProofs = async ({ read }: Pick<Engine, "read">): Promise<string[]> =>
  (await read(() => all<{ sealing: string }>(SEALING))).map(({ sealing }) => sealing);

const FREE_PERMIT = `guest_call.account_id = @accountId AND guest_call.place = places.place AND guest_call.free_at > ${NOW}`;
/** Of two that ask for the same place at once, the later one finds it taken. */
const ENTER = `INSERT INTO guest_call (account_id, place, free_at)
  SELECT @accountId, places.place, ${NOW} + CAST(@ms AS bigint) FROM generate_series(1, CAST(@places AS bigint)) AS places (place)
  WHERE NOT EXISTS (SELECT FROM guest_call WHERE ${FREE_PERMIT}) ORDER BY places.place LIMIT 1
  ON CONFLICT (account_id, place) DO UPDATE SET free_at = excluded.free_at WHERE guest_call.free_at <= ${NOW}
  RETURNING account_id AS "accountId", place`;
const LEAVE_PERMIT = `UPDATE guest_call SET free_at = ${NOW} + CAST(@ms AS bigint) WHERE account_id = @accountId AND place = @place`;

export const sharedPermitStore = ({ write }: Engine): SharedPermits => ({
  enter: (accountId, places, ms) => write(() => first<SharedPermit>(ENTER, { accountId, places, ms }), "lanes"),
  leave: (sharedPermit, ms) => write(() => run(LEAVE_PERMIT, { ...sharedPermit, ms }), "lanes"),
});

type Row = { sealed: string };
const EXPIRE = `DELETE FROM remembered WHERE expires_at < ${NOW}`;
const SET = `INSERT INTO remembered (name, account_id, sealed, expires_at) VALUES (@name, @accountId, @sealed, ${NOW} + CAST(@ms AS bigint))
  ON CONFLICT (name) DO UPDATE SET account_id = excluded.account_id, sealed = excluded.sealed, expires_at = excluded.expires_at`;
const GET = `SELECT sealed FROM remembered WHERE name = @name AND expires_at >= ${NOW}`;
const TAKE_REMEMBERED = `DELETE FROM remembered WHERE name = @name AND expires_at >= ${NOW} RETURNING sealed`;

/** Names may hold secrets, too: only their fingerprints are stored. */
export function rememberedStore({ read, write }: Engine, sealer: Sealer): Remembered {
  const addressOf = (row: string) => ({ table: "remembered", row, column: "sealed" });
  const open = (name: string, row: Row | undefined) =>
    row && ifOpens(() => sealer.open(row.sealed, addressOf(name), () => []));
  return {
    get: async (given) => {
      const name = fingerprint(given);
      return open(name, await read(() => first<Row>(GET, { name })));
    },
    set: (accountId, given, text, ms) =>
      write(function* () {
        const name = fingerprint(given);
        yield* run(EXPIRE);
        yield* run(SET, { accountId, name, sealed: sealer.seal(text, addressOf(name), () => []), ms });
      }, "lanes"),
    take: async (given) => {
      const name = fingerprint(given);
      return open(name, await write(() => first<Row>(TAKE_REMEMBERED, { name }), "lanes"));
    },
  };
}
