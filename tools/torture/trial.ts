import type { Patch } from "./copy.ts";
import type { Figure } from "./figure.ts";

/** One way to torment the server, and the promises it must keep. */
export interface Trial {
  name: string;
  run(context: TrialContext): Promise<Figure[]>;
}

/** Accepted events by outcome, over all channels. */
export interface LedgerSums {
  accepted: number;
  delivered: number;
  refused: number;
  waiting: number;
  /** Events with none of these outcomes; anything but 0 is a loss. */
  hole: number;
}

export interface TrialContext {
  /** Run for minutes instead of hours. */
  short: boolean;
  /** How many times slower than the bounds on time and rate this machine may be; 1 unless it runs other things too. */
  slack: number;
  /** Cells of the grid by name (default: pairs in the short run, else all). */
  cells?: string[];
  /** Makes an empty folder, removed at the end. */
  folder(): string;
  env: Record<string, string>;
  /** Of one of several servers: a database of its own, if all store on PostgreSQL. */
  newDatabase(): Promise<Record<string, string>>;
  /** In [0, 1), from the seed. */
  random(): number;
  print(line: string): void;
  /** For the receipt: the faults injected and the final sums of the ledger. */
  injected(what: string, count: number): void;
  balance(sums: LedgerSums): void;
  /** Builds a patched copy of the server; returns its entry file. */
  program(patches?: Patch[]): string;
}
