import type { ChannelId, ChatId, CustomerId } from "gangway-messenger/ids";
import type { Customer } from "gangway-messenger/message";
import { chatOfLane, sideLanesOf } from "../../../domain/delivery.ts";
import type { AccountId } from "../../../domain/ids.ts";
import { fitGatewayId } from "../../../domain/message.ts";
import type { FoundPerson, NotePrefix, Person } from "../../care.ts";
import { channelsOf, says } from "../care/sealed.ts";
import { bytesOf, eachRow, inBytes, pagesOf } from "../care/windows.ts";
import { otherIdsOf } from "../channels/customers-notes.ts";
import { ownerOf } from "../channels/raw-webhooks.ts";
import { all, columns, type Engine, first } from "../engine.ts";
import { chats, journal, type MessageRow, messages } from "../schema.ts";
import { beginningOf, contentOf, customerOf } from "./messages.ts";

// Finds customers in stored messages. There is no index: messages are scanned in windows, with pauses for other work.

/** Rows read at once: a few milliseconds. */
const WINDOW = 250;
const MAX_FOUND = 50;

const NAMES = [
  ...["id", "channelId", "chat", "direction", "payload", "work", "createdAt", "messengerMessageId"],
] as const;
type Row = Pick<MessageRow, (typeof NAMES)[number]>;
const COLUMNS = columns(messages, NAMES);

const LARGE = ["payload", "work"];

/** Messages that still have their content. */
const MESSAGES = { table: "message", key: "id", columns: COLUMNS, large: LARGE, where: "payload IS NOT NULL" };
const LINES = {
  ...{ table: "journal", key: "position" },
  columns: columns(journal, ["channelId", "chat", "key", "entry", "createdAt"]),
  large: ["entry"],
};

interface Line {
  channelId: string;
  chat: string;
  key: string;
  entry: string;
  createdAt: number;
}

export async function findPeople(engine: Engine, accountId: AccountId, text: string): Promise<FoundPerson[]> {
  const plain = text.trim().toLocaleLowerCase();
  const channels = await engine.read(() => channelsOf(accountId));
  const found = new Map<string, FoundPerson>();
  const note = (at: { channelId: string; chat: string | null; createdAt: number }, more: Partial<FoundPerson>) => {
    const chat = chatOfLane(at.chat ?? "");
    const key = JSON.stringify([at.channelId, chat, more.customer]);
    const before = found.get(key);
    if (before) before.count += 1;
    else if (found.size < MAX_FOUND)
      found.set(key, {
        ...{ channelId: at.channelId as ChannelId, chat },
        ...{ count: 1, lastAt: at.createdAt, ...more },
      });
  };
  await eachRow<Row>(engine, MESSAGES, channels, (row) => {
    if (!says(row.payload ?? "", plain)) return;
    const who = customerOf(row);
    note(row, { customer: who?.id, name: who && nameOf(who), words: beginningOf(row) });
  });
  // Journals and chats outlive the messages' contents.
  await eachRow<Line>(engine, LINES, channels, (line) => {
    if (says(line.entry, plain)) note({ ...line, chat: ownerOf(line) }, {});
  });
  await eachChat(engine, channels, (chat) => {
    if (chat.chat.toLocaleLowerCase().includes(plain)) note(chat, {});
  });
  return oneForEach([...found.values()]);
}

type ChatRow = typeof chats.$inferSelect;
const CHATS = `SELECT ${columns(chats, ["channelId", "gatewayChat", "chat", "createdAt"])} FROM chat
  WHERE channel_id = @channelId AND gateway_chat > @after ORDER BY gateway_chat LIMIT ${WINDOW}`;

async function eachChat(engine: Engine, channelIds: string[], visit: (chat: ChatRow) => void): Promise<void> {
  for (const channelId of channelIds)
    for await (const page of pagesOf<ChatRow>(engine, CHATS, { channelId }, "gatewayChat", "")) page.forEach(visit);
}

const nameOf = ({ nickname, firstName, lastName }: Customer): string =>
  [firstName, lastName].filter(Boolean).join(" ") || nickname;

/** Matches without a customer count for the customer found in the same chat. */
function oneForEach(found: FoundPerson[]): FoundPerson[] {
  const isNamed = (each: FoundPerson) =>
    found.some(({ customer, channelId, chat }) => customer && channelId === each.channelId && chat === each.chat);
  return found.filter((each) => each.customer !== undefined || !isNamed(each));
}

const SIDE_LANES = `SELECT DISTINCT chat FROM message WHERE channel_id = @channelId AND chat > @from AND chat < @to`;

/** What belongs to a person, in one channel. */
export interface Belongings {
  channelId: ChannelId;
  customer?: CustomerId;
  /** Chats with nobody else in them. */
  chats: string[];
  /** The person's messages in other chats. */
  rows: number[];
  /** Further ids, from notes that lead to the chats. Absent in an erasure begun by an earlier version. */
  otherIds?: string[];
  /** Names of the person in raw webhooks. */
  names: string[];
}

/** Undefined when the account has no such chat. */
export async function belongingsOf(
  engine: Engine,
  accountId: AccountId,
  { channelId, chat, customer }: Person,
  notes: NotePrefix[],
): Promise<Belongings | undefined> {
  const channels = await engine.read(() => channelsOf(accountId));
  if (!channels.includes(channelId) || !(await hasChat(engine, channelId, chat))) return undefined;
  const whose = customer ?? (await onlyCustomerIn(engine, channelId, chat));
  const belongings = async (chats: string[], rows: number[]): Promise<Belongings> => {
    const otherIds = await otherIdsOf(engine, channelId, chats, notes);
    const names = [
      ...(whose === undefined ? [] : [whose]),
      ...chats.flatMap((at) => [at, fitGatewayId(at)]),
      ...otherIds,
    ];
    return { channelId, customer: whose, chats, rows, otherIds, names: [...new Set(names)] };
  };
  const withSides = async (chats: string[]) => {
    const sides = chats.map((at) =>
      engine.read(() => all<{ chat: string }>(SIDE_LANES, { channelId, ...sideLanesOf(at) })),
    );
    return [...new Set([...chats, ...(await Promise.all(sides)).flat().map((lane) => lane.chat)])];
  };
  // A whole group: its members are other people, so look only for the group's own id.
  if (whose === undefined) return belongings(await withSides([chat]), []);
  const shared = new Set<string>();
  const rows = new Map<string, number[]>([[chat, []]]);
  const own = (at: string) => {
    const ids = rows.get(at) ?? [];
    rows.set(at, ids);
    return ids;
  };
  const said = new Set<string>();
  const edits: { at: string; id: number; of: string }[] = [];
  await eachRow<Row>(engine, MESSAGES, [channelId], (row) => {
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
  await eachChat(engine, [channelId], ({ chat: each }) => {
    if (isChatOf(each, whose)) own(each);
  });
  const chats = await withSides([...rows.keys()].filter((at) => !shared.has(at)));
  const inShared = [...rows].filter(([at]) => shared.has(at)).flatMap(([, ids]) => ids);
  return belongings(chats, inShared);
}

/** The message that an edit or a reaction is about. */
function changedBy(row: Row): string | undefined {
  const task = row.direction === "inbound" ? contentOf(row)?.task : undefined;
  return task?.direction === "inbound" && task.event.type !== "message" ? task.event.messengerMessageId : undefined;
}

const OF_CHAT = inBytes({
  ...{ table: "message", key: "id", columns: COLUMNS, bytes: bytesOf(...LARGE), limit: WINDOW },
  where: "channel_id = @channelId AND chat = @chat AND id > @after AND payload IS NOT NULL",
});

/** Undefined when several people write in the chat, or its messages no longer say who. */
async function onlyCustomerIn(engine: Engine, channelId: string, chat: string): Promise<CustomerId | undefined> {
  const ids = new Set<CustomerId>();
  for await (const rows of pagesOf<Row>(engine, OF_CHAT, { channelId, chat }, "id")) {
    for (const row of rows) {
      const who = customerOf(row);
      if (who) ids.add(who.id);
    }
    if (ids.size > 1) return undefined;
  }
  return [...ids][0];
}

/** One chat of the customer in each channel that knows them. */
export async function personIn(
  engine: Engine,
  channelIds: string[],
  customer: CustomerId,
): Promise<Map<string, Person>> {
  const found = new Map<string, Person>();
  const note = (channelId: string, chat: string | null) => {
    if (!found.has(channelId))
      found.set(channelId, { channelId: channelId as ChannelId, chat: (chat ?? "") as ChatId, customer });
  };
  const plain = JSON.stringify(customer);
  await eachRow<Row>(engine, MESSAGES, channelIds, (row) => {
    if (row.payload?.includes(plain) && customerOf(row)?.id === customer) note(row.channelId, row.chat);
  });
  await eachChat(engine, channelIds, ({ channelId, chat }) => {
    if (isChatOf(chat, customer)) note(channelId, chat);
  });
  return found;
}

/** Chats whose messages no longer say who wrote them: their id ends with the customer's. */
const isChatOf = (chat: string, customer: string): boolean =>
  chat === customer || (/[/~]/.test(chat.at(-customer.length - 1) ?? "") && chat.endsWith(customer));

const HAS_CHAT = `SELECT 1 FROM message WHERE channel_id = @channelId AND chat = @chat
  UNION ALL SELECT 1 FROM chat WHERE channel_id = @channelId AND chat = @chat
  UNION ALL SELECT 1 FROM journal WHERE channel_id = @channelId AND chat = @chat LIMIT 1`;

const hasChat = async ({ read }: Engine, channelId: string, chat: string): Promise<boolean> =>
  (await read(() => first(HAS_CHAT, { channelId, chat }))) !== undefined;
