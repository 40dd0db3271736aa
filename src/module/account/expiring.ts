import type { Clock } from "gangway-messenger/clock";

/** In-memory values that expire; they never reach the disk. */
export interface Expiring<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

export function createExpiring<Value>(clock: Clock, ms: number): Expiring<Value> {
  const kept = new Map<string, { value: Value; cancel(): void }>();
  return {
    get: (key) => kept.get(key)?.value,
    set(key, value) {
      kept.get(key)?.cancel();
      kept.set(key, { value, cancel: clock.after(ms, () => kept.delete(key)) });
    },
  };
}
