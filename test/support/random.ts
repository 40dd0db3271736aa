import { seeded as numbers } from "gangway-messenger/kit/emulator/random";

/** Seeded random numbers, so that a run can be repeated. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from 0 to `below - 1`. */
  int(below: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
}

export function seeded(seed: number): Random {
  const next = numbers(seed);
  const int = (below: number) => Math.floor(next() * below);
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new Error("nothing to pick from");
      return from[int(from.length)] as T;
    },
  };
}
