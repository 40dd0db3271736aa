import type { ChannelId } from "gangway-messenger/ids";
import * as z from "zod";
import type { Note } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";

// State of an import of messages from before the channel's connection, stored as a note of the channel. Times in ms.

const stored = z.object({
  /** How many days before the connection the import covers. */
  days: z.number(),
  count: z.number(),
  /** The imported period; absent before the connection. */
  from: z.number().optional(),
  to: z.number().optional(),
  /** The login whose messages are imported; another login ends the import. */
  login: z.string().optional(),
  /** Cursor of the next page. */
  next: z.string().optional(),
  /** The messenger's list is incomplete before this time. */
  completeFrom: z.number().optional(),
  /** When the import ended. */
  ended: z.number().optional(),
});
export type Past = z.infer<typeof stored>;
export type Begun = Past & { from: number; to: number };

export const isBegun = (past: Past): past is Begun => past.from !== undefined && past.to !== undefined;

const NOTE = "past";

export async function readPast(notes: Pick<Store["notes"], "get">, id: ChannelId): Promise<Past | undefined> {
  const value = await notes.get(id, NOTE);
  return value === undefined ? undefined : stored.safeParse(JSON.parse(value)).data;
}

export const pastNote = (past: Past): Note => ({ key: NOTE, value: JSON.stringify(past) });
