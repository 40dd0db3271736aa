// Counts since the process started, by labels.

export type Labels = Record<string, string>;

export interface Counter<L extends Labels> {
  add(labels: L): void;
  read(): { labels: L; count: number }[];
}

export function createCounter<L extends Labels>(): Counter<L> {
  const byLabels = createByLabels((labels: L) => ({ labels, count: 0 }));
  return {
    add(labels) {
      byLabels.of(labels).count += 1;
    },
    read: byLabels.all,
  };
}

/** Upper bounds of a histogram's buckets, s: calls take parts of a second, a bad day's retries hours. */
export const BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];

export interface Distribution<L extends Labels> {
  labels: L;
  /** Values in each bucket, as in BOUNDS; the last is of those above all bounds. */
  counts: number[];
  /** s. */
  sum: number;
}

export interface Histogram<L extends Labels> {
  observe(labels: L, ms: number): void;
  read(): Distribution<L>[];
}

export function createHistogram<L extends Labels>(): Histogram<L> {
  const byLabels = createByLabels(
    (labels: L): Distribution<L> => ({ labels, counts: Array(BOUNDS.length + 1).fill(0), sum: 0 }),
  );
  return {
    observe(labels, ms) {
      const seconds = Math.max(0, ms) / 1_000;
      const known = byLabels.of(labels);
      const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
      const at = bucket < 0 ? BOUNDS.length : bucket;
      known.counts[at] = (known.counts[at] ?? 0) + 1;
      known.sum += seconds;
    },
    read: byLabels.all,
  };
}

/** `create` makes the entry for new labels. */
function createByLabels<L extends Labels, T>(create: (labels: L) => T) {
  const known = new Map<string, T>();
  return {
    of(labels: L): T {
      let name = "";
      for (const label in labels) name += `${labels[label]}\n`;
      const found = known.get(name);
      if (found) return found;
      const made = create(labels);
      known.set(name, made);
      return made;
    },
    all: () => [...known.values()],
  };
}
