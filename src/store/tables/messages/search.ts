import type { ChannelId } from "gangway-messenger/ids";
import { chatOfLane } from "../../../domain/delivery.ts";
import type { AccountId, JobId } from "../../../domain/ids.ts";
import type { FoundMessage, Looking, MessageState, Search } from "../../messages.ts";
import { channelsOf, says } from "../care/sealed.ts";
import { bytesOf, cutAt, eachWindow, inBytes, type Sized } from "../care/windows.ts";
import { all, columns, type Engine, first, listed, type Verb } from "../engine.ts";
import { type MessageRow, messages } from "../schema.ts";
import { beginningOf, customerOf } from "./messages.ts";

// Searches messages. There is no full-text index: the newest rows are read first, a few columns of each.

const MAX_FOUND = 50;
/** Distinct errors a search remembers. */
const MAX_ERRORS = 1_000;
/** Rows read at once: a few milliseconds. */
const WINDOW = 1_000;

const SEARCHED = [
  ...["id", "channelId", "chat", "direction", "payload", "error", "ackError", "createdAt"],
  ...["gatewayMessageId", "messengerMessageId", "firstId"],
] as const;
type Searched = Pick<MessageRow, (typeof SEARCHED)[number]>;
const MESSAGES = {
  ...{ table: "message", key: "id", columns: columns(messages, SEARCHED), where: "kind = 'message'" },
  large: ["payload", "error", "ack_error"],
};

interface Limits {
  /** Absent: all accounts. */
  channels?: string[];
  rows?: number;
  before?: JobId;
}

export async function findIn(engine: Engine, accountId: string, text: string, shown: (error: string) => string) {
  const channels = await engine.read(() => channelsOf(accountId));
  const { ids } = await newest(engine, matching(text.trim(), shown), { channels });
  return load(engine, [...ids]);
}

/** Skips the text search when the CRM's or messenger's id matches. */
export async function findAnywhere(engine: Engine, text: string, looking: Looking): Promise<Search> {
  const { withContents, ...limits } = looking;
  const id = text.trim();
  const named = limits.before === undefined ? await idsOf(engine, id) : [];
  // A number may be a message's own and also occur in texts.
  if (named.some((each) => String(each) !== id)) return { found: await load(engine, named) };
  const { ids, reached } = await newest(
    engine,
    matching(id, (error) => error, withContents),
    limits,
  );
  return { found: await load(engine, [...new Set([...named, ...ids])]), reached };
}

/** One lookup per channel, since the indexes of ids begin with the channel. */
const ofChannel = (select: string) => `SELECT (${select} WHERE channel_id = channel.id AND`;
const NAMED = `SELECT id FROM (
    SELECT id FROM message WHERE id = @number
    UNION ${ofChannel("SELECT id FROM message")} gateway_message_id = @id) FROM channel
    UNION ${ofChannel("SELECT id FROM message")} messenger_message_id = @id) FROM channel
    UNION ${ofChannel("SELECT max(id) FROM message")} first_id IS NOT NULL AND first_id = @id) FROM channel
    UNION ${ofChannel("SELECT message_id FROM part")} messenger_message_id = @id) FROM channel
  ) AS named WHERE id IS NOT NULL ORDER BY id DESC LIMIT ${MAX_FOUND}`;

async function idsOf({ read }: Engine, id: string): Promise<number[]> {
  const number = /^\d{1,15}$/.test(id) ? Number(id) : 0;
  return (await read(() => all<{ id: number }>(NAMED, { id, number }))).map((row) => row.id);
}

/** Ids must match as a whole; texts, names and errors (stored or shown) by a part. */
function matching(text: string, shown: (error: string) => string, withContents = true) {
  const plain = text.toLocaleLowerCase();
  const has = (value: string) => value.toLocaleLowerCase().includes(plain);
  const matches = new Map<string, boolean>();
  const fails = (error: string | null) => {
    if (error === null) return false;
    const known = matches.get(error);
    if (known !== undefined) return known;
    const isMatch = has(error) || has(shown(error));
    if (matches.size < MAX_ERRORS) matches.set(error, isMatch);
    return isMatch;
  };
  return {
    isMatch: (row: Searched) =>
      [row.gatewayMessageId, row.messengerMessageId, row.firstId].includes(text) ||
      (withContents && (chatOfLane(row.chat ?? "") === text || says(row.payload ?? "", plain))) ||
      fails(row.error) ||
      fails(row.ackError),
    isFrom: (row: Searched) => withContents && has(customerOf({ ...row, work: null })?.nickname ?? ""),
  };
}

/** The newest matches. Outbound messages do not name the customer: a matching customer brings the chat's. */
async function newest(
  engine: Engine,
  { isMatch, isFrom }: ReturnType<typeof matching>,
  { channels, rows = Number.POSITIVE_INFINITY, before }: Limits,
): Promise<{ ids: Set<number>; reached?: Search["reached"] }> {
  const ids = new Set<number>();
  const chats = new Map<string, Searched>();
  let read = 0;
  let last: Searched | undefined;
  const isOver = () => ids.size >= MAX_FOUND || read >= rows;
  await eachWindow<Searched>(engine, MESSAGES, { channelIds: channels, rows: WINDOW, before }, async (window) => {
    const fresh: Searched[] = [];
    for (const row of window) {
      read += 1;
      last = row;
      if (isMatch(row)) {
        ids.add(row.id);
        const key = JSON.stringify([row.channelId, row.chat]);
        if (!chats.has(key) && isFrom(row)) {
          chats.set(key, row);
          fresh.push(row);
        }
      }
      if (isOver()) break;
    }
    if (fresh.length > 0 && ids.size < MAX_FOUND)
      for (const { id } of await engine.read(() => answersIn(fresh))) if (ids.size < MAX_FOUND) ids.add(id);
    return !isOver();
  });
  if (!last) return { ids };
  const { id, createdAt } = last;
  const isLast = (await engine.read(() => first(OLDER, { id }))) === undefined;
  return { ids, reached: { rows: read, since: createdAt, ...(!isLast && { next: id as JobId }) } };
}

const OLDER = "SELECT id FROM message WHERE id < @id AND kind = 'message' ORDER BY id DESC LIMIT 1";

function answersIn(chats: Searched[]): Verb<{ id: number }[]> {
  const values = Object.assign(
    {},
    ...chats.map(({ channelId, chat }, n) => ({ [`channel${n}`]: channelId, [`chat${n}`]: chat })),
  );
  const pairs = chats.map((_, n) => `(@channel${n}, @chat${n})`);
  const text = `SELECT id FROM message WHERE (channel_id, chat) IN (VALUES ${pairs}) AND direction = 'outbound' AND kind = 'message'
    ORDER BY id DESC LIMIT ${MAX_FOUND}`;
  return all<{ id: number }>(text, values);
}

// Found messages with all that a list or a story shows.

const NAMES = [
  ...["id", "accountId", "channelId", "chat", "direction", "kind", "state", "payload", "work", "createdAt"],
  ...["gatewayMessageId", "messengerMessageId", "firstId", "carrier", "error", "ackError", "errorCode", "ack"],
  ...["updatedAt", "attempts", "runAt", "tries", "endedAt", "lateAt", "discardedAt", "ackAt", "ackTries"],
] as const;
export type FoundRow = Pick<MessageRow, (typeof NAMES)[number]> & {
  /** The payload of the customer's newest message in the chat. */
  said: string | null;
  /** State of the album it is a part of. */
  whole: MessageState | null;
};
const said = (what: string) =>
  `(SELECT ${what} FROM message AS said WHERE said.channel_id = message.channel_id AND said.chat = message.chat
      AND said.direction = 'inbound' AND said.kind = 'message' AND said.payload IS NOT NULL ORDER BY said.id DESC LIMIT 1)`;
const OF_FOUND = `${columns(messages, NAMES)}, ${said("said.payload")} AS said,
    (SELECT whole.state FROM message AS whole WHERE whole.id = message.carrier) AS whole`;
export const FOUND = `SELECT ${OF_FOUND} FROM message`;
const FOUND_BYTES = `${bytesOf("payload", "work")} + coalesce(${said("octet_length(said.payload)")}, 0)`;

/** Loads messages newest first, in one statement unless they are large. */
export async function load({ read }: Engine, ids: number[]): Promise<FoundMessage[]> {
  if (ids.length === 0) return [];
  const { list, values } = listed(ids);
  const text = inBytes({
    ...{ table: "message", key: "id", columns: OF_FOUND, where: `id IN (${list}) AND id < @before` },
    ...{ bytes: FOUND_BYTES, limit: ids.length, order: "DESC" },
  });
  const found: FoundMessage[] = [];
  let before: number | undefined = Number.MAX_SAFE_INTEGER;
  while (before !== undefined) {
    const at = { ...values, before };
    const rows: (FoundRow & Sized)[] = await read(() => all<FoundRow & Sized>(text, at));
    found.push(...rows.map(toFound));
    before = cutAt(rows)?.windowKey;
  }
  return found;
}

/** A part of an album has the album's state. */
export const toFound = (row: FoundRow): FoundMessage => ({
  id: row.id as JobId,
  accountId: row.accountId as AccountId,
  channelId: row.channelId as ChannelId,
  chat: row.chat === null ? undefined : chatOfLane(row.chat),
  customer:
    row.said === null ? undefined : customerOf({ direction: "inbound", payload: row.said, work: null })?.nickname,
  direction: row.direction,
  state: row.state === "carried" ? (row.whole ?? "done") : row.state,
  words: beginningOf(row),
  at: row.createdAt,
});
