const PATIENCE_MS = 40_000;
const LOOK_MS = 50;

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** False when it did not become true in time. */
export async function becomes(look: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<boolean> {
  const end = Date.now() + patienceMs;
  while (!(await look())) {
    if (Date.now() > end) return false;
    await pause(LOOK_MS);
  }
  return true;
}

/** Throws when it does not become true in time. */
export async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await becomes(look))) throw new Error(`waited in vain for ${what}`);
}
