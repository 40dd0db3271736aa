import { setImmediate } from "node:timers/promises";
import type { JobId } from "../../domain/ids.ts";
import type { Stories } from "../stories.ts";
import { all, type Engine, first } from "./engine.ts";

/** Rows read at once: a few milliseconds. */
const WINDOW = 2_000;

const RECENT = `SELECT id, created_at AS at,
    CASE WHEN channel_id = @channelId AND account_id = @accountId AND direction = 'inbound' AND kind = 'message'
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

/** A message and its answer, for who waits for them. */
export function followed({ read }: Engine): Pick<Stories, "firstSince" | "lastIn" | "answerTo"> {
  const idOf = async (query: string, values: Record<string, unknown>) =>
    (await read(() => first<{ id: JobId }>(query, values)))?.id;
  return {
    async firstSince({ id: channelId, accountId }, since) {
      let found: number | undefined;
      for (let before = Number.MAX_SAFE_INTEGER; ; await setImmediate()) {
        const rows = await read(() => all<Recent>(RECENT, { channelId, accountId, before }));
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
