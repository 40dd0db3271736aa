import type { Patch } from "./copy.ts";
import type { Figure } from "./figure.ts";

/** One way to torment the server, and what it must keep meanwhile. */
export interface Trial {
  name: string;
  run(bench: Bench): Promise<Figure[]>;
}

/** What trials are given. */
export interface Bench {
  /** Minutes in all instead of the long run. */
  short: boolean;
  /** A fresh folder, gone at the end. */
  folder(): string;
  env: Record<string, string>;
  /** In [0, 1), from the seed. */
  random(): number;
  print(line: string): void;
  /** Changes of the server in every trial: the protection that is taken away. */
  sabotage: Patch[];
  /** The server's program; `patches` beside the sabotage. */
  program(patches?: Patch[]): string;
}
