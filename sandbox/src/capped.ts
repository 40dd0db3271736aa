/** The body of an answer up to one byte more than `most`: enough to see that it is too large. */
export async function readCapped(response: Response, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > most) break;
  }
  return Buffer.concat(chunks).subarray(0, most + 1);
}

/** No right answer of a module is longer. */
export const MOST_ANSWERED = 1024 * 1024;

/** What a module says, as text. */
export const readText = async (response: Response): Promise<string> =>
  Buffer.from(await readCapped(response, MOST_ANSWERED)).toString("utf8");
