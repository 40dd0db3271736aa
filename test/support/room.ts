import type { ChannelId } from "gangway-messenger/ids";
import type { Room, Side } from "../../src/store/outbox.ts";

interface Slots extends Partial<Record<Side, number>> {
  /** Per kind of messenger; no entry: no limit. */
  kinds?: Map<string, number>;
  kindOf?: ReadonlyMap<ChannelId, string>;
}

/** Room for `most` jobs; less where `slots` says so. */
export function roomFor(most: number, { gateway = most, messenger = most, kinds, kindOf }: Slots = {}): Room {
  const sides = { gateway, messenger };
  const left = new Map(kinds);
  const free = (side: Side, channelId?: ChannelId) => {
    const kind = side === "messenger" && channelId ? kindOf?.get(channelId) : undefined;
    return Math.min(sides[side], left.get(kind ?? "") ?? most);
  };
  return {
    most,
    free,
    take(side, channelId) {
      if (free(side, channelId) <= 0) return false;
      sides[side] -= 1;
      const kind = side === "messenger" ? kindOf?.get(channelId) : undefined;
      const room = kind === undefined ? undefined : left.get(kind);
      if (kind !== undefined && room !== undefined) left.set(kind, room - 1);
      return true;
    },
  };
}
