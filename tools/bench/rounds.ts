/** Median and spread of several rounds. */
export interface Figure {
  value: number;
  least: number;
  most: number;
}

export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function figureOf(values: number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  const value = sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
  return { value, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}

export interface Ratio {
  ratio: Figure;
  a: Figure;
  b: Figure;
}

/** Measures both sides alternately, so that a slow spell of the machine affects both. */
export async function compare(rounds: number, a: () => Promise<number>, b: () => Promise<number>): Promise<Ratio> {
  const of: { a: number[]; b: number[] } = { a: [], b: [] };
  for (let round = 0; round < rounds; round++) {
    of.a.push(await a());
    of.b.push(await b());
  }
  const ratios = of.a.map((value, n) => value / (of.b[n] ?? Number.NaN));
  return { ratio: figureOf(ratios), a: figureOf(of.a), b: figureOf(of.b) };
}
