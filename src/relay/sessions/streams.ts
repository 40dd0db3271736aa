import type { Streams } from "../../channels/hosted.ts";
import type { ChannelId } from "../../domain/ids.ts";
import { createCounters } from "../dispatch/counters.ts";

/** Shares of the server's streams that one channel, and one address (an office), may hold. */
const [CHANNEL, ADDRESS] = [1 / 2, 1 / 20];

/** Limits open streams: in total, per channel and per address. */
export function createStreams(maxStreams: number): (channelId: ChannelId) => Streams {
  const { below, take, free } = createCounters();
  return (channelId) => ({
    take(address) {
      const limits = [
        { name: "all", most: maxStreams },
        { name: `channel ${channelId}`, most: Math.ceil(maxStreams * CHANNEL) },
        { name: `address ${address}`, most: Math.ceil(maxStreams * ADDRESS) },
      ];
      if (!limits.every(({ name, most }) => below(name, most))) return undefined;
      take(limits);
      // A second release has no effect.
      return () => free(limits.splice(0));
    },
  });
}
