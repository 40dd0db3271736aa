import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

/** Bad arguments. */
export class UsageError extends Error {}

type Spec = Record<string, { type: "string" | "boolean"; multiple?: boolean }>;
type ValueOf<Option extends Spec[string]> = Option["type"] extends "boolean"
  ? boolean
  : Option["multiple"] extends true
    ? string[]
    : string;
export type Given<Options extends Spec> = { [Name in keyof Options]?: ValueOf<Options[Name]> } & {
  positionals: string[];
};

export const TEXT = { type: "string" } as const;
export const FLAG = { type: "boolean" } as const;

/** A command with these options; `--help` prints `help`. Resolves with the exit code, throws UsageError. */
export const command =
  <const Options extends Spec>(help: string, options: Options, run: (given: Given<Options>) => Promise<number>) =>
  async (args: string[]): Promise<number> => {
    const { help: asks, ...given } = parsed(args, { ...options, help: FLAG });
    if (!asks) return run(given as Given<Options>);
    process.stdout.write(help);
    return 0;
  };

function parsed(args: string[], options: Spec): Record<string, unknown> {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { ...values, positionals };
  } catch (error) {
    // Drop Node's hint about option values that begin with a dash.
    const [words = ""] = (error instanceof Error ? error.message : String(error)).split(". ");
    throw new UsageError(words);
  }
}

/** Reads the JSON file of `--settings`. */
export function settingsIn(file: string | undefined): unknown {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`--settings ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Runs a program and exits: 1 on failure, 2 on a UsageError. */
export function runToEnd(name: string, run: () => Promise<number>): void {
  run().then(
    (code) => process.exit(code),
    (error: unknown) => {
      const words = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${name}: ${words}${error instanceof UsageError ? "; see --help" : ""}\n`);
      process.exit(error instanceof UsageError ? 2 : 1);
    },
  );
}

/** Resolves at the first signal. Later ones are swallowed: Ctrl-C arrives from the terminal and from npm. */
export const untilStopped = () =>
  new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => resolve());
  });
