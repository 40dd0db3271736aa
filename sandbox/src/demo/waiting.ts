const PATIENCE_MS = 40_000;
const LOOK_MS = 50;

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Polls until `look` is true; false on timeout. */
export async function becomes(look: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<boolean> {
  const end = Date.now() + patienceMs;
  while (!(await look())) {
    if (Date.now() > end) return false;
    await pause(LOOK_MS);
  }
  return true;
}

/** Polls until `look` is true. Throws on timeout. */
export async function until(
  what: string,
  look: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  if (!(await becomes(look, patienceMs))) throw new Error(`timed out waiting for ${what}`);
}
