import { setImmediate } from "node:timers/promises";
import type { ChannelId } from "gangway-messenger/ids";
import { chatOfLane, SIDE_LANE } from "../../../domain/delivery.ts";
import type { JobId } from "../../../domain/ids.ts";
import { countsAsMessage } from "../../../domain/message.ts";
import type { Act } from "../../care.ts";
import type { ChannelName, MessageState, Stories, Story } from "../../messages.ts";
import { bytesOf, cutAt, inBytes, type Sized } from "../care/windows.ts";
import { all, columns, type Engine, first, isLive, listed, type Verb } from "../engine.ts";
import { type MessageRow, messages } from "../schema.ts";
import { contentOf, replyUntilIn, textOf } from "./messages.ts";
import { FOUND, type FoundRow, findAnywhere, findIn, load, toFound } from "./search.ts";

/** Rows read at once: a few milliseconds. */
const WINDOW = 2_000;

const RECENT = `SELECT id, created_at AS at,
    CASE WHEN channel_id = @channelId AND account_id = @accountId AND direction = 'inbound' AND kind = 'message' AND chat NOT LIKE @side
      THEN 1 ELSE 0 END AS fits
  FROM message WHERE id < @before ORDER BY id DESC LIMIT ${WINDOW}`;
const LAST = `SELECT id FROM message WHERE channel_id = @id AND chat = @chat AND account_id = @accountId
  AND direction = 'inbound' AND kind = 'message' ORDER BY id DESC LIMIT 1`;
const ANSWER = `SELECT answer.id FROM message AS asked JOIN message AS answer
  ON answer.channel_id = asked.channel_id AND answer.chat = asked.chat AND answer.id > asked.id
  AND answer.direction = 'outbound' AND answer.kind = 'message'
  WHERE asked.id = @id AND asked.account_id = @accountId ORDER BY answer.id LIMIT 1`;

interface Recent {
  id: number;
  at: number;
  fits: number;
}

/** Lookups for live tests, which wait for a message and its answer. */
function followed({ read }: Engine): Pick<Stories, "firstSince" | "lastIn" | "answerTo"> {
  const idOf = async (query: string, values: Record<string, unknown>) =>
    (await read(() => first<{ id: JobId }>(query, values)))?.id;
  return {
    async firstSince({ id: channelId, accountId }, since) {
      let found: number | undefined;
      for (let before = Number.MAX_SAFE_INTEGER; ; await setImmediate()) {
        const rows = await read(() => all<Recent>(RECENT, { channelId, accountId, before, side: SIDE_LANE }));
        for (const { id, at, fits } of rows) {
          // Ids follow time.
          if (at < since) return found as JobId | undefined;
          if (fits) found = id;
          before = id;
        }
        if (rows.length < WINDOW) return found as JobId | undefined;
      }
    },
    lastIn: ({ id, accountId }, chat) => idOf(LAST, { id, accountId, chat }),
    answerTo: (accountId, id) => idOf(ANSWER, { accountId, id }),
  };
}

/** Later events of a chat to search, in at most a window's bytes. */
const MAX_LATER = 2_000;
const MAX_ACTS = 20;
const EVENT = ["direction", "kind", "state", "payload", "work", "createdAt", "error"] as const;
type EventRow = Pick<MessageRow, (typeof EVENT)[number]>;

export function storyStore(engine: Engine): Stories {
  const { read } = engine;
  return {
    findAnywhere: (text, limits = {}) => findAnywhere(engine, text, limits),
    find: (accountId, text, shown = (error) => error) => findIn(engine, accountId, text, shown),
    some: (ids) => load(engine, ids),
    namesOf: (ids) => (ids.length === 0 ? Promise.resolve([]) : read(() => namesIn(ids))),
    of: (accountId, id) => read(() => storyOf(id, (row) => row.accountId === accountId)),
    ofAny: (id) => read(() => storyOf(id, () => true)),
    ...followed(engine),
  };
}

function* storyOf(id: number, mayRead: (row: FoundRow) => boolean): Verb<Story | undefined> {
  const row = yield* first<FoundRow>(BY_ID, { id });
  if (!row || !mayRead(row)) return undefined;
  const whole = row.carrier === null ? row : yield* first<FoundRow>(BY_ID, { id: row.carrier });
  return whole && (yield* toStory(whole));
}
const BY_ID = `${FOUND} WHERE id = @id`;

function namesIn(ids: ChannelId[]): Verb<ChannelName[]> {
  const { list, values } = listed(ids);
  const text = `SELECT channel.id AS "channelId", channel.name, account.crm_url AS "crmUrl"
    FROM channel JOIN account ON account.id = channel.account_id
    WHERE channel.id IN (${list})`;
  return all<ChannelName>(text, values);
}

function* toStory(row: FoundRow): Verb<Story> {
  const found = toFound(row);
  const parts = yield* all<{ name: string }>(PARTS, { id: row.id });
  return {
    ...found,
    words: textOf(row),
    ...(row.payload === null && { isEmptied: true as const }),
    isMessage: countsAsMessage(row.kind),
    gatewayMessageId: row.gatewayMessageId ?? undefined,
    messengerMessageId: row.messengerMessageId ?? undefined,
    parts: parts.length + 1,
    attempts: row.attempts,
    tries: triesIn(row.tries),
    ...(isLive(found.state) ? { nextAt: row.runAt } : { endedAt: row.endedAt ?? row.updatedAt }),
    lateAt: row.lateAt ?? undefined,
    replyUntil: yield* replyUntilIn(row.channelId, row.chat),
    code: row.errorCode ?? undefined,
    error: row.error ?? undefined,
    ...(row.discardedAt !== null && { isRestorable: true as const }),
    ack: ackOf(row),
    ...(yield* laterOf(
      row,
      parts.map(({ name }) => name),
    )),
    acts: yield* actsOn(row.accountId, row.id),
  };
}

function ackOf({ ack: state, ackError, ackAt, ackTries }: FoundRow): Story["ack"] {
  if (state === null) return undefined;
  const isOver = state === "given" || state === "refused";
  return {
    state,
    error: ackError ?? undefined,
    at: isOver ? (ackAt ?? undefined) : undefined,
    tries: triesIn(ackTries),
  };
}

const triesIn = (tries: string | null): Story["tries"] =>
  (JSON.parse(tries ?? "[]") as [number, string][]).map(([at, error]) => ({ at, error }));

const PARTS = "SELECT messenger_message_id AS name FROM part WHERE message_id = @id";
const LATER = "channel_id = @channelId AND chat = @chat AND kind <> 'message' AND id > @id";
const MORE = `SELECT 1 FROM message WHERE ${LATER} LIMIT 1`;
const AFTER = inBytes({
  ...{ table: "message", key: "id", columns: columns(messages, EVENT), bytes: bytesOf("payload", "work", "error") },
  ...{ where: LATER, limit: MAX_LATER },
});
/** A later message of the same side. */
const NAMED = `SELECT id FROM message
  WHERE channel_id = @channelId AND messenger_message_id = @named AND direction = @direction AND id >= @id`;

/** Later events in the chat that name the message or a part of it, by index. A read mark may name a later message. */
function* laterOf(row: FoundRow, parts: string[]): Verb<Pick<Story, "later" | "laterUntil">> {
  const { id, channelId, direction } = row;
  const chat = chatOfLane(row.chat ?? "");
  const ids = new Set([...parts, row.messengerMessageId, row.firstId]);
  const later: Story["later"] = [];
  const events = yield* all<EventRow & Sized>(AFTER, { channelId, chat, id });
  for (const event of events) {
    const named = namedIn(event);
    if (named === undefined || event.kind === "note" || event.kind === "unchanged") continue;
    const isUntil =
      event.kind === "read-until" && row.state === "done" && (row.endedAt ?? row.createdAt) <= event.createdAt;
    const kind = event.kind === "read-until" ? "read" : (event.kind ?? "");
    const isFirstRead = kind === "read" && !later.some((each) => each.kind === "read");
    const covers = isFirstRead && event.direction !== direction;
    const isRead = covers && (isUntil || (yield* first(NAMED, { channelId, named, direction, id })) !== undefined);
    const isAbout = ids.has(named) || isRead;
    if (!isAbout || (kind === "read" && !isFirstRead)) continue;
    const { direction: way, createdAt: at, error } = event;
    later.push({ at, kind, direction: way, state: event.state as MessageState, error: error ?? undefined });
  }
  const last = events.length >= MAX_LATER ? events.at(-1) : cutAt(events);
  const isCut = last && (yield* first(MORE, { channelId, chat, id: last.windowKey })) !== undefined;
  return { later, laterUntil: isCut ? last.createdAt : undefined };
}

function namedIn(row: EventRow): string | undefined {
  const task = contentOf(row)?.task;
  if (!task || task.direction === "ack") return undefined;
  const subject = task.direction === "inbound" ? task.event : task.act;
  return "messengerMessageId" in subject ? subject.messengerMessageId : undefined;
}

interface ActRow {
  at: number;
  actor: Act["actor"];
  action: string;
  detail: string;
}
/** Audit entries that may name the message by its number. */
const ACTS = `SELECT at, actor, action, detail FROM audit
  WHERE account_id = @accountId AND detail LIKE '%"job":' || @name || '%' ORDER BY id`;

function* actsOn(accountId: string, id: number): Verb<Story["acts"]> {
  const rows = yield* all<ActRow>(ACTS, { accountId, name: String(id) });
  const own = rows.filter(({ detail }) => JSON.parse(detail).job === id).slice(0, MAX_ACTS);
  return own.map(({ at, actor, action }) => ({ at, actor, action }));
}
