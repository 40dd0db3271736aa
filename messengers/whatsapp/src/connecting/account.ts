import { fingerprint } from "gangway-messenger/ids";
import type { Notes } from "gangway-messenger/port";
import * as z from "zod";
import { type Context, secretOf } from "../server.ts";

/** Numbers whose messages go wherever the account's subscription of their app points; an app has one secret. */
export const sharingGroup = ({ settings, server }: Pick<Context, "settings" | "server">): string =>
  `whatsapp:subscription:${settings.wabaId}:${fingerprint(secretOf(settings, server))}`;

/** The numbers of one WhatsApp Business account, of the operator's app. */
export const accountGroup = (wabaId: string): string => `whatsapp:account:${wabaId}`;

const NOTE = "waba";

const stored = z.object({
  /** Ids of the other numbers of the account. */
  numbers: z.array(z.string()).default([]),
  /** Whether Meta sent the account's messages to the app before this channel was connected. */
  wasSubscribed: z.boolean().optional(),
});
type AccountNote = z.infer<typeof stored>;

export async function accountNote({ get }: Pick<Notes, "get">): Promise<AccountNote> {
  try {
    return stored.parse(JSON.parse((await get(NOTE)) ?? "{}"));
  } catch {
    return stored.parse({});
  }
}

export const knownNumbers = async (notes: Pick<Notes, "get">): Promise<string[]> => (await accountNote(notes)).numbers;

export const rememberAccount = ({ set }: Pick<Notes, "set">, note: AccountNote): Promise<void> =>
  set([{ key: NOTE, value: JSON.stringify(note) }]);
