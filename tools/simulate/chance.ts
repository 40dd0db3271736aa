/** The seed's decisions. Each name has a sequence of its own, so that leaving out a fault changes no other. */
export interface Chance {
  /** The name's next number, in [0, 1). */
  draw(name: string): number;
  /** One of the list. */
  pick<T>(name: string, list: readonly T[]): T;
  /** A wait until something that happens by chance, exponentially distributed. */
  wait(name: string, average: number): number;
  /** In [0, 1), for values that must be the same in each world, such as ids: a sequence of its own. */
  stream(name: string): () => number;
  /** Whether this one happens, if it may; it is then recorded as a fault. */
  strikes(name: string, probability: number, what: string): boolean;
  faults(): string[];
}

/** `only`: the faults that may happen (default: all). */
export function createChance(seed: number, only?: ReadonlySet<string>): Chance {
  const sequences = new Map<string, { next(): number; count: number }>();
  const faults: string[] = [];
  const stream = (name: string) => {
    const start = hashed(name, seed);
    let n = 0;
    return () => mixed(start + Math.imul(n++, 0x9e3779b1)) / 2 ** 32;
  };
  const sequence = (name: string) => {
    const known = sequences.get(name) ?? { next: stream(name), count: 0 };
    sequences.set(name, known);
    return known;
  };
  const draw = (name: string) => {
    const of = sequence(name);
    of.count += 1;
    return of.next();
  };
  return {
    draw,
    pick: <T>(name: string, list: readonly T[]) => list[Math.floor(draw(name) * list.length)] as T,
    wait: (name, average) => -Math.log(1 - draw(name)) * average,
    stream,
    strikes(name, probability, what) {
      const n = sequence(name).count;
      if (draw(name) >= probability) return false;
      const fault = `${name} ${n}: ${what}`;
      if (only && !only.has(fault)) return false;
      faults.push(fault);
      return true;
    },
    faults: () => [...faults],
  };
}

/** FNV-1a. */
function hashed(text: string, seed: number): number {
  let hash = mixed(seed ^ 0x811c9dc5);
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash;
}

/** The last steps of MurmurHash3. */
function mixed(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
