/** Numbers that a seed decides, so that what one run has found another can find again. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from 0 to `below - 1`. */
  int(below: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new Error("there is nothing to pick from");
      return from[int(from.length)] as T;
    },
  };
}
