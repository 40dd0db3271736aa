import type { Streams } from "../../channels/hosted.ts";
import type { ChannelId } from "../../domain/ids.ts";
import { createCounters } from "../dispatch/counters.ts";

/** Limits on open streams, of the server's 10,000 sockets: in total, per channel, and per address (an office). */
const [ALL, CHANNEL, ADDRESS] = [4_000, 2_000, 200];

export function createStreams(): (channelId: ChannelId) => Streams {
  const { below, take, free } = createCounters();
  return (channelId) => ({
    take(address) {
      const limits = [
        { name: "all", most: ALL },
        { name: `channel ${channelId}`, most: CHANNEL },
        { name: `address ${address}`, most: ADDRESS },
      ];
      if (!limits.every(({ name, most }) => below(name, most))) return undefined;
      take(limits);
      // A second release has no effect.
      return () => free(limits.splice(0));
    },
  });
}
