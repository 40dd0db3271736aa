import { fingerprint } from "../../../domain/ids.ts";
import { ifOpens, type Sealer } from "../../secrets.ts";
import type { Remembered, SharedPermit, SharedPermits } from "../../shared.ts";
import { type Engine, first, run } from "../../tables/engine.ts";
import { NOW } from "./leases.ts";

const FREE = `guest_call.account_id = @accountId AND guest_call.place = places.place AND guest_call.free_at > ${NOW}`;
/** Of two that ask for the same place at once, the later one finds it taken. */
const ENTER = `INSERT INTO guest_call (account_id, place, free_at)
  SELECT @accountId, places.place, ${NOW} + CAST(@ms AS bigint) FROM generate_series(1, CAST(@places AS bigint)) AS places (place)
  WHERE NOT EXISTS (SELECT FROM guest_call WHERE ${FREE}) ORDER BY places.place LIMIT 1
  ON CONFLICT (account_id, place) DO UPDATE SET free_at = excluded.free_at WHERE guest_call.free_at <= ${NOW}
  RETURNING account_id AS "accountId", place`;
const LEAVE = `UPDATE guest_call SET free_at = ${NOW} + CAST(@ms AS bigint) WHERE account_id = @accountId AND place = @place`;

export const sharedPermitStore = ({ write }: Engine): SharedPermits => ({
  enter: (accountId, places, ms) => write(() => first<SharedPermit>(ENTER, { accountId, places, ms }), "lanes"),
  leave: (sharedPermit, ms) => write(() => run(LEAVE, { ...sharedPermit, ms }), "lanes"),
});

type Row = { sealed: string };
const EXPIRE = `DELETE FROM remembered WHERE expires_at < ${NOW}`;
const SET = `INSERT INTO remembered (name, account_id, sealed, expires_at) VALUES (@name, @accountId, @sealed, ${NOW} + CAST(@ms AS bigint))
  ON CONFLICT (name) DO UPDATE SET account_id = excluded.account_id, sealed = excluded.sealed, expires_at = excluded.expires_at`;
const GET = `SELECT sealed FROM remembered WHERE name = @name AND expires_at >= ${NOW}`;
const TAKE = `DELETE FROM remembered WHERE name = @name AND expires_at >= ${NOW} RETURNING sealed`;

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
      return open(name, await write(() => first<Row>(TAKE, { name }), "lanes"));
    },
  };
}
