import { setImmediate } from "node:timers/promises";
import type { AccountId, ChannelId, ChatId, CustomerId } from "../../domain/ids.ts";
import { fitGatewayId } from "../../domain/ids.ts";
import type { Customer } from "../../domain/message.ts";
import type { FoundPerson, Person } from "../erasure.ts";
import type { Database } from "../sqlite/database/db.ts";
import { channelsIn, sqliteEngine } from "../sqlite/tables/engine.ts";
import { beginningOf, contentOf, customerOf } from "../tables/contents.ts";
import { eachRow, says } from "../tables/each-row.ts";
import type { MessageRow } from "../tables/schema.ts";

// Who the customers in the stored messages are. No index knows: messages are read in windows, with pauses for other work.

/** Rows read at once: a few milliseconds. */
const WINDOW = 250;
const MAX_FOUND = 50;

type Row = Pick<
  MessageRow,
  "id" | "channelId" | "chat" | "direction" | "payload" | "work" | "createdAt" | "messengerMessageId"
>;
const COLUMNS =
  "id, channel_id AS channelId, chat, direction, payload, work, created_at AS createdAt, messenger_message_id AS messengerMessageId";

/** Messages that still have their content. */
const MESSAGES = { table: "message", key: "id", columns: COLUMNS, where: "payload IS NOT NULL" };
const LINES = {
  ...{ table: "journal", key: "position" },
  columns: "channel_id AS channelId, chat, entry, created_at AS createdAt",
};

interface Line {
  channelId: string;
  chat: string;
  entry: string;
  createdAt: number;
}

export async function findPeople(db: Database, accountId: AccountId, text: string): Promise<FoundPerson[]> {
  const plain = text.trim().toLocaleLowerCase();
  const channels = channelsIn(db, accountId);
  const found = new Map<string, FoundPerson>();
  const note = (at: { channelId: string; chat: string | null; createdAt: number }, more: Partial<FoundPerson>) => {
    const key = JSON.stringify([at.channelId, at.chat, more.customer]);
    const before = found.get(key);
    if (before) before.count += 1;
    else if (found.size < MAX_FOUND)
      found.set(key, {
        ...{ channelId: at.channelId as ChannelId, chat: (at.chat ?? "") as ChatId },
        ...{ count: 1, lastAt: at.createdAt, ...more },
      });
  };
  await eachRow<Row>(sqliteEngine(db), MESSAGES, channels, (row) => {
    if (!says(row.payload ?? "", plain)) return;
    const who = customerOf(row);
    note(row, { customer: who?.id, name: who && nameOf(who), words: beginningOf(row) });
  });
  // Histories and chats outlive the messages' own content.
  await eachRow<Line>(sqliteEngine(db), LINES, channels, (line) => {
    if (says(line.entry, plain)) note(line, {});
  });
  await eachChat(db, channels, (chat) => {
    if (chat.chat.toLocaleLowerCase().includes(plain)) note(chat, {});
  });
  return oneForEach([...found.values()]);
}

interface ChatRow {
  channelId: string;
  chat: string;
  createdAt: number;
}
const CHATS = `SELECT channel_id AS channelId, gateway_chat AS name, chat, created_at AS createdAt FROM chat
  WHERE channel_id = ? AND gateway_chat > ? ORDER BY gateway_chat LIMIT ${WINDOW}`;

async function eachChat({ sqlite }: Database, channelIds: string[], visit: (chat: ChatRow) => void): Promise<void> {
  const page = sqlite.prepare<[string, string], ChatRow & { name: string }>(CHATS);
  for (const channelId of channelIds)
    for (let after: string | undefined = ""; after !== undefined; await setImmediate()) {
      const chats: (ChatRow & { name: string })[] = page.all(channelId, after);
      for (const chat of chats) visit(chat);
      after = chats.at(-1)?.name;
    }
}

const nameOf = ({ nickname, firstName, lastName }: Customer): string =>
  [firstName, lastName].filter(Boolean).join(" ") || nickname;

/** What was found without a customer's name counts as the customer's who was found in the same chat. */
function oneForEach(found: FoundPerson[]): FoundPerson[] {
  const isNamed = (each: FoundPerson) =>
    found.some(({ customer, channelId, chat }) => customer && channelId === each.channelId && chat === each.chat);
  return found.filter((each) => each.customer !== undefined || !isNamed(each));
}

/** What belongs to a person. */
export interface Belongings {
  channelId: ChannelId;
  customer?: CustomerId;
  /** Chats with nobody else in them. */
  chats: string[];
  /** The person's messages in other chats. */
  rows: number[];
  /** By which raw webhooks name the person. */
  names: string[];
}

/** Undefined when the account has no such chat. */
export async function belongingsOf(
  db: Database,
  accountId: AccountId,
  { channelId, chat, customer }: Person,
): Promise<Belongings | undefined> {
  if (!channelsIn(db, accountId).includes(channelId) || !hasChat(db, channelId, chat)) return undefined;
  const whose = customer ?? (await onlyCustomerIn(db, channelId, chat));
  const namesOf = (chats: string[]) => chats.flatMap((at) => [at, fitGatewayId(at)]);
  // A group as a whole: its members are other people, so only its own id may be looked for.
  if (whose === undefined) return { channelId, chats: [chat], rows: [], names: [...new Set(namesOf([chat]))] };
  const shared = new Set<string>();
  const rows = new Map<string, number[]>([[chat, []]]);
  const own = (at: string) => {
    const ids = rows.get(at) ?? [];
    rows.set(at, ids);
    return ids;
  };
  const said = new Set<string>();
  const edits: { at: string; id: number; of: string }[] = [];
  await eachRow<Row>(sqliteEngine(db), MESSAGES, [channelId], (row) => {
    const who = customerOf(row);
    const at = row.chat ?? "";
    if (who && who.id !== whose) shared.add(at);
    if (who?.id === whose) {
      own(at).push(row.id);
      if (row.messengerMessageId) said.add(row.messengerMessageId);
    } else if (!who) {
      const of = changedBy(row);
      if (of) edits.push({ at, id: row.id, of });
    }
  });
  for (const { at, id, of } of edits) if (said.has(of)) own(at).push(id);
  await eachChat(db, [channelId], ({ chat: each }) => {
    if (isChatOf(each, whose)) own(each);
  });
  const chats = [...rows.keys()].filter((at) => !shared.has(at));
  const inShared = [...rows].filter(([at]) => shared.has(at)).flatMap(([, ids]) => ids);
  return { channelId, customer: whose, chats, rows: inShared, names: [...new Set([whose, ...namesOf(chats)])] };
}

/** The message that an edit or a reaction is about. */
function changedBy(row: Row): string | undefined {
  const task = row.direction === "inbound" ? contentOf(row)?.task : undefined;
  return task?.direction === "inbound" && task.event.type !== "message" ? task.event.messengerMessageId : undefined;
}

const OF_CHAT = `SELECT ${COLUMNS} FROM message WHERE channel_id = ? AND chat = ? AND id > ? AND payload IS NOT NULL
  ORDER BY id LIMIT ${WINDOW}`;

/** Undefined when several people write in the chat, or its messages no longer say who. */
async function onlyCustomerIn({ sqlite }: Database, channelId: string, chat: string): Promise<CustomerId | undefined> {
  const page = sqlite.prepare<[string, string, number], Row>(OF_CHAT);
  const ids = new Set<CustomerId>();
  for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; await setImmediate()) {
    const rows: Row[] = page.all(channelId, chat, after);
    for (const row of rows) {
      const who = customerOf(row);
      if (who) ids.add(who.id);
    }
    if (ids.size > 1) return undefined;
    after = rows.at(-1)?.id;
  }
  return [...ids][0];
}

/** A chat of the customer in each of the channels that knows them. */
export async function personIn(db: Database, channelIds: string[], customer: CustomerId): Promise<Map<string, Person>> {
  const found = new Map<string, Person>();
  const note = (channelId: string, chat: string | null) => {
    if (!found.has(channelId))
      found.set(channelId, { channelId: channelId as ChannelId, chat: (chat ?? "") as ChatId, customer });
  };
  const plain = JSON.stringify(customer);
  await eachRow<Row>(sqliteEngine(db), MESSAGES, channelIds, (row) => {
    if (row.payload?.includes(plain) && customerOf(row)?.id === customer) note(row.channelId, row.chat);
  });
  await eachChat(db, channelIds, ({ channelId, chat }) => {
    if (isChatOf(chat, customer)) note(channelId, chat);
  });
  return found;
}

/** Chats whose messages no longer say who wrote them: their id ends with the customer's. */
const isChatOf = (chat: string, customer: string): boolean =>
  chat === customer || (/[/~]/.test(chat.at(-customer.length - 1) ?? "") && chat.endsWith(customer));

const hasChat = ({ sqlite }: Database, channelId: string, chat: string): boolean =>
  sqlite
    .prepare(
      `SELECT 1 FROM message WHERE channel_id = @channelId AND chat = @chat
        UNION ALL SELECT 1 FROM chat WHERE channel_id = @channelId AND chat = @chat
        UNION ALL SELECT 1 FROM journal WHERE channel_id = @channelId AND chat = @chat`,
    )
    .get({ channelId, chat }) !== undefined;
