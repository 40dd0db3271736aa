import { sql } from "drizzle-orm";
import { type MessageRow, messages } from "./schema.ts";

// Conditions exactly as in the partial indexes: with bound values SQLite would scan the table instead.

export const LIVE = sql`${messages.state} IN ('ready','sending','waiting')`;
export const ENDED = sql`(${messages.state} IN ('held','dead') OR ${messages.ack} = 'refused')`;

/** SQL of the live messages of a lane. `value`: SQL of a value that names it. */
export const liveInLane = (value: (name: "channelId" | "direction" | "chat") => string): string =>
  `SELECT 1 FROM message WHERE channel_id = ${value("channelId")} AND direction = ${value("direction")}
    AND chat = ${value("chat")} AND state IN ('ready','sending','waiting')`;

export const isOwed = (ack: MessageRow["ack"] | undefined) => ack === "due" || ack === "sending";
