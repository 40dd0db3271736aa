export type Factors<Row> = { [name in keyof Row]: readonly Row[name][] };

export function allRows<Row extends object>(factors: Factors<Row>, allowed: (row: Row) => boolean): Row[] {
  const names = Object.keys(factors) as (keyof Row)[];
  const rows = names.reduce<Partial<Row>[]>(
    (before, name) => before.flatMap((row) => factors[name].map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
  return (rows as Row[]).filter(allowed);
}

/** Rows compared before one is taken; more would save little. */
const CANDIDATES = 24;

/** Greedy all-pairs selection: every pair of values in `rows` is in some row returned. */
export function pairwise<Row extends object>(rows: Row[], random: () => number): Row[] {
  const pairs = rows.map(pairsOf);
  const holders = new Map<string, number[]>();
  for (const [n, own] of pairs.entries())
    for (const pair of own) {
      const known = holders.get(pair);
      if (known) known.push(n);
      else holders.set(pair, [n]);
    }
  const open = new Set(shuffled([...holders.keys()], random));
  const taken: Row[] = [];
  const gain = (n: number) => pairs[n]?.filter((pair) => open.has(pair)).length ?? 0;
  for (const pair of open) {
    const own = holders.get(pair) ?? [];
    const tried = Array.from({ length: CANDIDATES }, () => own[Math.floor(random() * own.length)] ?? 0);
    const best = tried.reduce((a, b) => (gain(b) > gain(a) ? b : a));
    for (const covered of pairs[best] ?? []) open.delete(covered);
    const row = rows[best];
    if (row) taken.push(row);
  }
  return taken;
}

export function pairsOf(row: object): string[] {
  const values = Object.entries(row).map(([name, value]) => `${name}=${value}`);
  return values.flatMap((one, n) => values.slice(n + 1).map((other) => `${one} ${other}`));
}

export function shuffled<T>(items: T[], random: () => number): T[] {
  const left = [...items];
  for (let n = left.length - 1; n > 0; n--) {
    const other = Math.floor(random() * (n + 1));
    [left[n], left[other]] = [left[other] as T, left[n] as T];
  }
  return left;
}
