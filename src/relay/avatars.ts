import { z } from "zod";
import type { ChannelSession } from "../channels/port.ts";
import type { Clock } from "../domain/clock.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Customer } from "../domain/message.ts";
import type { Gateway } from "../gateway/client.ts";
import type { Store } from "../store/store.ts";

/** The address of a customer's picture at the gateway, which got its bytes from us. Never throws. */
export type AvatarOf = (at: AvatarAt, customer: Customer, signal: AbortSignal) => Promise<string | undefined>;

interface AvatarAt {
  channelId: ChannelId;
  session: ChannelSession;
  gateway: Gateway;
}

/** A picture is looked for again after a day. */
const FRESH_MS = 24 * 3_600_000;

const remembered = z.object({ at: z.number(), version: z.string().optional(), url: z.string().optional() });
type Remembered = z.infer<typeof remembered>;

export function avatars({ store, clock }: { store: Pick<Store, "notes">; clock: Clock }): AvatarOf {
  return async ({ channelId, session, gateway }, customer, signal) => {
    const { avatars: pictures, files } = session;
    if (!customer.hasAvatar || !pictures || !files) return undefined;
    const key = `avatar:${customer.id}`;
    let known: Remembered | undefined;
    try {
      known = read(await store.notes.get(channelId, key));
      if (known && clock.now() - known.at < FRESH_MS) return known.url;
      const found = await pictures.find(customer.id, signal);
      const url = found && (known?.version === found.version ? known.url : await copy(found.ref));
      const value = JSON.stringify({ at: clock.now(), version: found?.version, url } satisfies Remembered);
      await store.notes.set(channelId, [{ key, value }]);
      return url;
    } catch {
      // A message does not wait for a picture: the next one asks again.
      return known?.url;
    }
    async function copy(ref: string): Promise<string | undefined> {
      const open = await files?.open(ref, signal);
      if (!open) return undefined;
      const id = await gateway.uploadFile({ ...open, name: open.name ?? "avatar.jpg" }, signal);
      return (await gateway.file(id, signal)).url;
    }
  };
}

function read(value: string | undefined): Remembered | undefined {
  return value === undefined ? undefined : remembered.safeParse(JSON.parse(value)).data;
}
