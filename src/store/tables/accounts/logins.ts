import { and, eq, sql } from "drizzle-orm";
import type { ChannelId } from "../../../domain/ids.ts";
import { all, first, run, type Transaction, type Verb } from "../engine.ts";
import { channels } from "../schema.ts";

// The logins of channels at their messengers, and what those are part of. Called within a write, but for membersOf.

/** Written out: SQLite ignores the partial index otherwise. */
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

/** Writes only what has changed: each write makes the cache read its rows anew. */
export function* setGroups({ orm }: Transaction, id: ChannelId, groups: string[]): Verb<void> {
  const own = eq(channels.id, id);
  const row = yield* first(orm.select({ known: channels.memberOf }).from(channels).where(own));
  if (JSON.stringify(row?.known ?? []) === JSON.stringify(groups)) return;
  yield* run(orm.update(channels).set({ memberOf: groups }).where(and(own, notRemoved)));
}

export function* membersOf(tx: Transaction, group: string): Verb<ChannelId[]> {
  const groups = yield* tx.find("groups", "", () => idsByGroup(tx));
  return groups?.get(group) ?? [];
}

/** Read as a whole: one request may name a thousand groups. */
function* idsByGroup({ orm }: Transaction): Verb<Map<string, ChannelId[]>> {
  const { id, memberOf } = channels;
  const isMember = and(sql`${memberOf} IS NOT NULL`, sql`${channels.identity} IS NOT NULL`, notRemoved);
  const members = yield* all(orm.select({ id, memberOf }).from(channels).where(isMember));
  const ids = new Map<string, ChannelId[]>();
  for (const each of members)
    for (const group of each.memberOf ?? []) ids.set(group, [...(ids.get(group) ?? []), each.id as ChannelId]);
  return ids;
}
