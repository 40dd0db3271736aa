import type { ParkedLoss } from "../../../domain/delivery/parked.ts";
import type { RawWebhook } from "../../../domain/delivery/raw-webhook.ts";
import { fingerprint } from "../../../domain/ids.ts";
import type { Clock } from "../../../domain/time/clock.ts";
import type { NewParked, Parked, ParkedStore } from "../../parked.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import { PARKED } from "../care/sealed.ts";
import { all, type Engine, first, run, type Verb } from "../engine.ts";

/** Prefix of the owner of parts whose login has no channel. */
export const STRANGER = "?";
export const isStrange = (owner: string): boolean => owner.startsWith(STRANGER);

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
  ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed WHERE parked.owner = excluded.owner`;
const REMOVE = "DELETE FROM parked WHERE position = @position";
const LIST = "SELECT position, owner FROM parked WHERE login = @login ORDER BY position";
const READ = "SELECT position, id, owner, sealed FROM parked WHERE position = @position";
const DROP_OF_LOGIN = `DELETE FROM parked WHERE position = (SELECT min(position) FROM parked
  WHERE login = @login AND owner = @owner) RETURNING position`;
const DROP_OF_OWNER = `DELETE FROM parked WHERE position = (SELECT min(position) FROM parked
  WHERE owner = @owner) RETURNING position`;
const ADOPT = `UPDATE parked SET owner = @accountId, account_id = @accountId, channel_id = @channelId,
  expires_at = created_at + ${KEPT_MS} WHERE login = @login AND (owner = @own OR owner = '${STRANGER}')`;
const EXPIRED = `DELETE FROM parked WHERE position IN (
  SELECT position FROM parked WHERE expires_at < @now LIMIT ${BATCH}) RETURNING position`;

const addressOf = (row: string): Address => ({ ...PARKED, row });

/** What two apps bring is no repeat: each has a proof of its own. */
const idOf = ({ login, request: { path, body }, from }: NewParked): string =>
  fingerprint(JSON.stringify([login, path, body, from]));
const exceeds = (sum: Sum, most: Sum): boolean => sum.parts > most.parts || sum.bytes > most.bytes;

/** What is parked: counts, which the engine keeps or asks for. */
export interface Parking {
  /** Of a login's parts of one owner, of all of that owner, and of everybody. */
  sums(login: string, owner: string): Verb<Record<"ofLogin" | "ofOwner" | "inAll", Sum>>;
  /** Who has the most bytes. */
  largest(): Verb<string | undefined>;
  /** Whose parts a login has. */
  owners(login: string): Verb<string[]>;
  logins(): Verb<string[]>;
  figures(): Verb<Sum & { strangers: number }>;
}

export interface Sum {
  parts: number;
  bytes: number;
}

/** `sealer` must not feed the log's mask: requests are customers' text, not secrets. */
export function parkedStore({ read, write }: Engine, parking: Parking, sealer: Sealer, clock: Clock): ParkedStore {
  const dropped: Record<ParkedLoss, number> = { full: 0, expired: 0 };
  const may = (owner: string, accountId: string) => owner === accountId || isStrange(owner);
  /** Resolves with the number of dropped parts. What is read in the transaction that parks would slow others that park. */
  const makeRoom = async (login: string, owner: string) => {
    let gone = 0;
    while (await read(() => overfull(parking, login, owner)))
      gone += await write(() => dropOldest(parking, login, owner));
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
      await write(() => {
        const now = clock.now();
        return run(ADD, {
          ...{ id, login, owner, now, sealed, channelId: channel?.id ?? null },
          accountId: channel?.accountId ?? from ?? null,
          size: Buffer.byteLength(part.request.body),
          expiresAt: now + (channel ? KEPT_MS : STRANGER_MS),
        });
      });
      const gone = await makeRoom(login, owner);
      dropped.full += gone;
      return gone;
    },
    waits: async (login, accountId) => (await read(() => parking.owners(login))).some((owner) => may(owner, accountId)),
    logins: () => read(() => parking.logins()),
    of: async (login, accountId) =>
      (await read(() => all<Pick<Row, "position" | "owner">>(LIST, { login })))
        .filter(({ owner }) => may(owner, accountId))
        .map(({ position }) => position),
    read: async (position, accountId) => {
      const row = await read(() => first<Row>(READ, { position }));
      const isOwn = [accountId, STRANGER, STRANGER + accountId].includes(row?.owner ?? "");
      return row && { position, isOwn, part: opened(row, sealer) };
    },
    remove: (position) => write(() => run(REMOVE, { position })),
    adopt: (login, { id: channelId, accountId }) =>
      write(() => run(ADOPT, { login, channelId, accountId, own: STRANGER + accountId })),
    async expire() {
      let gone = 0;
      for (let found = BATCH; found === BATCH; gone += found)
        found = (await write(() => all(EXPIRED, { now: clock.now() }))).length;
      dropped.expired += gone;
      return gone;
    },
    figures: async () => ({ ...(await read(() => parking.figures())), dropped: { ...dropped } }),
  };
}

/** What drops the oldest part where there are too many; undefined when there are not. */
function* overfull(
  parking: Parking,
  login: string,
  owner: string,
): Verb<{ drop: string; values: Record<string, string> } | undefined> {
  const most = isStrange(owner) ? OF_STRANGERS : BOUNDS;
  const { ofLogin, ofOwner, inAll } = yield* parking.sums(login, owner);
  if (exceeds(ofLogin, most.login)) return { drop: DROP_OF_LOGIN, values: { login, owner } };
  if (exceeds(ofOwner, most.owner)) return { drop: DROP_OF_OWNER, values: { owner } };
  if (!exceeds(inAll, IN_ALL)) return undefined;
  return { drop: DROP_OF_OWNER, values: { owner: (yield* parking.largest()) ?? "" } };
}

function* dropOldest(parking: Parking, login: string, owner: string): Verb<number> {
  const full = yield* overfull(parking, login, owner);
  return full ? (yield* all(full.drop, full.values)).length : 0;
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
export function* parkedRequest(sealer: Sealer, position: number): Verb<RawWebhook | undefined> {
  const row = yield* first<Row>(READ, { position });
  return row && opened(row, sealer)?.request;
}
