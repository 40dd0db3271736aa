import { MAX_TRIES } from "../../tables/messages/contents.ts";
import type { Database } from "../database/db.ts";

// A lane is a chat in one direction: its live messages go one at a time, in order of `position`. Whatever sets `head` to 0
// ends the lane's head; a trigger of the table makes the next message the head.

/** For statements that give work to the holder of the account's lease. */
export const HOLDS_LEASE = "EXISTS (SELECT 1 FROM account_lease WHERE account_id = @account AND fence = @fence)";

/** SQL of a column of tries with room for one more. */
export const keptTries = (column: string): string =>
  `iif(json_array_length(${column}) >= ${MAX_TRIES}, json_remove(${column}, '$[1]'), coalesce(${column}, '[]'))`;

/** The next position, from the sequence of ids. */
export const nextPosition = ({ sqlite }: Pick<Database, "sqlite">): number =>
  sqlite
    .prepare("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'message' RETURNING seq")
    .pluck()
    .get() as number;
