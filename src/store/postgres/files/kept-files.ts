import { and, eq } from "drizzle-orm";
import type { Bounds, Uploader } from "../../../domain/delivery/overload.ts";
import { newId } from "../../../domain/ids.ts";
import type { Clock } from "../../../domain/time/clock.ts";
import type { KeptFileStore } from "../../channels.ts";
import { BucketError } from "../../objects/bucket.ts";
import { openBucket } from "../../objects/open.ts";
import { refusing } from "../../outbox/backpressure.ts";
import type { Sealer } from "../../secrets.ts";
import { StoreError, type StoreOptions } from "../../store.ts";
import { dayOf, type FileBytes, isUsedUp, KEPT_SUMS, type KeptSums } from "../../tables/channels/kept-files.ts";
import { type Engine, first, run, type Verb } from "../../tables/engine.ts";
import { keptFiles } from "../../tables/schema.ts";
import { buriedIn, keptBuried } from "../tables/tombstones.ts";
import { keptChunks } from "./kept-chunks.ts";
import { assertNoObjects, isInBucket, keptObjects } from "./kept-objects.ts";

interface Parts {
  engine: Engine;
  sealer: Sealer;
  clock: Clock;
  bounds: Bounds;
  chunks: FileBytes;
  /** Where files are added, if there is a bucket. */
  objects?: FileBytes;
  onBucketFault?(error: Error): void;
}

/** Throws StoreError when files are in a bucket that no setting names. */
export async function filesIn(
  { bucket: access, onBucketFault }: Pick<StoreOptions, "bucket" | "onBucketFault">,
  parts: Omit<Parts, "chunks" | "objects" | "onBucketFault">,
) {
  const { engine, sealer, clock } = parts;
  const bucket = access && (await openBucket(access));
  if (!bucket) await engine.read(assertNoObjects);
  const objects = bucket && keptObjects({ engine, sealer, bucket, now: clock.now, onFault: onBucketFault });
  const chunks = keptChunks(engine, clock.now);
  return { bucket, objects, keptFiles: keptFileStore({ ...parts, chunks, objects, onBucketFault }) };
}

/** Bytes are in the database or in a bucket, for every process. They come before the row that names them. */
function keptFileStore(parts: Parts): KeptFileStore {
  const { engine, sealer, clock, chunks, objects } = parts;
  const { read, write } = engine;
  const admit = admitting(parts);
  const orLater = laterOnFault(parts);
  return {
    async keep(channelId, file, maxBytes, tooLarge, { uploader = "agent", chat } = {}) {
      const names = chat === undefined ? [] : [chat];
      // Buried before: a new conversation begins with the file.
      const before = await read(() => buriedIn(sealer, channelId, names));
      await admit(channelId, uploader);
      const id = newId<string>();
      const bytes = objects ?? chunks;
      let kept = false;
      try {
        const size = await orLater(bytes.add(id, upTo(maxBytes, file.body, tooLarge)));
        const row = { channelId, id, name: file.name, mediaType: file.mediaType, size, createdAt: clock.now(), chat };
        kept = await write(function* ({ orm }): Verb<boolean> {
          const { gone, at } = yield* keptBuried(sealer, channelId, names);
          if (gone || (at !== undefined && at !== before.at)) return false;
          yield* run(orm.insert(keptFiles).values(row));
          return true;
        });
        return { id, size };
      } finally {
        // What stays goes later: no row names it.
        if (!kept) await bytes.remove(id).catch(() => undefined);
      }
    },
    async open(channelId, id) {
      const own = and(eq(keptFiles.channelId, channelId), eq(keptFiles.id, id));
      const row = await read(({ orm }) => first(orm.select().from(keptFiles).where(own)));
      if (!row) return undefined;
      const bytes = (await read(() => isInBucket(id))) ? objects : chunks;
      if (!bytes) throw new StoreError("the file is in a bucket: set FILES_S3_URL as it is at the other servers");
      const body = await orLater(streamOf(bytes.read(id)));
      return { body, name: row.name ?? undefined, mediaType: row.mediaType, size: row.size };
    },
  };
}

/** Throws Overload when the uploader's room is used up. */
function admitting({ engine: { read }, clock, bounds }: Parts) {
  const refuse = refusing();
  return async (channelId: string, uploader: Uploader): Promise<void> => {
    const sums = await read(() => first<KeptSums>(KEPT_SUMS, { channelId, day: dayOf(clock.now()) }));
    if (isUsedUp(bounds, uploader, sums)) refuse("files", { channelId });
  };
}

/** While the bucket is away, senders and readers come again. */
function laterOnFault({ onBucketFault }: Parts) {
  const refuse = refusing();
  return <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (!(error instanceof BucketError)) throw error;
      onBucketFault?.(error);
      return refuse("bucket");
    });
}

/** Its first bytes are read now, so that a failure comes before any answer. */
async function streamOf(bytes: AsyncIterable<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]();
  let next = await iterator.next();
  return new ReadableStream({
    async pull(controller) {
      if (next.done) return controller.close();
      controller.enqueue(next.value);
      next = await iterator.next();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function* upTo(
  maxBytes: number,
  body: AsyncIterable<Uint8Array>,
  tooLarge: () => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of body) {
    size += bytes.length;
    if (size > maxBytes) throw tooLarge();
    yield bytes;
  }
}
