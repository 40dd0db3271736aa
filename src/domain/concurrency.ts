import { setImmediate } from "node:timers/promises";

/** Runs acts of one key one after another, and acts of different keys side by side. A failed act holds up nobody. */
export type Serial<Key> = <T>(key: Key, act: () => Promise<T>) => Promise<T>;

export function serialByKey<Key = string>(): Serial<Key> {
  const last = new Map<Key, Promise<unknown>>();
  return (key, act) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(act, act);
    last.set(key, mine);
    const over = () => {
      if (last.get(key) === mine) last.delete(key);
    };
    mine.then(over, over);
    return mine;
  };
}

/** Callers that ask for the same key while it is being answered share the one answer. */
export function singleFlight<T>(): (key: string, ask: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  return (key, ask) => {
    const known = underWay.get(key);
    if (known) return known;
    const mine = ask();
    underWay.set(key, mine);
    const over = () => void underWay.delete(key);
    mine.then(over, over);
    return mine;
  };
}

/** Runs `act` for every item, at most `atOnce` of them side by side. Once `stop` aborts it begins no other. */
export async function eachOf<T>(
  items: Iterable<T>,
  atOnce: number,
  act: (item: T) => Promise<void>,
  stop?: AbortSignal,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const oneByOne = async () => {
    for (let next = queue.next(); !next.done && !stop?.aborted; next = queue.next()) {
      // In a turn of the event loop of its own: a long list must not hold up the doors.
      await setImmediate();
      await act(next.value);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, oneByOne));
}
