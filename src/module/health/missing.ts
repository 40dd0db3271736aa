import type { ChannelEvent } from "gangway-messenger/message";
import type { Channel } from "../../domain/channel.ts";
import { namesIn } from "../../domain/delivery.ts";
import type { Store } from "../../store/store.ts";

/** Returns the listed events that were never accepted and are not erased, oldest first. */
export async function missingOf(
  { outbox, erasure }: Pick<Store, "outbox" | "erasure">,
  { id }: Channel,
  listed: ChannelEvent[],
): Promise<ChannelEvent[]> {
  if (listed.length === 0) return [];
  const keys = listed.map(({ key }) => key);
  const unknown = new Set(await outbox.unknown(id, "inbound", keys));
  const missing: ChannelEvent[] = [];
  // Accepting would also skip messages from before an erasure, but they would be listed again every time.
  for (const event of listed.filter(({ key }) => unknown.has(key)).sort((a, b) => a.at - b.at))
    if (!(await erasure.isErased(id, namesIn(event), event.at))) missing.push(event);
  return missing;
}
