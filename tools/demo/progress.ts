/** Says on standard error what is being done, with the seconds since the process began. */
export function tellProgress(words: string): void {
  const seconds = String(Math.round(performance.now() / 1000)).padStart(4);
  process.stderr.write(`${seconds} s  ${words}\n`);
}

/** Tells of a step and does it; a failure says which step it was. */
export async function step<T>(words: string, act: () => Promise<T>): Promise<T> {
  tellProgress(words);
  try {
    return await act();
  } catch (error) {
    throw new Error(`${words} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
