/**
 * A minimal subset of `all` that still breaks a promise, as far as `runs` tries find it: drops half of the faults, then
 * quarters, and so on, as long as what is left still `breaks`.
 */
export async function shrink<T>(all: T[], breaks: (left: T[]) => Promise<boolean>, runs: number): Promise<T[]> {
  let left = all;
  let tries = 0;
  for (let parts = 2; left.length > 0 && tries < runs; ) {
    const size = Math.ceil(left.length / parts);
    const from = await firstDropped(left, size, async (rest) => tries++ < runs && breaks(rest));
    if (from !== undefined) {
      left = without(left, from, size);
      parts = Math.max(2, parts - 1);
    } else if (size === 1) {
      break;
    } else {
      parts = Math.min(left.length, 2 * parts);
    }
  }
  return left;
}

const without = <T>(list: T[], from: number, size: number) => [...list.slice(0, from), ...list.slice(from + size)];

async function firstDropped<T>(
  list: T[],
  size: number,
  breaks: (rest: T[]) => Promise<boolean>,
): Promise<number | undefined> {
  for (let from = 0; from < list.length; from += size) if (await breaks(without(list, from, size))) return from;
  return undefined;
}
