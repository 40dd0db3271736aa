import type { Streams } from "../../channels/hosted.ts";
import type { ChannelId } from "../../domain/ids.ts";

/** Shares of the server's streams that one channel, and one address (an office), may hold. */
const [CHANNEL, ADDRESS] = [1 / 2, 1 / 20];

/** Limits open streams: in total, per channel and per address. */
export function createStreams(maxStreams: number): (channelId: ChannelId) => Streams {
  const open = new Map<string, number>();
  const add = (names: string[], by: 1 | -1) => {
    for (const name of names) {
      const count = (open.get(name) ?? 0) + by;
      if (count > 0) open.set(name, count);
      else open.delete(name);
    }
  };
  return (channelId) => ({
    take(address) {
      const limits: [name: string, most: number][] = [
        ["all", maxStreams],
        [`channel ${channelId}`, Math.ceil(maxStreams * CHANNEL)],
        [`address ${address}`, Math.ceil(maxStreams * ADDRESS)],
      ];
      if (limits.some(([name, most]) => (open.get(name) ?? 0) >= most)) return undefined;
      const taken = limits.map(([name]) => name);
      add(taken, 1);
      // A second release has no effect.
      return () => add(taken.splice(0), -1);
    },
  });
}
