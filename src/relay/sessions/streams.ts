import type { Streams } from "../../channels/hosted.ts";

/** Shares of the server's streams that one owner, a channel or an account's pages, and one address (an office), may hold. */
const [OWNER, ADDRESS] = [1 / 2, 1 / 20];

/** Limits open streams: in total, per owner and per address. */
export function createStreams(maxStreams: number): (owner: string) => Streams {
  const open = new Map<string, number>();
  const add = (names: string[], by: 1 | -1) => {
    for (const name of names) {
      const count = (open.get(name) ?? 0) + by;
      if (count > 0) open.set(name, count);
      else open.delete(name);
    }
  };
  const limitsOf = (owner: string, address: string): [name: string, most: number][] => [
    ["all", maxStreams],
    [`owner ${owner}`, Math.ceil(maxStreams * OWNER)],
    [`address ${address}`, Math.ceil(maxStreams * ADDRESS)],
  ];
  const fits = ([name, most]: [string, number]) => (open.get(name) ?? 0) < most;
  return (owner) => ({
    hasRoom: (address) => limitsOf(owner, address).every(fits),
    take(address) {
      const limits = limitsOf(owner, address);
      if (!limits.every(fits)) return undefined;
      const taken = limits.map(([name]) => name);
      add(taken, 1);
      // A second release has no effect.
      return () => add(taken.splice(0), -1);
    },
  });
}
