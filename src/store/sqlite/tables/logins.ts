import { and, eq, sql } from "drizzle-orm";
import type { ChannelId } from "../../../domain/ids.ts";
import { channels } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";

// The logins of channels at their messengers, and what those are part of. Called within a write, but for membersOf.

/** Written out: SQLite ignores the partial index otherwise. */
const notRemoved = sql`${channels.state} <> 'removed'`;

/** False when another active channel holds it. */
export function reserveIdentity({ orm }: Database, id: ChannelId, identity: string, link?: string): boolean {
  const holder = orm
    .select({ id: channels.id, state: channels.state })
    .from(channels)
    .where(and(eq(channels.identity, identity), notRemoved))
    .get();
  if (holder && holder.id !== id && holder.state !== "stopped") return false;
  // A stopped channel loses the identity to the new one; it reserves it again when resumed.
  if (holder && holder.id !== id) orm.update(channels).set({ identity: null }).where(eq(channels.id, holder.id)).run();
  orm
    .update(channels)
    .set({ identity, link: link ?? null })
    .where(eq(channels.id, id))
    .run();
  return true;
}

/** Writes only what has changed: each write makes the cache read its rows anew. */
export function setGroups({ orm }: Database, id: ChannelId, groups: string[]): void {
  const row = orm.select({ known: channels.memberOf }).from(channels).where(eq(channels.id, id)).get();
  if (JSON.stringify(row?.known ?? []) === JSON.stringify(groups)) return;
  orm
    .update(channels)
    .set({ memberOf: groups })
    .where(and(eq(channels.id, id), notRemoved))
    .run();
}

export const membersOf = (db: Database, group: string): ChannelId[] =>
  db.rows.find("groups", "", () => idsByGroup(db))?.get(group) ?? [];

/** Read as a whole: one request may name a thousand groups. */
function idsByGroup({ orm }: Database): Map<string, ChannelId[]> {
  const members = orm
    .select({ id: channels.id, memberOf: channels.memberOf })
    .from(channels)
    .where(and(sql`${channels.memberOf} IS NOT NULL`, sql`${channels.identity} IS NOT NULL`, notRemoved))
    .all();
  const ids = new Map<string, ChannelId[]>();
  for (const { id, memberOf } of members)
    for (const group of memberOf ?? []) ids.set(group, [...(ids.get(group) ?? []), id as ChannelId]);
  return ids;
}
