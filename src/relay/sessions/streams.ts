import type { Streams } from "../../channels/hosted.ts";
import type { ChannelId } from "../../domain/ids.ts";
import { counting } from "../dispatch/counting.ts";

/** Of the server's 10,000 sockets: what answers that stay open may hold in all, of one channel, and of one address (an office). */
const [ALL, CHANNEL, ADDRESS] = [4_000, 2_000, 200];

/** Counts the answers that stay open. */
export function createStreams(): (channelId: ChannelId) => Streams {
  const { below, take, free } = counting();
  return (channelId) => ({
    take(address) {
      const limits = [
        { name: "all", most: ALL },
        { name: `channel ${channelId}`, most: CHANNEL },
        { name: `address ${address}`, most: ADDRESS },
      ];
      if (!limits.every(({ name, most }) => below(name, most))) return undefined;
      take(limits);
      // Whoever gives it back twice gives it back once.
      return () => free(limits.splice(0));
    },
  });
}
