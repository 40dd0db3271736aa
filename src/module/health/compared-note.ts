import type { ChannelId } from "gangway-messenger/ids";
import * as z from "zod";
import type { Store } from "../../store/store.ts";

// How far a channel is compared with its messenger's list, stored as a note of the channel. Times in ms.

const stored = z.object({
  /** The login compared; another login starts anew. */
  login: z.string().optional(),
  /** Time of the channel's first connection; older messages are not compared. */
  begun: z.number(),
  /** Every message written up to this time is stored. */
  upTo: z.number(),
  /** The last period that the messenger did not list in full, and when that was found. */
  gap: z.object({ from: z.number(), to: z.number(), found: z.number() }).optional(),
});
export type Compared = z.infer<typeof stored>;

const NOTE = "compared";

export async function readCompared(notes: Pick<Store["notes"], "get">, id: ChannelId): Promise<Compared | undefined> {
  const value = await notes.get(id, NOTE);
  return value === undefined ? undefined : stored.safeParse(JSON.parse(value)).data;
}

export const keepCompared = (notes: Pick<Store["notes"], "set">, id: ChannelId, compared: Compared): Promise<void> =>
  notes.set(id, [{ key: NOTE, value: JSON.stringify(compared) }]);

/** Starts comparing from now on for a new channel or another login; otherwise returns the known state. */
export async function beginComparing(
  notes: Store["notes"],
  { id, identity: login }: { id: ChannelId; identity?: string },
  now: number,
): Promise<Compared> {
  const known = await readCompared(notes, id);
  if (known?.login === login && known) return known;
  const begun = { login, begun: now, upTo: now };
  await keepCompared(notes, id, begun);
  return begun;
}
