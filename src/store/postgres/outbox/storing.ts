import { ALBUM_COLUMNS, type Candidate, NEW_COLUMNS, type Plan, planNew } from "../../outbox/accepting.ts";
import { columnOf } from "../../outbox/updates.ts";
import type { Sealer } from "../../secrets.ts";
import type { Session } from "../database/sessions.ts";
import { type Erased, findErased, LIFT } from "./erased.ts";
import { lookAt } from "./looking.ts";
import { records, recordsOf } from "./records.ts";

// New messages are stored in two statements: one reads all that decides on them, the other stores what is new.

/** A part may be stored together with the album that carries it. */
const VALUES = NEW_COLUMNS.map((name) =>
  name === "carrier"
    ? "CASE WHEN carrier < 0 THEN (SELECT new_id FROM added AS album WHERE album.n = -added.carrier) ELSE carrier END"
    : `"${name}"`,
);
/** Ids are in order, since whoever adds to a lane holds its lock. */
const STORE = `WITH added AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('message', 'id')) AS new_id, new.*
    FROM (SELECT * FROM ${recordsOf("rows", NEW_COLUMNS, ["n"])} ORDER BY n) AS new
  ), stored AS (
    INSERT INTO message (id, position, ${NEW_COLUMNS.map(columnOf)}, created_at, updated_at)
    SELECT new_id, new_id, ${VALUES}, CAST(@now AS bigint), CAST(@now AS bigint) FROM added
  ), met AS (
    INSERT INTO chat (channel_id, gateway_chat, chat, created_at)
    SELECT "channelId", words, chat, CAST(@now AS bigint) FROM ${recordsOf("chats", ["channelId", "words", "chat"])} ON CONFLICT DO NOTHING
  ) SELECT new_id AS id FROM added ORDER BY n`;
const CHANGE = `UPDATE message SET ${ALBUM_COLUMNS.map((name) => `${columnOf(name)} = changed."${name}"`)}
  FROM ${recordsOf("changed", ["id", ...ALBUM_COLUMNS])} WHERE message.id = changed.id`;

/** What is new, and what was erased of the candidates. */
export interface ReadPlan extends Plan {
  erased: Erased;
  now: number;
}

/** Reads what decides on the candidates, and plans what is new of them. */
export async function readNew(
  session: Session,
  sealer: Sealer,
  candidates: Candidate[],
  now: number,
  mayLeave: (candidate: number) => boolean = () => false,
): Promise<ReadPlan> {
  const { looks, albums } = await lookAt(session, candidates, now);
  const erased = await findErased(session, sealer, candidates, looks);
  const plan = planNew({ candidates, looks, albums, erased: erased.candidates, now, mayLeave });
  return { ...plan, erased, now };
}

/** The statement that stores the plan; it gives the ids. */
export function storeOf(
  session: Session,
  { fresh, chats, changes, erased, now }: ReadPlan,
): [string, Record<string, unknown>] {
  if (changes.length > 0) session.sent(CHANGE, { changed: records(changes) });
  const lifted = erased.liftedBy(fresh.map(({ of }) => of));
  if (lifted.length > 0) session.sent(LIFT, { hashes: JSON.stringify(lifted) });
  const rows = fresh.map(({ row: { content: _, now: __, ...row } }) => row);
  return [
    STORE,
    { rows: records(rows), chats: records(chats.map(({ gatewayChat: words, ...met }) => ({ ...met, words }))), now },
  ];
}
