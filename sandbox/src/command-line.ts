import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

/** The command was not understood. */
export class UsageError extends Error {}

type Spec = Record<string, { type: "string" | "boolean"; multiple?: boolean }>;
type ValueOf<Option extends Spec[string]> = Option["type"] extends "boolean"
  ? boolean
  : Option["multiple"] extends true
    ? string[]
    : string;
type Given<Options extends Spec> = { [Name in keyof Options]?: ValueOf<Options[Name]> } & { positionals: string[] };

/** A command's options. Throws UsageError in Node's words. */
export function readOptions<const Options extends Spec>(args: string[], options: Options): Given<Options> {
  try {
    const { values, positionals } = parseArgs({ args, options: options as Spec, allowPositionals: true });
    return { ...values, positionals } as Given<Options>;
  } catch (error) {
    // The rest of Node's words are about options that begin with a dash.
    const [words = ""] = (error instanceof Error ? error.message : String(error)).split(". ");
    throw new UsageError(words);
  }
}

/** The JSON in a file that an option names. */
export function settingsIn(file: string | undefined): unknown {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`--settings ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Runs a program to its end, and ends the process: 1 when it fails, 2 when it was not understood. */
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

/** From here on a signal asks for an orderly end; it may come twice, from a terminal and from npm. */
export const untilStopped = () =>
  new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => resolve());
  });
