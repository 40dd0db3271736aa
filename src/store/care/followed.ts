import { setImmediate } from "node:timers/promises";
import type { JobId } from "../../domain/ids.ts";
import type { Database } from "../sqlite/database/db.ts";
import type { Stories } from "../stories.ts";

/** Rows read at once: a few milliseconds. */
const WINDOW = 2_000;

const RECENT = `SELECT id, created_at AS createdAt,
    channel_id = @id AND account_id = @accountId AND direction = 'inbound' AND kind = 'message' AS fits
  FROM message WHERE id < @before ORDER BY id DESC LIMIT ${WINDOW}`;
const LAST = `SELECT id FROM message WHERE channel_id = @id AND chat = @chat AND account_id = @accountId
  AND direction = 'inbound' AND kind = 'message' ORDER BY id DESC LIMIT 1`;
const ANSWER = `SELECT answer.id FROM message AS asked JOIN message AS answer
  ON answer.channel_id = asked.channel_id AND answer.chat = asked.chat AND answer.id > asked.id
  AND answer.direction = 'outbound' AND answer.kind = 'message'
  WHERE asked.id = @id AND asked.account_id = @accountId ORDER BY answer.id LIMIT 1`;

interface Recent {
  id: number;
  createdAt: number;
  fits: number;
}

/** A message and its answer, for who waits for them. */
export function followed({ sqlite }: Database): Pick<Stories, "firstSince" | "lastIn" | "answerTo"> {
  const idOf = (query: string, values: object) => sqlite.prepare<[object], JobId>(query).pluck().get(values);
  return {
    async firstSince({ id: channelId, accountId }, since) {
      const recent = sqlite.prepare<[object], Recent>(RECENT);
      let found: number | undefined;
      for (let before = Number.MAX_SAFE_INTEGER; ; await setImmediate()) {
        const rows = recent.all({ id: channelId, accountId, before });
        for (const { id, createdAt, fits } of rows) {
          // Ids follow time.
          if (createdAt < since) return found as JobId | undefined;
          if (fits) found = id;
          before = id;
        }
        if (rows.length < WINDOW) return found as JobId | undefined;
      }
    },
    lastIn: async ({ id, accountId }, chat) => idOf(LAST, { id, accountId, chat }),
    answerTo: async (accountId, id) => idOf(ANSWER, { accountId, id }),
  };
}
