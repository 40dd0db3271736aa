/** Whether the 1st, 10th, 100th … has come since `before`: what may come often is told no more often. */
export const reachesPowerOfTen = (count: number, before = count - 1): boolean =>
  before === 0 || String(count).length > String(before).length;

/** In order, each of at most `size`. */
export function* slicesOf<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let n = 0; n < all.length; n += size) yield all.slice(n, n + size);
}
