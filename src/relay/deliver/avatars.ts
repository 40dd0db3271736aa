import type { ChannelSession } from "../../channels/port.ts";
import type { ChannelId } from "../../domain/ids.ts";
import type { Customer } from "../../domain/message/message.ts";
import { type Clock, deadline } from "../../domain/time/clock.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Store } from "../../store/store.ts";

/** URL of a customer's picture, uploaded to the gateway by us. Never throws. */
export type AvatarOf = (at: AvatarAt, customer: Customer, signal: AbortSignal) => Promise<string | undefined>;

interface AvatarAt {
  channelId: ChannelId;
  session: ChannelSession;
  gateway: Gateway;
}

/** Key prefix of our notes, for every kind of channel. */
export const AVATAR_NOTES = "avatar:";
/** How long a picture is cached, and a failure, ms. */
const FRESH_MS = 24 * 3_600_000;
const FAILED_MS = 600_000;
/** How long a message waits for its author's picture, ms; and the maximum size of one, bytes. */
const PATIENCE_MS = 5_000;
const MAX_BYTES = 512 * 1024;

/** As it is noted; `at`: when it was looked for, ms. */
interface CachedAvatar {
  at: number;
  version?: string;
  url?: string;
  failed?: boolean;
}

export function avatars({ store, clock }: { store: Pick<Store, "notes">; clock: Clock }): AvatarOf {
  return async (at, customer, stop) => {
    if (!customer.hasAvatar || !at.session.avatars) return undefined;
    const key = `${AVATAR_NOTES}${customer.id}`;
    let known: CachedAvatar | undefined;
    const save = (value: Omit<CachedAvatar, "at">) =>
      store.notes.set(at.channelId, [{ key, value: JSON.stringify({ at: clock.now(), ...value }) }]);
    try {
      const noted = await store.notes.get(at.channelId, key);
      if (noted) known = JSON.parse(noted) as CachedAvatar;
      if (known && clock.now() - known.at < (known.failed ? FAILED_MS : FRESH_MS)) return known.url;
      const patience = deadline(clock, PATIENCE_MS, stop);
      const found = await refresh(at, customer, known, patience.signal).finally(patience.end);
      await save(found);
      return found.url;
    } catch {
      // A picture never fails a message. Cache the failure, so that a slow picture delays only one message.
      if (!stop.aborted) await save({ version: known?.version, url: known?.url, failed: true }).catch(() => {});
      return known?.url;
    }
  };
}

/** The current picture; uploaded only if it has changed. */
async function refresh(
  { session, gateway }: AvatarAt,
  { id: customer }: Customer,
  known: CachedAvatar | undefined,
  signal: AbortSignal,
): Promise<Omit<CachedAvatar, "at">> {
  const found = await session.avatars?.find(customer, signal);
  if (!found) return {};
  const { version, ref } = found;
  if (known?.url && known.version === version) return { version, url: known.url };
  const open = await session.files?.open(ref, signal);
  if (!open) return { version };
  const body = open.body.pipeThrough(capped(MAX_BYTES));
  try {
    const id = await gateway.uploadFile({ ...open, body, name: open.name ?? "avatar.jpg" }, signal);
    return { version, url: (await gateway.file(id, signal)).url };
  } finally {
    // A call that never started leaves the stream untouched; close its source.
    if (!body.locked) await body.cancel().catch(() => {});
  }
}

function capped(max: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > max) controller.error(new Error(`the picture is larger than ${max} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
