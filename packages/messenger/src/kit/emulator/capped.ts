/** Reads up to `max` + 1 bytes: enough to see that the body is too large. */
export async function readCapped(response: Response, max: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > max) break;
  }
  return Buffer.concat(chunks).subarray(0, max + 1);
}

/** No valid answer of a module is longer, bytes. */
export const MAX_ANSWER = 1024 * 1024;

export const readText = async (response: Response): Promise<string> =>
  Buffer.from(await readCapped(response, MAX_ANSWER)).toString("utf8");
