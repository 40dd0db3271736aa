/** What the seed decides. Each name has numbers of its own, so that a fault that is left out changes no other's. */
export interface Chance {
  /** The name's next number, in [0, 1). */
  draw(name: string): number;
  /** In [0, 1), for what repeats the world alike, such as ids: a sequence of its own. */
  stream(name: string): () => number;
  /** Whether this one comes true, if it may; it is then recorded as a fault. */
  strikes(name: string, probability: number, what: string): boolean;
  faults(): string[];
}

/** `only`: the faults that may come true (default: all). */
export function createChance(seed: number, only?: ReadonlySet<string>): Chance {
  const counts = new Map<string, number>();
  const faults: string[] = [];
  const nth = (name: string) => {
    const n = counts.get(name) ?? 0;
    counts.set(name, n + 1);
    return n;
  };
  const at = (name: string, n: number) => mixed(hashed(name, seed) + Math.imul(n, 0x9e3779b1)) / 2 ** 32;
  return {
    draw: (name) => at(name, nth(name)),
    stream(name) {
      let n = 0;
      return () => at(name, n++);
    },
    strikes(name, probability, what) {
      const n = nth(name);
      if (at(name, n) >= probability) return false;
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
