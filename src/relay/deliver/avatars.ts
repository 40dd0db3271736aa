import { z } from "zod";
import type { ChannelSession } from "../../channels/port.ts";
import { type Clock, deadline } from "../../domain/clock.ts";
import type { ChannelId } from "../../domain/ids.ts";
import type { Customer } from "../../domain/message.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Store } from "../../store/store.ts";

/** The address of a customer's picture at the gateway, which got its bytes from us. Never throws. */
export type AvatarOf = (at: AvatarAt, customer: Customer, signal: AbortSignal) => Promise<string | undefined>;

interface AvatarAt {
  channelId: ChannelId;
  session: ChannelSession;
  gateway: Gateway;
}

/** Notes of any kind of channel that begin so are ours. */
export const AVATAR_NOTES = "avatar:";
/** A picture is looked for again after a day; one that could not be had, after ten minutes. */
const FRESH_MS = 24 * 3_600_000;
const FAILED_MS = 600_000;
/** How long a message waits for the picture of its author, ms, and the largest such picture, bytes. */
const PATIENCE_MS = 5_000;
const MOST_BYTES = 512 * 1024;

const remembered = z.object({
  at: z.number(),
  version: z.string().optional(),
  url: z.string().optional(),
  failed: z.boolean().optional(),
});
type Remembered = z.infer<typeof remembered>;

export function avatars({ store, clock }: { store: Pick<Store, "notes">; clock: Clock }): AvatarOf {
  return async (at, customer, stop) => {
    if (!customer.hasAvatar || !at.session.avatars) return undefined;
    const key = `${AVATAR_NOTES}${customer.id}`;
    let known: Remembered | undefined;
    const keep = (value: Omit<Remembered, "at">) =>
      store.notes.set(at.channelId, [{ key, value: JSON.stringify({ at: clock.now(), ...value }) }]);
    const { signal, end } = deadline(clock, PATIENCE_MS, stop);
    try {
      known = read(await store.notes.get(at.channelId, key));
      if (known && clock.now() - known.at < (known.failed ? FAILED_MS : FRESH_MS)) return known.url;
      const found = await handOver(at, customer, known, signal);
      await keep(found);
      return found.url;
    } catch {
      // A message does not wait for a picture, and those that follow not once more for one that is slow.
      if (!stop.aborted) await keep({ version: known?.version, url: known?.url, failed: true }).catch(() => {});
      return known?.url;
    } finally {
      end();
    }
  };
}

/** The picture as it is now; copied only where it is another than the one that is known. */
async function handOver(
  { session, gateway }: AvatarAt,
  { id: customer }: Customer,
  known: Remembered | undefined,
  signal: AbortSignal,
): Promise<Omit<Remembered, "at">> {
  const found = await session.avatars?.find(customer, signal);
  if (!found) return {};
  const { version, ref } = found;
  if (known?.url && known.version === version) return { version, url: known.url };
  const open = await session.files?.open(ref, signal);
  if (!open) return { version };
  const body = open.body.pipeThrough(capped(MOST_BYTES));
  try {
    const id = await gateway.uploadFile({ ...open, body, name: open.name ?? "avatar.jpg" }, signal);
    return { version, url: (await gateway.file(id, signal)).url };
  } finally {
    // A call that never began has not touched the stream, and its source would stay open.
    if (!body.locked) await body.cancel().catch(() => {});
  }
}

/** Breaks off behind so many bytes. */
function capped(most: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > most) controller.error(new Error(`the picture is larger than ${most} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

function read(value: string | undefined): Remembered | undefined {
  return value === undefined ? undefined : remembered.safeParse(JSON.parse(value)).data;
}
