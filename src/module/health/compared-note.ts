import type { ChannelId } from "gangway-messenger/ids";
import * as z from "zod";
import type { Store } from "../../store/store.ts";

// How far a channel's messages are compared with its messenger's list, kept as a note of the channel. Times in ms.

const stored = z.object({
  /** The login compared; another login starts anew. */
  login: z.string().optional(),
  /** When the channel had its first connection: what is older is no concern of it. */
  begun: z.number(),
  /** Everything written until then is stored. */
  upTo: z.number(),
  /** The last time whose messages the messenger did not list in full, and when that was found. */
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

/** From a channel's first connection on, and anew with another login. */
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
