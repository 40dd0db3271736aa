/** Runs acts of one key one after another, and acts of different keys side by side; a failed act holds up nobody. */
export type InTurn = <T>(key: string, act: () => Promise<T>) => Promise<T>;

export function turns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
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

/** Callers that ask the same thing while it is being answered share the one answer. */
export function shared<T>(): (key: string, ask: () => Promise<T>) => Promise<T> {
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
