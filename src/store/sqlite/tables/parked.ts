import type { Clock } from "../../../domain/clock.ts";
import { fingerprint } from "../../../domain/ids.ts";
import type { ParkedLoss } from "../../../domain/parked.ts";
import type { RawWebhook } from "../../../domain/raw-webhook.ts";
import type { NewParked, Parked, ParkedStore } from "../../parked.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import type { Database } from "../database/db.ts";
import { isStrange, STRANGER, type Sum } from "../database/parking.ts";

const HOUR_MS = 3_600_000;
/** A messenger repeats a refused request for as long. */
const KEPT_MS = 7 * 24 * HOUR_MS;
/** A channel may just be being connected. */
const STRANGER_MS = HOUR_MS;

const MIB = 1024 ** 2;
/** Of one login, and of all logins of an owner. A part may have 3 MiB. */
const BOUNDS = { login: { parts: 1_000, bytes: 16 * MIB }, owner: { parts: 5_000, bytes: 64 * MIB } };
const OF_STRANGERS = { login: { parts: 50, bytes: 4 * MIB }, owner: { parts: 500, bytes: 16 * MIB } };
const IN_ALL = { parts: 20_000, bytes: 256 * MIB };
/** Deleted in one transaction. */
const BATCH = 100;

const ADD = `INSERT INTO parked (id, login, owner, channel_id, account_id, size, created_at, expires_at, sealed)
  VALUES (@id, @login, @owner, @channelId, @accountId, @size, @now, @expiresAt, @sealed)
  ON CONFLICT (id) DO UPDATE SET sealed = @sealed WHERE owner = @owner`;
const REMOVE = "DELETE FROM parked WHERE position = ?";
const LIST = "SELECT position, owner FROM parked WHERE login = ? ORDER BY position";
const READ = "SELECT position, id, owner, sealed FROM parked WHERE position = ?";
const OLDEST_OF_LOGIN = "SELECT position FROM parked WHERE login = ? AND owner = ? ORDER BY position LIMIT 1";
const OLDEST_OF_OWNER = "SELECT position FROM parked WHERE owner = ? ORDER BY position LIMIT 1";
const ADOPT = `UPDATE parked SET owner = @accountId, account_id = @accountId, channel_id = @channelId,
  expires_at = created_at + ${KEPT_MS} WHERE login = @login AND (owner = @own OR owner = '${STRANGER}')`;
const EXPIRED = `SELECT position FROM parked WHERE expires_at < ? LIMIT ${BATCH}`;

export const PARKED = { table: "parked", column: "sealed" };
const addressOf = (row: string): Address => ({ ...PARKED, row });

/** What two apps bring is no repeat: each has a proof of its own. */
const idOf = ({ login, request: { path, body }, from }: NewParked): string =>
  fingerprint(JSON.stringify([login, path, body, from]));
const exceeds = (sum: Sum, most: Sum): boolean => sum.parts > most.parts || sum.bytes > most.bytes;

/** `sealer` must not feed the log's mask: requests are customers' text, not secrets. */
export function parkedStore(db: Database, sealer: Sealer, clock: Clock): ParkedStore {
  const { parking } = db;
  const dropped: Record<ParkedLoss, number> = { full: 0, expired: 0 };
  const may = (owner: string, accountId: string) => owner === accountId || isStrange(owner);
  const removeOldest = (find: string, ...of: string[]) => {
    const oldest = db.prepared(find).get(...of) as { position: number } | undefined;
    if (oldest) db.prepared(REMOVE).run(oldest.position);
    return oldest !== undefined;
  };
  const lotOf = (login: string, owner: string) =>
    parking.lots(login).find((lot) => lot.owner === owner) ?? { parts: 0, bytes: 0 };
  /** Returns the number of dropped parts. */
  const makeRoom = (login: string, owner: string) => {
    const most = isStrange(owner) ? OF_STRANGERS : BOUNDS;
    let gone = 0;
    while (exceeds(lotOf(login, owner), most.login) && removeOldest(OLDEST_OF_LOGIN, login, owner)) gone += 1;
    while (exceeds(parking.ofOwner(owner), most.owner) && removeOldest(OLDEST_OF_OWNER, owner)) gone += 1;
    while (exceeds(parking.all(), IN_ALL) && removeOldest(OLDEST_OF_OWNER, parking.largest() ?? "")) gone += 1;
    return gone;
  };
  return {
    async park(part) {
      const { login, channel, from } = part;
      const owner = channel?.accountId ?? STRANGER + (from ?? "");
      const id = idOf(part);
      const sealed = sealer.seal(
        JSON.stringify({ request: part.request, proven: part.proven ?? false }),
        addressOf(id),
      );
      const gone = await db.write(() => {
        const now = clock.now();
        db.prepared(ADD).run({
          ...{ id, login, owner, now, sealed, channelId: channel?.id ?? null },
          accountId: channel?.accountId ?? from ?? null,
          size: Buffer.byteLength(part.request.body),
          expiresAt: now + (channel ? KEPT_MS : STRANGER_MS),
        });
        return makeRoom(login, owner);
      });
      dropped.full += gone;
      return gone;
    },
    waits: (login, accountId) => parking.lots(login).some(({ owner }) => may(owner, accountId)),
    logins: parking.logins,
    of: async (login, accountId) =>
      (db.prepared(LIST).all(login) as { position: number; owner: string }[])
        .filter(({ owner }) => may(owner, accountId))
        .map(({ position }) => position),
    read: async (position, accountId) => {
      const row = db.prepared(READ).get(position) as Row | undefined;
      const isOwn = [accountId, STRANGER, STRANGER + accountId].includes(row?.owner ?? "");
      return row && { position, isOwn, part: opened(row, sealer) };
    },
    remove: (position) => db.write(() => void db.prepared(REMOVE).run(position)),
    adopt: (login, { id: channelId, accountId }) =>
      db.write(() => void db.prepared(ADOPT).run({ login, channelId, accountId, own: STRANGER + accountId })),
    async expire() {
      let all = 0;
      for (let found = BATCH; found === BATCH; all += found) found = await db.write(() => expireSome(db, clock.now()));
      dropped.expired += all;
      return all;
    },
    figures: () => ({
      ...parking.all(),
      strangers: parking.strangers(),
      dropped: { ...dropped },
    }),
  };
}

interface Row {
  position: number;
  id: string;
  owner: string;
  sealed: string;
}

const opened = ({ id, sealed }: Row, sealer: Sealer): Parked["part"] =>
  ifOpens(() => JSON.parse(sealer.open(sealed, addressOf(id))));

/** Undefined when it is gone or does not open. */
export function parkedRequest(db: Database, sealer: Sealer, position: number): RawWebhook | undefined {
  const row = db.prepared(READ).get(position) as Row | undefined;
  return row && opened(row, sealer)?.request;
}

function expireSome(db: Database, now: number): number {
  const expired = db.prepared(EXPIRED).all(now) as { position: number }[];
  for (const { position } of expired) db.prepared(REMOVE).run(position);
  return expired.length;
}
