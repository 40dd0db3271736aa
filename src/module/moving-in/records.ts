import type { Subscription } from "gangway-messenger/former";
import type { ChannelId } from "gangway-messenger/ids";
import * as z from "zod";
import { CAME_FROM } from "../../domain/channel.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { ChannelRecord } from "../../gateway/channels.ts";
import type { Act } from "../../store/care.ts";
import type { Note } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";

// The state before an account moved here, kept to give it back. Holds no secrets: the account row has the client id.

const channelNote = z.object({
  /** Name of the former module. */
  from: z.string(),
  /** Identifies the login's former subscription; absent if its credentials did not work. */
  mark: z.record(z.string(), z.unknown()).optional(),
  /** The gateway's former channel record; absent if the account was switched off. */
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
export const CHANNEL_IMPORTED = "channel imported";
/** Limit of audit entries read: more than an account ever has channels. */
const MAX_READ = 5_000;
/** Placeholder for the client id, which is a credential. */
const CLIENT_ID = "{clientId}";

/** The audit entry that preserves the former registration. */
export const importing = (from: string, fields: Record<string, unknown>, clientId: string): Act => ({
  actor: "operator",
  action: IMPORTED,
  detail: { from, registration: JSON.stringify(fields, replacing(clientId, CLIENT_ID)) },
});

/** A JSON replacer or reviver that replaces `from` in every string. */
const replacing = (from: string, to: string) => (_: string, value: unknown) =>
  typeof value === "string" ? value.replaceAll(from, () => to) : value;

export interface Imported {
  from: string;
  /** As the CRM accepts them. */
  fields: Record<string, unknown>;
  webhookUrl?: string;
}

const addresses = z.object({
  baseUrl: z.string().optional(),
  integrations: z.object({ mgTransport: z.object({ webhookUrl: z.string().optional() }) }),
});

/** The module hosts that a registration names. */
export function hostsOf(fields: Record<string, unknown>): string[] {
  const { baseUrl, integrations } = addresses.parse(fields);
  return [baseUrl, integrations.mgTransport.webhookUrl].flatMap((url) =>
    url && URL.canParse(url) ? [new URL(url).host] : [],
  );
}

/** Undefined for an account that connected here by itself. */
export async function readImported(
  { audit }: Pick<Store, "audit">,
  accountId: AccountId,
  clientId: string,
): Promise<Imported | undefined> {
  const [act] = await audit.list({ accountId, action: IMPORTED, limit: 1 });
  if (!act) return undefined;
  const { from, registration } = act.detail;
  const kept = JSON.parse(String(registration), replacing(CLIENT_ID, clientId));
  const fields = z.record(z.string(), z.unknown()).parse(kept);
  return { from: String(from), fields, webhookUrl: addresses.parse(fields).integrations.mgTransport.webhookUrl };
}

/** Names by id of all channels that were imported with the account, even if removed since. */
export async function importedChannels(
  { audit }: Pick<Store, "audit">,
  accountId: AccountId,
): Promise<Map<string, string>> {
  const acts = await audit.list({ accountId, action: CHANNEL_IMPORTED, limit: MAX_READ });
  return new Map(acts.map(({ detail }) => [String(detail.channel), String(detail.name)]));
}
