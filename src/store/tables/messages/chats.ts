import { all, first, type Verb } from "../engine.ts";
import type { MessageRow } from "../schema.ts";
import { customerOf } from "./contents.ts";

// What the messages of a chat say about it.

type Row = Pick<MessageRow, "direction" | "payload" | "work">;

const FROM_CUSTOMER = `SELECT id, direction, payload, work FROM message WHERE channel_id = @channelId AND chat = @chat
  AND direction = 'inbound' AND kind = 'message' AND payload IS NOT NULL`;
const NEWEST = `${FROM_CUSTOMER} ORDER BY id DESC LIMIT 1`;
/** Messages read at once: the first is mostly the customer's own. */
const PAGE = 5;
const BEFORE = `${FROM_CUSTOMER} AND id < @before ORDER BY id DESC LIMIT ${PAGE}`;

/** The customer's name: of the chat's newest message from them that is still kept. */
export function* nicknameIn(channelId: string, chat: string | null): Verb<string | undefined> {
  const newest = chat === null ? undefined : yield* first<Row>(NEWEST, { channelId, chat });
  return newest && customerOf(newest)?.nickname;
}

/** Until when an agent may answer in a chat, ms: as the customer's newest message says, not one of staff in the messenger. */
export function* replyUntilIn(channelId: string, chat: string | null): Verb<number | undefined> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let more = chat !== null; more; ) {
    const rows = yield* all<Row & { id: number }>(BEFORE, { channelId, chat, before });
    for (const { id, payload } of rows) {
      const { originator, replyUntil } = plainOf(payload);
      if (originator === "customer") return replyUntil;
      before = id;
    }
    more = rows.length === PAGE;
  }
  return undefined;
}

function plainOf(payload: string | null): { originator?: unknown; replyUntil?: number } {
  try {
    return JSON.parse(payload ?? "{}");
  } catch {
    return {};
  }
}
