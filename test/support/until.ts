/** Polls `look` for a minute or more, less and less often; resolves with its first result. Throws on timeout. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (let n = 0; n < 100 || performance.now() < deadline; n++) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, Math.min(20 + 2 * n, 100)));
  }
  throw new Error(`timed out waiting for ${what}`);
}
