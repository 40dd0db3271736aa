/** When the launcher began, perhaps on another Node, ms since 1970. */
const BEGAN = Number(process.env.LAUNCH_BEGAN ?? performance.timeOrigin);

/** Prints the current step to stderr, with the seconds since the command began. */
export function printProgress(words: string): void {
  const seconds = String(Math.round((Date.now() - BEGAN) / 1000)).padStart(4);
  process.stderr.write(`${seconds} s  ${words}\n`);
}

/** Prints and runs a step; its failure names the step. */
export async function step<T>(words: string, act: () => Promise<T>): Promise<T> {
  printProgress(words);
  try {
    return await act();
  } catch (error) {
    throw new Error(`${words} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
