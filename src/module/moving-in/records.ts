import type { Subscription } from "gangway-messenger/former";
import type { ChannelId } from "gangway-messenger/ids";
import * as z from "zod";
import { CAME_FROM } from "../../domain/channel.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { ChannelRecord } from "../../gateway/records.ts";
import type { Act } from "../../store/care.ts";
import type { Note } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";

// What was where before an account moved here, to be given back. Without secrets: the client id stands in the account.

const channelNote = z.object({
  /** Name of the module. */
  from: z.string(),
  /** Of the login at its messenger; absent where it did not answer for its credentials. */
  mark: z.record(z.string(), z.unknown()).optional(),
  /** Of the channel at the gateway; absent of an account that was switched off. */
  gateway: z
    .object({
      type: z.string(),
      name: z.string().optional(),
      settings: z.record(z.string(), z.unknown()),
      isActive: z.boolean(),
    })
    .optional(),
});
export type CameFrom = z.infer<typeof channelNote>;

export const cameFromNote = (from: string, mark?: Subscription["mark"], gateway?: ChannelRecord): Note => ({
  key: CAME_FROM,
  value: JSON.stringify({ from, mark, gateway } satisfies CameFrom),
});

export async function readCameFrom(notes: Pick<Store["notes"], "get">, id: ChannelId): Promise<CameFrom | undefined> {
  const value = await notes.get(id, CAME_FROM);
  return value === undefined ? undefined : channelNote.parse(JSON.parse(value));
}

const IMPORTED = "account imported";
/** Entries of the audit that are read for it. */
const MAX_READ = 5_000;
/** Stands for the client id, which is a credential. */
const CLIENT_ID = "{clientId}";

/** The entry of the audit that keeps the registration of before. */
export const importing = (from: string, fields: Record<string, unknown>, clientId: string): Act => ({
  actor: "operator",
  action: IMPORTED,
  detail: { from, registration: JSON.stringify(fields).replaceAll(clientId, CLIENT_ID) },
});

export interface Imported {
  from: string;
  /** As the CRM takes it. */
  fields: Record<string, unknown>;
}

/** Undefined of an account that has connected here by itself. */
export async function readImported(
  { audit }: Pick<Store, "audit">,
  accountId: AccountId,
  clientId: string,
): Promise<Imported | undefined> {
  const acts = await audit.list({ accountId, limit: MAX_READ });
  const detail = acts.find(({ action }) => action === IMPORTED)?.detail;
  if (!detail) return undefined;
  const kept = String(detail.registration).replaceAll(CLIENT_ID, clientId);
  return { from: String(detail.from), fields: z.record(z.string(), z.unknown()).parse(JSON.parse(kept)) };
}
