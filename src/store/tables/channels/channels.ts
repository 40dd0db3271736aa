import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import { type ChannelId, fingerprint, newId, newSecret } from "gangway-messenger/ids";
import { type Channel, REMOVED } from "../../../domain/channel.ts";
import { INBOUND_PATIENCE_MS } from "../../../domain/delivery.ts";
import type { AccountId, GatewayChannelId } from "../../../domain/ids.ts";
import type { Change, ChannelStore, Note, NoteStore, SecretSettings } from "../../channels.ts";
import { type Sealer, withOpened } from "../../secrets.ts";
import { writeAudit } from "../accounts/audit.ts";
import { bookRefused } from "../accounts/ledger.ts";
import { channelPauses, extendInbound } from "../accounts/pausing.ts";
import { all, columns, type Engine, first, type Orm, objectsOf, run, type Transaction, type Verb } from "../engine.ts";
import { channels, type MessageRow, messages } from "../schema.ts";

/** A literal, since SQLite ignores the partial index otherwise. */
const notRemoved = sql`${channels.state} <> 'removed'`;

/** False when another active channel holds it. */
export function* reserveIdentity({ orm }: Transaction, id: ChannelId, identity: string, link?: string): Verb<boolean> {
  const { state } = channels;
  const held = and(eq(channels.identity, identity), notRemoved);
  const holder = yield* first(orm.select({ id: channels.id, state }).from(channels).where(held));
  if (holder && holder.id !== id && holder.state !== "stopped") return false;
  // A stopped channel loses the identity to the new one; it reserves it again when resumed.
  if (holder && holder.id !== id)
    yield* run(orm.update(channels).set({ identity: null }).where(eq(channels.id, holder.id)));
  const set = { identity, link: link ?? null };
  yield* run(orm.update(channels).set(set).where(eq(channels.id, id)));
  return true;
}

/** Writes only on a change, since each write invalidates the cache. */
export function* setGroups({ orm }: Transaction, id: ChannelId, groups: string[]): Verb<void> {
  const own = eq(channels.id, id);
  const row = yield* first(orm.select({ known: channels.memberOf }).from(channels).where(own));
  if (JSON.stringify(row?.known ?? []) === JSON.stringify(groups)) return;
  yield* run(orm.update(channels).set({ memberOf: groups }).where(and(own, notRemoved)));
}

function* membersOf(tx: Transaction, group: string): Verb<ChannelId[]> {
  const groups = yield* tx.find("groups", "", () => idsByGroup(tx));
  return groups?.get(group) ?? [];
}

/** Read and cached as a whole: one request may name a thousand groups. */
function* idsByGroup({ orm }: Transaction): Verb<Map<string, ChannelId[]>> {
  const { id, memberOf } = channels;
  const isMember = and(sql`${memberOf} IS NOT NULL`, sql`${channels.identity} IS NOT NULL`, notRemoved);
  const members = yield* all(orm.select({ id, memberOf }).from(channels).where(isMember));
  const ids = new Map<string, ChannelId[]>();
  for (const each of members)
    for (const group of each.memberOf ?? []) ids.set(group, [...(ids.get(group) ?? []), each.id as ChannelId]);
  return ids;
}

const OF_ENDED = ["id", "accountId", "channelId", "direction", "kind", "events", "album", "ack"] as const;
type EndedRow = Pick<MessageRow, (typeof OF_ENDED)[number]>;

// Conditions as in the partial indexes.
const LIVE = "channel_id = @id AND state IN ('ready','sending','waiting')";
const OF_ITS_ACCOUNT = "account_id = (SELECT account_id FROM channel WHERE id = @id)";
const STOP = `UPDATE message SET state = 'waiting' WHERE ${LIVE} AND direction = 'outbound' AND state = 'ready'`;
const RESUME = `UPDATE message SET state = 'ready', run_at = @now WHERE ${LIVE} AND direction = 'outbound' AND state = 'waiting'`;
const END = `UPDATE message SET state = 'dead', head = 0, error_code = 'general', error = '${REMOVED}', updated_at = @now,
  ended_at = @now`;
const ENDED = `RETURNING ${columns(messages, OF_ENDED)}`;
/** Outbound messages that owe no ack: nobody tells the gateway of their end, which the ledger books as refused. */
const UNTOLD = "direction = 'outbound' AND kind = 'message' AND coalesce(ack, '') NOT IN ('due','sending')";
const END_LIVE = `${END}, ack = CASE WHEN ${UNTOLD} THEN 'refused' ELSE ack END,
  ack_version = ack_version + CASE WHEN ${UNTOLD} THEN 1 ELSE 0 END,
  ack_error = CASE WHEN ${UNTOLD} THEN '${REMOVED}' ELSE ack_error END,
  ack_at = CASE WHEN ${UNTOLD} THEN @now ELSE ack_at END WHERE ${LIVE} AND state <> 'sending' ${ENDED}`;
const END_HELD = `${END} WHERE ${OF_ITS_ACCOUNT} AND (state IN ('held','dead') OR ack = 'refused') AND state = 'held'
  AND channel_id = @id ${ENDED}`;
const REFUSE_ACKS = `UPDATE message SET ack = 'refused', ack_error = '${REMOVED}', ack_at = @now
  WHERE ${OF_ITS_ACCOUNT} AND channel_id = @id AND ack = 'due' AND ack IN ('due','sending')
  RETURNING account_id AS "accountId", channel_id AS "channelId"`;

/** Pauses, resumes or ends a channel's messages. */
function* moveMessages(tx: Transaction, id: ChannelId, state: Channel["state"], now: number): Verb<void> {
  yield* tx.holdLanes(id);
  if (state === "stopped") yield* run(STOP, { id });
  if (state === "active") yield* run(RESUME, { id, now });
  if (state === "active") yield* extendInbound(tx, sql`channel.id = ${id}`, now + INBOUND_PATIENCE_MS);
  if (state !== "removed") return;
  const live = yield* all<EndedRow>(END_LIVE, { id, now });
  const held = yield* all<EndedRow>(END_HELD, { id, now });
  // Jobs under way end with their own outcome.
  const acks = yield* all<Pick<EndedRow, "accountId" | "channelId">>(REFUSE_ACKS, { id, now });
  const untold = live.filter(
    ({ direction, kind, ack }) => direction === "outbound" && kind === "message" && ack === "refused",
  );
  yield* bookRefused(tx, { live, held, acks, untold });
}

type Row = typeof channels.$inferSelect;

const at = sql.placeholder;
/** Values of columns, or SQL of them. */
type NewValues = { [column in keyof Row]?: Row[column] | SQL<Row[column]> };
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
      .orderBy(channels.createdAt, sql`rowid`)
      .prepare(),
    ofJob: one(eq(channels.id, at("id"))),
    byDoor: one(eq(channels.doorHash, at("doorHash"))),
    byIdentity: one(eq(channels.identity, at("identity"))),
    byGatewayId: one(ofAccount, eq(channels.gatewayChannelId, at("id"))),
    onceAtGateway: orm
      .select({ id: channels.id })
      .from(channels)
      .where(and(ofAccount, eq(channels.gatewayChannelId, at("id"))))
      .prepare(),
  };
};

/** The store, except for what depends on other writers. */
export function channelStore(
  engine: Engine,
  sealer: Sealer,
  clock: Clock,
  secretSettings: SecretSettings = () => [],
): Omit<ChannelStore, "onChanged"> {
  const { read, write } = engine;
  const { toChannel, sealed, sealSettings, emptySecrets } = sealing(sealer, secretSettings);
  const objects = objectsOf(engine, "channel", toChannel);
  const find = (by: "byDoor" | "byIdentity" | "byGatewayId", key: string, values: Record<string, string>) =>
    objects.find(by, key, (tx) => first(tx.statements(statements)[by], values));
  const ofJob = (id: ChannelId) => objects.byId(id, (tx) => first(tx.statements(statements).ofJob, { id }));
  /** False when the channel was removed or its epoch differs. */
  function* change(tx: Transaction, id: ChannelId, set: NewValues, { by, epoch }: Change): Verb<boolean> {
    const now = clock.now();
    const row = yield* first(
      tx.orm
        .update(channels)
        .set({ ...set, epoch: sql`${channels.epoch} + 1`, updatedAt: now })
        .where(and(eq(channels.id, id), notRemoved, epochIs(epoch)))
        .returning(),
    );
    if (row) yield* writeAudit(tx, now, row.accountId, by, { channel: id, kind: row.kind, name: row.name });
    return row !== undefined;
  }
  const set = (id: ChannelId, values: NewValues, ...where: (SQL | undefined)[]) =>
    write(({ orm }) =>
      run(
        orm
          .update(channels)
          .set(values)
          .where(and(eq(channels.id, id), ...where)),
      ),
    );

  return {
    add: (accountId, draft, by) =>
      write(function* (tx) {
        const id = newId<ChannelId>();
        const now = clock.now();
        const { kind, name, settings, unsure = "resend", gatewayChannelId, trouble } = draft;
        const row = { id, accountId, kind, name, unsure, ...sealed(id, settings, newSecret()) };
        const state: Row["state"] = draft.state ?? "active";
        const standing = { gatewayChannelId, state, trouble, troubleAt: trouble === undefined ? undefined : now };
        yield* writeAudit(tx, now, accountId, by, { channel: id, kind, name });
        const times = { createdAt: now, updatedAt: now };
        const added = tx.orm.insert(channels).values({ ...row, ...standing, ...times });
        const made = toChannel((yield* first(added.returning())) as Row);
        for (const { key, value } of draft.notes ?? []) yield* run(SET, { channelId: id, key, value, now });
        return made;
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
    async onceAtGateway(accountId, id) {
      const row = await read((tx) => first(tx.statements(statements).onceAtGateway, { accountId, id }));
      return row?.id as ChannelId | undefined;
    },
    list: (accountId) =>
      objects.list("channels", accountId, (tx) => all(tx.statements(statements).list, { accountId })),
    change: (id, { name, settings, unsure }, by) =>
      write(function* (tx) {
        yield* change(tx, id, { name, settingsSealed: sealSettings(id, settings), ...(unsure && { unsure }) }, { by });
      }),
    setGateway: (id, gateway) => set(id, { gatewayChannelId: gateway.id, announced: gateway.announced }, notRemoved),
    reserveIdentity: (id, identity, link) => write((tx) => reserveIdentity(tx, id, identity, link)),
    setGroups: (id, groups) => write((tx) => setGroups(tx, id, groups)),
    async inGroup(group) {
      const members = await Promise.all((await read((tx) => membersOf(tx, group))).map(ofJob));
      return members.filter((channel) => channel !== undefined);
    },
    setTrouble: (id, trouble, epoch) => {
      const troubleAt = trouble === undefined ? null : sql<number>`coalesce(trouble_at, ${clock.now()})`;
      return set(id, { trouble: trouble ?? null, troubleAt }, eq(channels.state, "active"), epochIs(epoch));
    },
    unreported: (limit) => {
      const isUnreported = and(sql`coalesce(trouble, '') <> coalesce(told, '')`, notRemoved);
      return objects.list("unreported", String(limit), ({ orm }) =>
        all(orm.select().from(channels).where(isUnreported).limit(limit)),
      );
    },
    setReported: (id, trouble) => set(id, { reportedTrouble: trouble ?? null }),
    setState: (id, state, trouble, how = {}) =>
      write(function* (tx) {
        const secrets = state === "removed" ? { ...emptySecrets(id), memberOf: null } : {};
        const troubleAt = troubleAtIn(state, trouble, clock.now());
        const changed = yield* change(tx, id, { state, trouble: trouble ?? null, troubleAt, ...secrets }, how);
        if (changed) yield* moveMessages(tx, id, state, clock.now());
      }, "lanes"),
    ...channelPauses(engine, clock),
  };
}

/** Stopping sets the time anew; otherwise a trouble keeps the time it began. */
function troubleAtIn(state: Channel["state"], trouble: string | undefined, now: number) {
  if (state === "stopped")
    return sql<number>`CASE WHEN state = 'stopped' THEN coalesce(trouble_at, ${now}) ELSE ${now} END`;
  return trouble === undefined ? null : sql<number>`coalesce(trouble_at, ${now})`;
}

function sealing(sealer: Sealer, secretSettings: SecretSettings) {
  const addressOf = (row: string, column: string) => ({ table: "channel", row, column });
  // Skip the log's mask here: settings are opened, and then masked, before every use.
  const sealSettings = (id: string, settings: unknown) =>
    sealer.seal(JSON.stringify(settings), addressOf(id, "settings"), () => []);
  const sealDoor = (id: string, door: string) => sealer.seal(door, addressOf(id, "door"));
  const openSettings = ({ id, kind, settingsSealed }: Row) =>
    JSON.parse(
      sealer.open(settingsSealed, addressOf(id, "settings"), (plain) => secretSettings(kind, JSON.parse(plain))),
    );
  return {
    sealed: (id: string, settings: unknown, door: string) => ({
      doorHash: fingerprint(door),
      doorSealed: sealDoor(id, door),
      settingsSealed: sealSettings(id, settings),
    }),
    sealSettings,
    /** Overwrites the secrets of a removed channel with sealed values that still open. */
    emptySecrets: (id: string) => ({ doorSealed: sealDoor(id, newSecret()), settingsSealed: sealSettings(id, {}) }),
    toChannel: (row: Row): Channel =>
      withOpened(plainOf(row), {
        door: () => sealer.open(row.doorSealed, addressOf(row.id, "door")),
        settings: () => openSettings(row),
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
  pauseReason: row.pauseReason ?? undefined,
  trouble: row.trouble ?? undefined,
  troubleAt: row.troubleAt ?? undefined,
  identity: row.identity ?? undefined,
  link: row.link ?? undefined,
  epoch: row.epoch,
});

const HERE = "channel_id = @channelId AND key = @key";
const FIND = `SELECT value FROM note WHERE ${HERE}`;
export const findNote = (channelId: string, key: string) => first<Pick<Note, "value">>(FIND, { channelId, key });
const DELETE = `DELETE FROM note WHERE ${HERE}`;
const SET = `INSERT INTO note (channel_id, key, value, updated_at) VALUES (@channelId, @key, @value, @now)
  ON CONFLICT (channel_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;
const NONE: Partial<Note> = {};
const ACCOUNT_OF_CHANNEL = "SELECT account_id AS id FROM channel WHERE id = @channelId";

/** Key prefix of our notes, by chat and messenger's id: failures that overtook the answer to our call. */
export const LATE_FAILURES = "late-failure:";

/** The id in `<prefix>:<id>`. */
export const noteId = (key: string): string => key.slice(key.indexOf(":") + 1);

/** Whether a note is about a chat or one of its messages or albums. */
export function isNoteOf(key: string, chat: string): boolean {
  const id = noteId(key);
  return id === chat || id.startsWith(`${chat}:`) || id.startsWith(`${chat}/`);
}

/** All chats for which `isNoteOf` may be true. */
function ownersOf(key: string): string[] {
  const id = noteId(key);
  return [id, ...[...id.matchAll(/[:/]/g)].map(({ index }) => id.slice(0, index))];
}

export function noteStore({ read, write }: Engine, clock: Clock): NoteStore {
  return {
    get: async (channelId, key) => {
      const find = function* () {
        return (yield* findNote(channelId, key)) ?? NONE;
      };
      return (await read((tx) => tx.row<Partial<Note>>("note", `${channelId} ${key}`, find)))?.value;
    },
    set: (channelId, changed, about) =>
      write(function* (tx) {
        const kept: Note[] = [];
        const named = about === undefined ? [] : [about];
        for (const note of changed)
          if (yield* tx.mayStore(channelId, [...named, ...ownersOf(note.key)])) kept.push(note);
        yield* writeNotes(clock.now(), channelId, kept);
        // Notes may be shown on pages.
        const account = yield* tx.find("account of", channelId, () =>
          first<{ id: string }>(ACCOUNT_OF_CHANNEL, { channelId }),
        );
        if (account) tx.changed(account.id);
      }),
  };
}

export function* removeNotes(channelId: string, notes: Pick<Note, "key">[]): Verb<void> {
  for (const { key } of notes) yield* run(DELETE, { channelId, key });
}

export function* writeNotes(now: number, channelId: ChannelId, changed: Note[]): Verb<void> {
  for (const { key, value, merge } of changed)
    if (value === "") yield* run(DELETE, { channelId, key });
    else {
      const stored = merge && (yield* findNote(channelId, key));
      yield* run(SET, { channelId, key, value: stored ? merged(stored.value, value) : value, now });
    }
}

const merged = (stored: string, value: string): string =>
  JSON.stringify({ ...JSON.parse(stored), ...JSON.parse(value) });
