import type { ChannelId } from "gangway-messenger/ids";
import { LANGUAGES } from "gangway-messenger/language";
import type { LoginFacts } from "gangway-messenger/port";
import * as z from "zod";
import type { Store } from "../../store/store.ts";

// A login's standing as last reported by the messenger, stored as a note of the channel.

export interface KnownStanding extends LoginFacts {
  /** When the messenger reported it, ms. */
  at: number;
}

const NOTE = "standing";

const inLanguages = z.record(z.enum(LANGUAGES), z.string());
const stored: z.ZodType<KnownStanding> = z.object({
  at: z.number(),
  facts: z.array(
    z.object({ name: inLanguages, value: z.union([z.string(), inLanguages]), isBad: z.literal(true).optional() }),
  ),
  whatsapp: z
    .object({
      tier: z.number().optional(),
      quality: z.enum(["high", "medium", "low"]).optional(),
      status: z.enum(["connected", "flagged", "offline", "pending", "restricted"]).optional(),
    })
    .optional(),
});

export async function readStanding(notes: Store["notes"], id: ChannelId): Promise<KnownStanding | undefined> {
  const value = await notes.get(id, NOTE);
  return value === undefined ? undefined : stored.safeParse(JSON.parse(value)).data;
}

export const keepStanding = (notes: Store["notes"], id: ChannelId, standing: KnownStanding): Promise<void> =>
  notes.set(id, [{ key: NOTE, value: JSON.stringify(standing) }]);
