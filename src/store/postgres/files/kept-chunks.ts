import type { FileBytes } from "../../tables/channels/kept-files.ts";
import { all, type Engine, first, run } from "../../tables/engine.ts";

/** Bytes of a chunk: what a reader holds in memory. */
const CHUNK = 256 * 1024;
const ADD = "INSERT INTO kept_chunk (file_id, part, bytes, created_at) VALUES (@id, @part, @bytes, @now)";
const READ = "SELECT bytes FROM kept_chunk WHERE file_id = @id AND part = @part";
const SIZE = "SELECT sum(octet_length(bytes)) AS size FROM kept_chunk WHERE file_id = @id";
/** Deleted by a transaction: 16 MiB. */
const CHUNKS_AT_ONCE = 64;
const dropSome = (which: string) => `DELETE FROM kept_chunk WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM kept_chunk WHERE file_id IN (SELECT json_array_elements_text(CAST(@ids AS json))) AND ${which}
  LIMIT ${CHUNKS_AT_ONCE})) RETURNING file_id AS id`;

/** Bytes in the database. Each chunk is added in a transaction of its own. */
export const keptChunks = ({ read, write }: Engine, now: () => number): FileBytes => ({
  async add(id, body) {
    let [size, part] = [0, 0];
    for await (const bytes of piecesOf(body, CHUNK)) {
      const values = { id, part, bytes, now: now() };
      await write(() => run(ADD, values));
      size += bytes.length;
      part += 1;
    }
    return size;
  },
  async *read(id) {
    for (let part = 0; ; part++) {
      const chunk = await read(() => first<{ bytes: Buffer }>(READ, { id, part }));
      if (!chunk) return;
      yield chunk.bytes;
    }
  },
  sizeOf: async (id) => (await read(() => first<{ size: number | null }>(SIZE, { id })))?.size ?? undefined,
  remove: async (id) => void (await dropChunks({ write }, [id])),
});

/** Deletes the chunks of files in small transactions, all or which SQL's condition says. Resolves with the files' ids. */
export async function dropChunks(
  { write }: Pick<Engine, "write">,
  ids: string[],
  which = "true",
  values: Record<string, number> = {},
): Promise<Set<string>> {
  const gone = new Set<string>();
  for (;;) {
    const chunks = await write(() => all<{ id: string }>(dropSome(which), { ...values, ids: JSON.stringify(ids) }));
    for (const { id } of chunks) gone.add(id);
    if (chunks.length < CHUNKS_AT_ONCE) return gone;
  }
}

/** Of the same size, but the last. */
export async function* piecesOf(body: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const some of body) {
    held.push(some);
    length += some.byteLength;
    if (length < bytes) continue;
    const all = Buffer.concat(held);
    for (let n = 0; n + bytes <= length; n += bytes) yield all.subarray(n, n + bytes);
    held = [all.subarray(length - (length % bytes))];
    length %= bytes;
  }
  if (length > 0) yield Buffer.concat(held);
}
