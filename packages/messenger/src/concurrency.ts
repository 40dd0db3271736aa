import { setImmediate } from "node:timers/promises";

/** Serializes tasks of the same key; different keys run concurrently. A failure does not block the next. */
export type Serial<Key> = <T>(key: Key, act: () => Promise<T>) => Promise<T>;

export function serialByKey<Key = string>(): Serial<Key> {
  const last = new Map<Key, Promise<unknown>>();
  return (key, act) => {
    const result = (last.get(key) ?? Promise.resolve()).then(act, act);
    last.set(key, result);
    const forget = () => {
      if (last.get(key) === result) last.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}

/** Concurrent callers with the same key share one call and its result. */
export function singleFlight<T>(): (key: string, ask: () => Promise<T>) => Promise<T> {
  const inFlight = new Map<string, Promise<T>>();
  return (key, ask) => {
    const known = inFlight.get(key);
    if (known) return known;
    const result = ask();
    inFlight.set(key, result);
    const forget = () => void inFlight.delete(key);
    result.then(forget, forget);
    return result;
  };
}

/** Runs `act` for every item, at most `limit` at a time. Starts no more once `stop` aborts. */
export async function eachOf<T>(
  items: Iterable<T>,
  limit: number,
  act: (item: T) => Promise<void>,
  stop?: AbortSignal,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done && !stop?.aborted; next = queue.next()) {
      // Yield to the event loop, so that a long list does not delay requests.
      await setImmediate();
      await act(next.value);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
