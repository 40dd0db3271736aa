/** Whether a count has reached 1, 10, 100 … since `before`: limits how often a frequent event is logged. */
export const reachesPowerOfTen = (count: number, before = count - 1): boolean =>
  before === 0 || String(count).length > String(before).length;

/** In order, each of at most `size`. */
export function* slicesOf<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let n = 0; n < all.length; n += size) yield all.slice(n, n + size);
}
