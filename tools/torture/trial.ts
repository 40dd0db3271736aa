import type { Patch } from "./copy.ts";
import type { Figure } from "./figure.ts";

/** One way to torment the server, and what it must keep meanwhile. */
export interface Trial {
  name: string;
  run(bench: Bench): Promise<Figure[]>;
}

/** Accepted events by what has become of them, over all channels. */
export interface LedgerSums {
  accepted: number;
  delivered: number;
  refused: number;
  waiting: number;
  /** Not one of the three: 0, or something was lost. */
  hole: number;
}

/** What trials are given. */
export interface Bench {
  /** Minutes in all instead of the long run. */
  short: boolean;
  /** Cells of the grid by name; as many as the length says when absent. */
  cells?: string[];
  /** A fresh folder, gone at the end. */
  folder(): string;
  env: Record<string, string>;
  /** In [0, 1), from the seed. */
  random(): number;
  print(line: string): void;
  /** For the receipt: what was done to the server, and what its ledger said at the end. */
  injected(what: string, count: number): void;
  balance(sums: LedgerSums): void;
  /** The server's program, with these changes. */
  program(patches?: Patch[]): string;
}
