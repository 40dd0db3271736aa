import { setImmediate } from "node:timers/promises";
import type { AccountId, ChannelId, ChatId, CustomerId } from "../../domain/ids.ts";
import { fitGatewayId } from "../../domain/ids.ts";
import type { Customer } from "../../domain/message.ts";
import type { FoundPerson, Person } from "../erasure.ts";
import type { Database } from "../sqlite/database/db.ts";
import type { MessageRow } from "../sqlite/database/schema.ts";
import { beginningOf, contentOf } from "../sqlite/tables/lanes.ts";

// Who the customers in the stored messages are. No index knows: messages are read in windows, with pauses for other work.

/** Ids read at once: a few milliseconds. */
const WINDOW = 2_000;
const MAX_FOUND = 50;

type Row = Pick<MessageRow, "id" | "channelId" | "chat" | "direction" | "payload" | "work" | "createdAt">;
const COLUMNS = "id, channel_id AS channelId, chat, direction, payload, work, created_at AS createdAt";

/** Calls `visit` with all messages of the channels that still have their content, newest first, until it returns false. */
export async function eachMessage(
  { sqlite }: Database,
  channelIds: string[],
  visit: (row: Row) => boolean | undefined,
): Promise<void> {
  const [min, max] = sqlite.prepare("SELECT min(id), max(id) FROM message").raw().get() as [number | null, number];
  const window = sqlite.prepare<[number, number, string], Row>(
    `SELECT ${COLUMNS} FROM message WHERE id <= ? AND id > ? AND payload IS NOT NULL
      AND channel_id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
  );
  for (let top = max; min !== null && top >= min; top -= WINDOW, await setImmediate())
    for (const row of window.all(top, top - WINDOW, JSON.stringify(channelIds))) if (visit(row) === false) return;
}

/** The customer that a message is from. */
export function customerOf(row: Pick<MessageRow, "direction" | "payload" | "work">): Customer | undefined {
  if (row.direction !== "inbound") return undefined;
  const task = contentOf(row)?.task;
  return task?.direction === "inbound" && task.event.type === "message" ? task.event.customer : undefined;
}

const channelsOf = ({ sqlite }: Database, accountId: AccountId): string[] =>
  sqlite.prepare<[string], string>("SELECT id FROM channel WHERE account_id = ?").pluck().all(accountId);

export async function findPeople(db: Database, accountId: AccountId, text: string): Promise<FoundPerson[]> {
  // As it is written within JSON.
  const needle = JSON.stringify(text.trim()).slice(1, -1).toLocaleLowerCase();
  const found = new Map<string, FoundPerson>();
  await eachMessage(db, channelsOf(db, accountId), (row) => {
    if (!row.payload?.toLocaleLowerCase().includes(needle)) return;
    const who = customerOf(row);
    const chat = (row.chat ?? "") as ChatId;
    const key = JSON.stringify([row.channelId, chat, who?.id]);
    const before = found.get(key);
    if (!before && found.size >= MAX_FOUND) return false;
    if (before) before.count += 1;
    else
      found.set(key, {
        channelId: row.channelId as ChannelId,
        ...{ chat, customer: who?.id, name: who && nameOf(who) },
        ...{ count: 1, lastAt: row.createdAt, words: beginningOf(row) },
      });
    return;
  });
  return withoutAgents([...found.values()]);
}

const nameOf = ({ nickname, firstName, lastName }: Customer): string =>
  [firstName, lastName].filter(Boolean).join(" ") || nickname;

/** What agents wrote to a customer who was found counts as the customer's. */
function withoutAgents(found: FoundPerson[]): FoundPerson[] {
  const inChat = (each: FoundPerson) =>
    found.filter((other) => other.channelId === each.channelId && other.chat === each.chat);
  return found.filter((each) => each.customer !== undefined || inChat(each).every((other) => !other.customer));
}

/** What belongs to a person. */
export interface Belongings {
  channelId: ChannelId;
  /** Chats with nobody else in them. */
  chats: string[];
  /** The person's messages in other chats. */
  rows: number[];
  /** By which raw webhooks and notes name the person. */
  names: string[];
}

/** Undefined when the account has no such chat. */
export async function belongingsOf(
  db: Database,
  accountId: AccountId,
  { channelId, chat, customer }: Person,
): Promise<Belongings | undefined> {
  if (!channelsOf(db, accountId).includes(channelId) || !hasChat(db, channelId, chat)) return undefined;
  const whose = customer ?? onlyCustomerIn(db, channelId, chat);
  // A group as a whole: its members are other people, so only its own id may be looked for.
  if (whose === undefined) return { channelId, chats: [chat], rows: [], names: [chat, fitGatewayId(chat)] };
  const shared = new Set<string>();
  const rows = new Map<string, number[]>([[chat, []]]);
  const names = new Set<string>([whose]);
  await eachMessage(db, [channelId], (row) => {
    const who = customerOf(row);
    const at = row.chat ?? "";
    if (who && who.id !== whose) shared.add(at);
    if (who?.id !== whose) return;
    rows.set(at, rows.get(at) ?? []);
    rows.get(at)?.push(row.id);
    for (const name of [who.phone, who.email, who.profileUrl]) if (name) names.add(name);
  });
  const chats = [...rows.keys()].filter((at) => !shared.has(at));
  for (const at of chats) names.add(at).add(fitGatewayId(at as ChatId));
  const inShared = [...rows].filter(([at]) => shared.has(at)).flatMap(([, ids]) => ids);
  return { channelId, chats, rows: inShared, names: [...names] };
}

/** Undefined when several people write in the chat, or its messages no longer say who. */
function onlyCustomerIn({ sqlite }: Database, channelId: string, chat: string): CustomerId | undefined {
  const rows = sqlite
    .prepare<[string, string], Row>(
      `SELECT ${COLUMNS} FROM message WHERE channel_id = ? AND chat = ? AND payload IS NOT NULL`,
    )
    .iterate(channelId, chat);
  const ids = new Set<CustomerId>();
  for (const row of rows) {
    const who = customerOf(row);
    if (who) ids.add(who.id);
  }
  return ids.size === 1 ? [...ids][0] : undefined;
}

const hasChat = ({ sqlite }: Database, channelId: string, chat: string): boolean =>
  sqlite
    .prepare(
      `SELECT 1 FROM message WHERE channel_id = @channelId AND chat = @chat
        UNION ALL SELECT 1 FROM chat WHERE channel_id = @channelId AND chat = @chat
        UNION ALL SELECT 1 FROM journal WHERE channel_id = @channelId AND chat = @chat`,
    )
    .get({ channelId, chat }) !== undefined;
