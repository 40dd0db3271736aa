import type { Lines } from "../channels/port.ts";
import type { ChannelId } from "../domain/ids.ts";

/** Of the server's 10,000 sockets: what answers that stay open may hold in all, of one channel, and of one address (an office). */
const [ALL, CHANNEL, ADDRESS] = [4_000, 2_000, 200];

/** Counts the answers that stay open. */
export function createLines(): (channelId: ChannelId) => Lines {
  const held = new Map<string, number>();
  const move = (name: string, by: number) => {
    const count = (held.get(name) ?? 0) + by;
    if (count > 0) held.set(name, count);
    else held.delete(name);
  };
  return (channelId) => ({
    take(address) {
      const counts = new Map([
        ["all", ALL],
        [`channel ${channelId}`, CHANNEL],
        [`address ${address}`, ADDRESS],
      ]);
      for (const [name, most] of counts) if ((held.get(name) ?? 0) >= most) return undefined;
      for (const name of counts.keys()) move(name, 1);
      return () => {
        for (const name of counts.keys()) move(name, -1);
        counts.clear();
      };
    },
  });
}
