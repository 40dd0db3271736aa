import { and, asc, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { AccountId, ChannelId, ChatId, JobId } from "../../../domain/ids.ts";
import type { EndedCount, EndedFilter, EndedJob } from "../../dead.ts";
import { type MessageRow, messages } from "../../tables/schema.ts";
import { type Database, upTo } from "../database/db.ts";
import { beginningOf, ENDED, nicknameIn } from "../tables/lanes.ts";

// Lists of undelivered messages, for their account's users.

/** Held messages have a limit of their own: a person decides each, so dead letters must not crowd them out. */
const MAX_HELD = 500;

/** A message that arrived, or was given up, may still owe an ack that the gateway refused. */
export const endedAs = ({ direction, state }: Pick<MessageRow, "direction" | "state">) => ({
  direction: state === "held" || state === "dead" ? direction : ("ack" as const),
  state: state === "held" ? ("held" as const) : ("dead" as const),
});

/** Without a filter by state: held messages first. */
export function ended(db: Database, accountId: AccountId, limit: number, filter: EndedFilter = {}): EndedJob[] {
  if (filter.state) return list(db, accountId, limit, filter);
  const held = list(db, accountId, MAX_HELD, { ...filter, state: "held" });
  return [...held, ...list(db, accountId, limit, { ...filter, state: "dead" })];
}

const where = ({ state, channelId, code, before, after }: EndedFilter): (SQL | undefined)[] => [
  state === "held" ? sql`state = 'held'` : sql`state <> 'held'`,
  channelId && eq(messages.channelId, channelId),
  code === undefined ? undefined : sql`coalesce(error_code, 'general') = ${code}`,
  before === undefined ? undefined : lt(messages.id, before),
  after === undefined ? undefined : gt(messages.id, after),
];

function list(db: Database, accountId: AccountId, limit: number, filter: EndedFilter): EndedJob[] {
  const rows = db.orm
    .select()
    .from(messages)
    .where(and(eq(messages.accountId, accountId), ENDED, ...where(filter)))
    .orderBy(filter.after === undefined ? desc(messages.id) : asc(messages.id))
    .limit(upTo(limit))
    .all();
  const names = new Map<string, string | undefined>();
  const nameIn = ({ channelId, chat }: MessageRow) => {
    const key = `${channelId} ${chat}`;
    if (!names.has(key)) names.set(key, nicknameIn(db, channelId, chat));
    return names.get(key);
  };
  return rows.map((row) => ({
    id: row.id as JobId,
    channelId: row.channelId as ChannelId,
    ...endedAs(row),
    code: row.errorCode ?? "general",
    error: row.error ?? row.ackError ?? "",
    at: row.lateAt ?? row.endedAt ?? row.updatedAt,
    chat: (row.chat ?? undefined) as ChatId | undefined,
    customer: nameIn(row),
    words: beginningOf(row),
  }));
}

export const countEnded = (db: Database, accountId: AccountId): EndedCount[] =>
  db.orm
    .select({
      state: sql<EndedCount["state"]>`iif(state = 'held', 'held', 'dead')`.as("ended_as"),
      channelId: messages.channelId,
      code: sql<string>`coalesce(error_code, 'general')`.as("code"),
      count: sql<number>`count(*)`,
    })
    .from(messages)
    .where(and(eq(messages.accountId, accountId), ENDED))
    .groupBy(sql`ended_as`, messages.channelId, sql`code`)
    .all() as EndedCount[];
