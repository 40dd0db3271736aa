import { and, asc, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { AccountId, ChannelId, ChatId, JobId } from "../../../domain/ids.ts";
import type { EndedCount, EndedFilter, EndedJob } from "../../dead.ts";
import { all, type Transaction, upTo, type Verb } from "../engine.ts";
import { type MessageRow, messages } from "../schema.ts";
import { ENDED } from "../states.ts";
import { nicknameIn } from "./chats.ts";
import { beginningOf } from "./contents.ts";

// Lists of undelivered messages, for their account's users.

/** Held messages have a limit of their own: a person decides each, so dead letters must not crowd them out. */
const MAX_HELD = 500;

/** A message that arrived, or was given up, may still owe an ack that the gateway refused. */
export const endedAs = ({ direction, state }: Pick<MessageRow, "direction" | "state">) => ({
  direction: state === "held" || state === "dead" ? direction : ("ack" as const),
  state: state === "held" ? ("held" as const) : ("dead" as const),
});

/** Without a filter by state: held messages first. */
export function* ended(
  tx: Transaction,
  accountId: AccountId,
  limit: number,
  filter: EndedFilter = {},
): Verb<EndedJob[]> {
  if (filter.state) return yield* list(tx, accountId, limit, filter);
  const held = yield* list(tx, accountId, MAX_HELD, { ...filter, state: "held" });
  return [...held, ...(yield* list(tx, accountId, limit, { ...filter, state: "dead" }))];
}

const where = ({ state, channelId, code, before, after }: EndedFilter): (SQL | undefined)[] => [
  state === "held" ? sql`state = 'held'` : sql`state <> 'held'`,
  channelId && eq(messages.channelId, channelId),
  code === undefined ? undefined : sql`coalesce(error_code, 'general') = ${code}`,
  before === undefined ? undefined : lt(messages.id, before),
  after === undefined ? undefined : gt(messages.id, after),
];

function* list({ orm }: Transaction, accountId: AccountId, limit: number, filter: EndedFilter): Verb<EndedJob[]> {
  const rows = yield* all(
    orm
      .select()
      .from(messages)
      .where(and(eq(messages.accountId, accountId), ENDED, ...where(filter)))
      .orderBy(filter.after === undefined ? desc(messages.id) : asc(messages.id))
      .limit(upTo(limit)),
  );
  const names = new Map<string, string | undefined>();
  const jobs: EndedJob[] = [];
  for (const row of rows) {
    const key = `${row.channelId} ${row.chat}`;
    if (!names.has(key)) names.set(key, yield* nicknameIn(row.channelId, row.chat));
    jobs.push(toEnded(row, names.get(key)));
  }
  return jobs;
}

const toEnded = (row: MessageRow, customer: string | undefined): EndedJob => ({
  id: row.id as JobId,
  channelId: row.channelId as ChannelId,
  ...endedAs(row),
  code: row.errorCode ?? "general",
  error: row.error ?? row.ackError ?? "",
  at: row.lateAt ?? row.endedAt ?? row.updatedAt,
  chat: (row.chat ?? undefined) as ChatId | undefined,
  customer,
  words: beginningOf(row),
});

export const countEnded = ({ orm }: Transaction, accountId: AccountId): Verb<EndedCount[]> =>
  all(
    orm
      .select({
        state: sql<EndedCount["state"]>`CASE WHEN state = 'held' THEN 'held' ELSE 'dead' END`.as("ended_as"),
        channelId: sql<ChannelId>`channel_id`.as("of_channel"),
        code: sql<string>`coalesce(error_code, 'general')`.as("code"),
        count: sql<number>`count(*)`,
      })
      .from(messages)
      .where(and(eq(messages.accountId, accountId), ENDED))
      .groupBy(sql`ended_as`, sql`of_channel`, sql`code`),
  );
