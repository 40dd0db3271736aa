import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { Channel } from "../../../domain/channel.ts";
import type { Clock } from "../../../domain/clock.ts";
import { INBOUND_PATIENCE_MS } from "../../../domain/delivery.ts";
import {
  type AccountId,
  type ChannelId,
  fingerprint,
  type GatewayChannelId,
  newId,
  newSecret,
} from "../../../domain/ids.ts";
import type { Change, ChannelStore, SecretSettings } from "../../channels.ts";
import { type Sealer, withOpened } from "../../secrets.ts";
import { channels, messages } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { refuseAcks } from "./acks.ts";
import { writeAudit } from "./audit.ts";
import { ENDED, liveOfChannel } from "./lanes.ts";
import { membersOf, reserveIdentity, setGroups } from "./logins.ts";
import { bookEnd } from "./tally.ts";

type Row = typeof channels.$inferSelect;

const at = sql.placeholder;
/** Written out: SQLite ignores the partial index otherwise. */
const notRemoved = sql`${channels.state} <> 'removed'`;
const epochIs = (epoch: number | undefined) => (epoch === undefined ? undefined : eq(channels.epoch, epoch));
const statements = (orm: Orm) => {
  const one = (...where: SQL[]) =>
    orm
      .select()
      .from(channels)
      .where(and(...where, notRemoved))
      .prepare();
  const ofAccount = eq(channels.accountId, at("accountId"));
  return {
    list: orm
      .select()
      .from(channels)
      .where(and(ofAccount, notRemoved))
      .orderBy(channels.createdAt, channels.id)
      .prepare(),
    ofJob: one(eq(channels.id, at("id"))),
    byDoor: one(eq(channels.doorHash, at("doorHash"))),
    byIdentity: one(eq(channels.identity, at("identity"))),
    byGatewayId: one(ofAccount, eq(channels.gatewayChannelId, at("id"))),
  };
};

export function channelStore(
  db: Database,
  sealer: Sealer,
  clock: Clock,
  secretSettings: SecretSettings = () => [],
): ChannelStore {
  const { orm } = db;
  const addressOf = (row: string, column: string) => ({ table: "channel", row, column });
  // Skip the log's mask here: settings are opened, and then masked, before every use.
  const sealSettings = (id: string, settings: unknown) =>
    sealer.seal(JSON.stringify(settings), addressOf(id, "settings"), () => []);
  const openSettings = ({ id, kind, settingsSealed }: Row) =>
    JSON.parse(
      sealer.open(settingsSealed, addressOf(id, "settings"), (plain) => secretSettings(kind, JSON.parse(plain))),
    );
  /** Replaces the secrets of a removed channel with sealed values that still open. */
  const emptySecrets = (id: string) => ({
    doorSealed: sealer.seal(newSecret(), addressOf(id, "door")),
    settingsSealed: sealSettings(id, {}),
  });
  const toChannel = (row: Row): Channel =>
    withOpened(plainOf(row), {
      door: () => sealer.open(row.doorSealed, addressOf(row.id, "door")),
      settings: () => openSettings(row),
    });
  /** One object per row, whatever it was found by. */
  const known = (row: Row): Channel => db.rows.row("channel", row.id, () => toChannel(row)) as Channel;
  const find = async (by: "byDoor" | "byIdentity" | "byGatewayId", key: string, values: Record<string, string>) =>
    db.rows.find(by, key, () => {
      const row = db.statements(statements)[by].get(values);
      return row && known(row);
    });
  const ofJob = async (id: ChannelId) =>
    db.rows.row("channel", id, () => {
      const row = db.statements(statements).ofJob.get({ id });
      return row && toChannel(row);
    });
  /** False when the channel was removed or its epoch differs. */
  const change = (id: ChannelId, set: Partial<Row>, { by, epoch }: Change) => {
    const now = clock.now();
    const row = orm
      .update(channels)
      .set({ ...set, epoch: sql`${channels.epoch} + 1`, updatedAt: now })
      .where(and(eq(channels.id, id), notRemoved, epochIs(epoch)))
      .returning()
      .get();
    if (row) writeAudit(db, now, row.accountId, by, { channel: id, kind: row.kind });
    return row !== undefined;
  };

  return {
    add: (accountId, draft, by) =>
      db.write(() => {
        const id = newId<ChannelId>();
        const door = newSecret();
        const now = clock.now();
        const row = {
          id,
          accountId,
          kind: draft.kind,
          name: draft.name,
          doorHash: fingerprint(door),
          doorSealed: sealer.seal(door, addressOf(id, "door")),
          settingsSealed: sealSettings(id, draft.settings),
          unsure: draft.unsure ?? ("resend" as const),
          state: "active" as const,
          createdAt: now,
          updatedAt: now,
        };
        writeAudit(db, now, accountId, by, { channel: id, kind: draft.kind });
        return toChannel(orm.insert(channels).values(row).returning().get());
      }),
    async byId(accountId, id) {
      const channel = await ofJob(id);
      return channel?.accountId === accountId ? channel : undefined;
    },
    ofJob,
    byDoor(door) {
      const doorHash = fingerprint(door);
      return find("byDoor", doorHash, { doorHash });
    },
    byIdentity: (identity) => find("byIdentity", identity, { identity }),
    byGatewayId: (accountId, id) => find("byGatewayId", `${accountId} ${id}`, { accountId, id }),
    list: async (accountId) =>
      db.rows
        .find("channels", accountId, () => db.statements(statements).list.all({ accountId }).map(known))
        ?.slice() ?? [],
    change: (id, { name, settings, unsure }, by) =>
      db.write(() => {
        change(id, { name, settingsSealed: sealSettings(id, settings), ...(unsure && { unsure }) }, { by });
      }),
    setGateway: (id, gateway) =>
      db.write(() => {
        orm
          .update(channels)
          .set({ gatewayChannelId: gateway.id, announced: gateway.announced })
          .where(and(eq(channels.id, id), notRemoved))
          .run();
      }),
    reserveIdentity: (id, identity, link) => db.write(() => reserveIdentity(db, id, identity, link)),
    setGroups: (id, groups) => db.write(() => setGroups(db, id, groups)),
    async inGroup(group) {
      const members = await Promise.all(membersOf(db, group).map(ofJob));
      return members.filter((channel) => channel !== undefined);
    },
    setTrouble: (id, trouble, epoch) =>
      db.write(() => {
        orm
          .update(channels)
          .set({ trouble: trouble ?? null })
          .where(and(eq(channels.id, id), eq(channels.state, "active"), epochIs(epoch)))
          .run();
      }),
    unreported: async (limit) => {
      const select = () =>
        orm
          .select()
          .from(channels)
          .where(and(sql`coalesce(trouble, '') <> coalesce(told, '')`, notRemoved))
          .limit(limit)
          .all();
      return db.rows.find("unreported", String(limit), () => select().map(known))?.slice() ?? [];
    },
    setReported: (id, trouble) =>
      db.write(() => {
        orm
          .update(channels)
          .set({ reportedTrouble: trouble ?? null })
          .where(eq(channels.id, id))
          .run();
      }),
    setState: (id, state, trouble, how = {}) =>
      db.write(() => {
        const secrets = state === "removed" ? { ...emptySecrets(id), memberOf: null } : {};
        if (change(id, { state, trouble: trouble ?? null, ...secrets }, how)) moveMessages(db, id, state, clock.now());
      }),
  };
}

const plainOf = (row: Row) => ({
  id: row.id as ChannelId,
  accountId: row.accountId as AccountId,
  kind: row.kind,
  name: row.name,
  gatewayChannelId: (row.gatewayChannelId ?? undefined) as GatewayChannelId | undefined,
  announced: row.announced ?? undefined,
  unsure: row.unsure,
  state: row.state,
  trouble: row.trouble ?? undefined,
  identity: row.identity ?? undefined,
  link: row.link ?? undefined,
  epoch: row.epoch,
});

function moveMessages(db: Database, id: ChannelId, state: Channel["state"], now: number): void {
  const { orm } = db;
  const inbound = and(liveOfChannel(id), eq(messages.direction, "inbound"));
  const outbound = and(liveOfChannel(id), eq(messages.direction, "outbound"));
  if (state === "stopped")
    orm
      .update(messages)
      .set({ state: "waiting" })
      .where(and(outbound, eq(messages.state, "ready")))
      .run();
  if (state === "active")
    orm
      .update(messages)
      .set({ state: "ready", runAt: now })
      .where(and(outbound, eq(messages.state, "waiting")))
      .run();
  // What waited out a pause gets its full time.
  if (state === "active")
    orm
      .update(messages)
      .set({ deadlineAt: now + INBOUND_PATIENCE_MS })
      .where(and(inbound, eq(messages.state, "ready")))
      .run();
  if (state !== "removed") return;
  const error = "the channel was removed";
  const end = (where: SQL | undefined) =>
    orm
      .update(messages)
      .set({ state: "dead", head: 0, errorCode: "general", error, updatedAt: now, endedAt: now })
      .where(where)
      .returning()
      .all();
  const ofAccount = eq(messages.accountId, sql`(SELECT account_id FROM channel WHERE id = ${id})`);
  const liveEnded = end(and(liveOfChannel(id), ne(messages.state, "sending")));
  const heldEnded = end(and(ofAccount, ENDED, eq(messages.state, "held"), eq(messages.channelId, id)));
  for (const row of [...liveEnded, ...heldEnded]) bookEnd(db, row, "refused");
  for (const row of liveEnded) db.pressure.ended(row);
  refuseAcks(db, and(ofAccount, eq(messages.channelId, id)), error, now);
}
