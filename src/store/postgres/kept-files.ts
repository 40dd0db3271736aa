import { and, eq } from "drizzle-orm";
import type { Clock } from "../../domain/clock.ts";
import { newId } from "../../domain/ids.ts";
import type { Bounds } from "../../domain/overload.ts";
import type { KeptFileStore } from "../channels.ts";
import { refusing } from "../lanes/admission.ts";
import type { Sealer } from "../secrets.ts";
import { all, type Engine, first, run, type Work } from "../tables/engine.ts";
import { dayOf, isUsedUp, KEPT_SUMS, type KeptSums } from "../tables/kept-files.ts";
import { keptFiles } from "../tables/schema.ts";
import { buriedIn, keptBuried } from "./tombstones.ts";

/** Bytes of a chunk: what a reader holds in memory. */
const CHUNK = 256 * 1024;
const ADD = "INSERT INTO kept_chunk (file_id, part, bytes, created_at) VALUES (@id, @part, @bytes, @now)";
const READ = "SELECT bytes FROM kept_chunk WHERE file_id = @id AND part = @part";
export const DROP_CHUNKS = "DELETE FROM kept_chunk WHERE file_id = @id";
/** Deleted by a transaction: 16 MiB. */
const CHUNKS_AT_ONCE = 64;
const dropSome = (which: string) => `DELETE FROM kept_chunk WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM kept_chunk WHERE file_id IN (SELECT json_array_elements_text(CAST(@ids AS json))) AND ${which}
  LIMIT ${CHUNKS_AT_ONCE})) RETURNING file_id AS id`;

interface Parts {
  engine: Engine;
  sealer: Sealer;
  clock: Clock;
  bounds: Bounds;
}

/** Bytes are chunks in the database, for every process. They come before the row that names them. */
export function keptFileStore({ engine: { read, write }, sealer, clock, bounds }: Parts): KeptFileStore {
  const refuse = refusing();
  const admit = async (channelId: string, uploader: "customer" | "agent") => {
    const sums = await read(() => first<KeptSums>(KEPT_SUMS, { channelId, day: dayOf(clock.now()) }));
    if (isUsedUp(bounds, uploader, sums)) refuse("files", { channelId });
  };
  return {
    async keep(channelId, file, maxBytes, tooLarge, { uploader = "agent", chat } = {}) {
      const names = chat === undefined ? [] : [chat];
      // Buried before: a new conversation begins with the file.
      const before = await read(() => buriedIn(sealer, channelId, names));
      await admit(channelId, uploader);
      const id = newId<string>();
      try {
        const size = await addChunks({ write }, id, upTo(maxBytes, chunksOf(file.body), tooLarge), clock.now);
        const row = { channelId, id, name: file.name, mediaType: file.mediaType, size, createdAt: clock.now(), chat };
        await write(function* ({ orm }): Work<void> {
          const { gone, at } = yield* keptBuried(sealer, channelId, names);
          if (gone || (at !== undefined && at !== before.at)) yield* run(DROP_CHUNKS, { id });
          else yield* run(orm.insert(keptFiles).values(row));
        });
        return { id, size };
      } catch (error) {
        await write(() => run(DROP_CHUNKS, { id })).catch(() => undefined);
        throw error;
      }
    },
    async open(channelId, id) {
      const own = and(eq(keptFiles.channelId, channelId), eq(keptFiles.id, id));
      const row = await read(({ orm }) => first(orm.select().from(keptFiles).where(own)));
      if (!row) return undefined;
      return { body: bytesOf(read, id), name: row.name ?? undefined, mediaType: row.mediaType, size: row.size };
    },
  };
}

function bytesOf(read: Engine["read"], id: string): ReadableStream<Uint8Array> {
  let part = 0;
  return new ReadableStream({
    async pull(controller) {
      const chunk = await read(() => first<{ bytes: Buffer }>(READ, { id, part }));
      part += 1;
      if (chunk) controller.enqueue(chunk.bytes);
      else controller.close();
    },
  });
}

/** Each in a transaction of its own. Resolves with their bytes. */
export async function addChunks(
  { write }: Pick<Engine, "write">,
  id: string,
  chunks: AsyncIterable<Buffer>,
  now: () => number,
): Promise<number> {
  let [size, part] = [0, 0];
  for await (const bytes of chunks) {
    const values = { id, part, bytes, now: now() };
    await write(() => run(ADD, values));
    size += bytes.length;
    part += 1;
  }
  return size;
}

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

async function* upTo(maxBytes: number, chunks: AsyncIterable<Buffer>, tooLarge: () => Error): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const bytes of chunks) {
    size += bytes.length;
    if (size > maxBytes) throw tooLarge();
    yield bytes;
  }
}

/** Of the same size, but the last. */
export async function* chunksOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of body) {
    held.push(bytes);
    length += bytes.byteLength;
    if (length < CHUNK) continue;
    const all = Buffer.concat(held);
    for (let n = 0; n + CHUNK <= length; n += CHUNK) yield all.subarray(n, n + CHUNK);
    held = [all.subarray(length - (length % CHUNK))];
    length %= CHUNK;
  }
  if (length > 0) yield Buffer.concat(held);
}
