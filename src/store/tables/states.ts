import { sql } from "drizzle-orm";
import { type MessageRow, messages } from "./schema.ts";

// Conditions exactly as in the partial indexes: with bound values SQLite would scan the table instead.

export const LIVE = sql`${messages.state} IN ('ready','sending','waiting')`;
export const ENDED = sql`(${messages.state} IN ('held','dead') OR ${messages.ack} = 'refused')`;

export const isOwed = (ack: MessageRow["ack"] | undefined) => ack === "due" || ack === "sending";
