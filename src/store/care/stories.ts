import type { AccountId, ChannelId, ChatId, JobId } from "../../domain/ids.ts";
import type { Act } from "../audit.ts";
import type { Database } from "../sqlite/database/db.ts";
import { beginningOf, contentOf, nicknameIn, replyUntilIn } from "../sqlite/tables/lanes.ts";
import type { FoundMessage, Standing, Stories, Story } from "../stories.ts";
import type { MessageRow } from "../tables/schema.ts";
import { followed } from "./followed.ts";
import { channelsOf, eachRow, says } from "./people.ts";

const MAX_FOUND = 50;
/** Later events of a chat that are looked through. */
const MAX_LATER = 2_000;
const MAX_ACTS = 20;
/** Different errors that a search remembers. */
const MAX_ERRORS = 1_000;

const COLUMNS = `id, channel_id AS channelId, chat, direction, kind,
  state, payload, work, created_at AS createdAt, updated_at AS updatedAt,
  gateway_message_id AS gatewayMessageId, messenger_message_id AS messengerMessageId,
  first_id AS firstId, carrier, error, ack_error AS ackError, error_code AS errorCode,
  ack, ack_at AS ackAt, ack_tries AS ackTries, attempts, run_at AS runAt, tries,
  ended_at AS endedAt, late_at AS lateAt`;
type Row = Pick<
  MessageRow,
  | ("id" | "channelId" | "chat" | "direction" | "kind" | "state" | "payload" | "work" | "createdAt" | "updatedAt")
  | ("gatewayMessageId" | "messengerMessageId" | "firstId" | "carrier" | "error" | "ackError" | "errorCode" | "ack")
  | ("attempts" | "runAt" | "tries" | "endedAt" | "lateAt" | "ackAt" | "ackTries")
>;
const MESSAGES = { table: "message", key: "id", columns: COLUMNS, where: "kind = 'message'" };

export function storyStore(db: Database): Stories {
  return {
    async find(accountId, text, shown = (error) => error) {
      const isMatch = matching(db, text.trim(), shown);
      const found: Row[] = [];
      await eachRow<Row>(db, MESSAGES, channelsOf(db, accountId as AccountId), (row) => {
        if (isMatch(row)) found.push(row);
        return found.length < MAX_FOUND;
      });
      return found.map((row) => toFound(db, row));
    },
    async of(accountId, id) {
      const row = rowOf(db, accountId, id);
      const whole = row?.carrier ? rowOf(db, accountId, row.carrier) : row;
      return whole && toStory(db, accountId, whole);
    },
    ...followed(db),
  };
}

/** Ids as a whole; words, names and errors, as stored or as shown, by a part. */
function matching(db: Database, text: string, shown: (error: string) => string): (row: Row) => boolean {
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
  // An agent's message does not say whom it is for.
  const chats = new Map<string, boolean>();
  const isFor = ({ direction, channelId, chat }: Row) => {
    if (direction === "inbound") return false;
    const key = JSON.stringify([channelId, chat]);
    const known = chats.get(key) ?? has(nicknameIn(db, channelId, chat) ?? "");
    chats.set(key, known);
    return known;
  };
  return (row) =>
    [row.gatewayMessageId, row.messengerMessageId, row.firstId, row.chat].includes(text) ||
    says(row.payload ?? "", plain) ||
    fails(row.error) ||
    fails(row.ackError) ||
    isFor(row);
}

const rowOf = ({ sqlite }: Database, accountId: string, id: number) =>
  sqlite
    .prepare<[number, string], Row>(`SELECT ${COLUMNS} FROM message WHERE id = ? AND account_id = ?`)
    .get(id, accountId);

/** A part of an album stands where the album does. */
function toFound(db: Database, row: Row): FoundMessage {
  return {
    id: row.id as JobId,
    channelId: row.channelId as ChannelId,
    chat: (row.chat ?? undefined) as ChatId | undefined,
    customer: nicknameIn(db, row.channelId, row.chat),
    direction: row.direction,
    state: standingOf(db, row),
    words: beginningOf(row),
    at: row.createdAt,
  };
}

function standingOf({ sqlite }: Database, { state, carrier }: Pick<Row, "state" | "carrier">): Standing {
  if (state !== "carried") return state;
  const whole = sqlite
    .prepare<[number | null], Standing>("SELECT state FROM message WHERE id = ?")
    .pluck()
    .get(carrier);
  return whole ?? "done";
}

const LIVE: Standing[] = ["ready", "sending", "waiting"];

function toStory(db: Database, accountId: string, row: Row): Story {
  const found = toFound(db, row);
  const isLive = LIVE.includes(found.state);
  const parts = db.sqlite
    .prepare<[number], number>("SELECT count(*) FROM part WHERE message_id = ?")
    .pluck()
    .get(row.id);
  return {
    ...found,
    gatewayMessageId: row.gatewayMessageId ?? undefined,
    messengerMessageId: row.messengerMessageId ?? undefined,
    parts: (parts ?? 0) + 1,
    attempts: row.attempts,
    tries: triesIn(row.tries),
    ...(isLive ? { nextAt: row.runAt } : { endedAt: row.endedAt ?? row.updatedAt }),
    lateAt: row.lateAt ?? undefined,
    replyUntil: replyUntilIn(db, row.channelId, row.chat),
    code: row.errorCode ?? undefined,
    error: row.error ?? undefined,
    ack: ackOf(row),
    later: laterOf(db, row),
    acts: actsOn(db, accountId, row.id),
  };
}

function ackOf({ ack: state, ackError, ackAt, ackTries }: Row): Story["ack"] {
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

/** What names it, in its chat: an index covers that. A read mark may name a later message. */
function laterOf({ sqlite }: Database, row: Row): Story["later"] {
  const { id, channelId, chat, direction } = row;
  const ids = new Set(
    sqlite
      .prepare<[number], string>("SELECT messenger_message_id FROM part WHERE message_id = ?")
      .pluck()
      .all(id)
      .concat(row.messengerMessageId ?? [], row.firstId ?? []),
  );
  const coversIt = isReadBy(sqlite, row);
  const events = sqlite
    .prepare<[string, string | null, number], Row>(
      `SELECT ${COLUMNS} FROM message WHERE channel_id = ? AND chat = ? AND kind <> 'message' AND id > ?
        ORDER BY id LIMIT ${MAX_LATER}`,
    )
    .all(channelId, chat, id);
  const later: Story["later"] = [];
  for (const event of events) {
    const named = namedIn(event);
    if (named === undefined || event.kind === "note" || event.kind === "unchanged") continue;
    const isUntil =
      event.kind === "read-until" && row.state === "done" && (row.endedAt ?? row.createdAt) <= event.createdAt;
    const kind = event.kind === "read-until" ? "read" : (event.kind ?? "");
    const isFirstRead = kind === "read" && !later.some((each) => each.kind === "read");
    const isRead = isUntil || coversIt(named);
    const isAbout = ids.has(named) || (isFirstRead && event.direction !== direction && isRead);
    if (!isAbout || (kind === "read" && !isFirstRead)) continue;
    const { direction: way, createdAt: at } = event;
    later.push({ at, kind, direction: way, state: event.state as Standing });
  }
  return later;
}

/** Whether a read mark on another message covers this one: on a later one of the same side. */
function isReadBy(sqlite: Database["sqlite"], { id, channelId, direction }: Row) {
  const other = sqlite
    .prepare<[string, string, string], number>(
      "SELECT id FROM message WHERE channel_id = ? AND messenger_message_id = ? AND direction = ?",
    )
    .pluck();
  return (named: string) => (other.get(channelId, named, direction) ?? 0) >= id;
}

function namedIn(row: Row): string | undefined {
  const task = contentOf(row)?.task;
  if (!task || task.direction === "ack") return undefined;
  const subject = task.direction === "inbound" ? task.event : task.act;
  return "messengerMessageId" in subject ? subject.messengerMessageId : undefined;
}

const actsOn = ({ sqlite }: Database, accountId: string, id: number): Story["acts"] =>
  sqlite
    .prepare<[string, number], { at: number; actor: Act["actor"]; action: string }>(
      `SELECT at, actor, action FROM audit WHERE account_id = ? AND detail ->> '$.job' = ? ORDER BY id LIMIT ${MAX_ACTS}`,
    )
    .all(accountId, id);
