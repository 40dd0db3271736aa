import type { ChannelId } from "gangway-messenger/ids";
import * as z from "zod";
import type { Note } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";

// The import of what was written before a channel was connected, kept as a note of the channel. Times in ms.

const stored = z.object({
  /** How many days before the connection it goes back. */
  days: z.number(),
  count: z.number(),
  /** Messages of between these times; absent before the connection. */
  from: z.number().optional(),
  to: z.number().optional(),
  /** Whose: the import ends with another login. */
  login: z.string().optional(),
  /** What asks the messenger for the next page. */
  next: z.string().optional(),
  /** The messenger does not list all that is older. */
  completeFrom: z.number().optional(),
  /** When it ended. */
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
