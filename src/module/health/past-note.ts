import type { ChannelId } from "gangway-messenger/ids";
import * as z from "zod";
import type { Note } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";

// The import of what was written before a channel was connected, kept as a note of the channel. Times in ms.

const stored = z.object({
  /** Messages of between these times. */
  from: z.number(),
  to: z.number(),
  /** Whose: the import ends with another login. */
  login: z.string().optional(),
  /** What asks the messenger for the next page. */
  next: z.string().optional(),
  count: z.number(),
  /** The messenger does not list all that is older. */
  completeFrom: z.number().optional(),
  /** When it ended. */
  ended: z.number().optional(),
});
export type Past = z.infer<typeof stored>;

const NOTE = "past";
const DAY_MS = 86_400_000;

/** An empty note is none. */
export async function readPast(notes: Pick<Store["notes"], "get">, id: ChannelId): Promise<Past | undefined> {
  const value = await notes.get(id, NOTE);
  return value ? stored.safeParse(JSON.parse(value)).data : undefined;
}

export const pastNote = (past: Past): Note => ({ key: NOTE, value: JSON.stringify(past) });

/** For a channel that is being connected: what is written from now on comes by itself. */
export const newPast = (days: number, now: number): Note => pastNote({ from: now - days * DAY_MS, to: now, count: 0 });
