import { seeded } from "gangway-messenger/kit/emulator/random";

/** Choices that are the same for the same seed. */
export interface Draw {
  /** In [0, 1). */
  share(): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  whole(least: number, most: number): number;
  /** Throws an Error for an empty list. */
  one<T>(list: readonly T[]): T;
  digits(count: number): string;
}

export function createDraw(seed: number): Draw {
  const share = seeded(seed);
  const whole = (least: number, most: number) => least + Math.floor(share() * (most - least + 1));
  return {
    share,
    chance: (probability) => share() < probability,
    whole,
    one<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error("nothing to choose from");
      return list[whole(0, list.length - 1)] as T;
    },
    digits: (count) => String(whole(0, 10 ** count - 1)).padStart(count, "0"),
  };
}
