import type { Clock } from "gangway-messenger/clock";
import { type Bounds, refusing } from "../../../domain/delivery.ts";
import {
  type Bucket,
  BucketError,
  nameOf,
  newFileKey,
  openPiece,
  PIECE,
  plainSize,
  sealPiece,
} from "../../objects/bucket.ts";
import { openBucket } from "../../objects/open.ts";
import type { Sealer } from "../../secrets.ts";
import { StoreError, type StoreOptions } from "../../store.ts";
import { type CheckResult, summarize } from "../../tables/care/checks.ts";
import { SEALED_COLUMNS, type SealedColumn } from "../../tables/care/sealed.ts";
import { type FileBytes, keptFileStore } from "../../tables/channels/kept-files.ts";
import { all, type Engine, first, run, type Verb } from "../../tables/engine.ts";
import { buriedIn, keptBuried } from "../database/engine.ts";

/** Bytes of a chunk: what a reader holds in memory. */
const CHUNK = 256 * 1024;
const ADD = "INSERT INTO kept_chunk (file_id, part, bytes, created_at) VALUES (@id, @part, @bytes, @now)";
const READ = "SELECT bytes FROM kept_chunk WHERE file_id = @id AND part = @part";
const SIZE = "SELECT sum(octet_length(bytes)) AS size FROM kept_chunk WHERE file_id = @id";
/** Chunks deleted per transaction: 16 MiB. */
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

/** Deletes chunks of files, or only those that `which` selects, in small transactions. Resolves with the files' ids. */
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

/** Pieces of equal size, except the last. */
async function* piecesOf(body: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Buffer> {
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

/**
 * Keys of files whose bytes are in the bucket. A trigger deletes the key with its file: nothing opens the objects from
 * then on, even while the bucket cannot be reached.
 */
const FILE_KEYS: SealedColumn = {
  ...{ table: "kept_object", key: "file_id", column: "sealed", number: "rowid", where: "sealed IS NOT NULL" },
  address: (row) => ({ table: "kept_object", row, column: "key" }),
};

/** All sealed columns. Keys of the ring are proven last. */
export const SEALED = [FILE_KEYS, ...SEALED_COLUMNS];

/** Recorded before an object leaves, so that none is ever unknown. */
const RECORD = `INSERT INTO kept_object (file_id, sealed, parts, created_at) VALUES (@id, @sealed, @parts, @now)
  ON CONFLICT (file_id) DO UPDATE SET parts = excluded.parts`;
const FIND = "SELECT sealed, parts FROM kept_object WHERE file_id = @id";
const FORGET = "UPDATE kept_object SET sealed = NULL WHERE file_id = @id";
const DROP = "DELETE FROM kept_object WHERE file_id = @id";
/** Objects come before their file's row, so a young object may still get one. */
const UNNAMED = `SELECT file_id AS id FROM kept_object WHERE sealed IS NULL OR created_at < @before
  AND NOT EXISTS (SELECT 1 FROM kept_file WHERE kept_file.id = kept_object.file_id)`;
const ANY = "SELECT 1 FROM kept_object WHERE sealed IS NOT NULL LIMIT 1";

interface Found {
  sealed: string | null;
  parts: number;
}

interface ObjectsParts {
  engine: Engine;
  sealer: Sealer;
  bucket: Bucket;
  now(): number;
  onFault?(error: Error): void;
}

export interface KeptObjects extends FileBytes {
  /** Removes files until the bucket fails; `sweep` removes the others. Resolves with the number removed. */
  removeAll(ids: string[]): Promise<number>;
  /** Removes objects of deleted files, and those older than `before` that a crash left without one. Ends at a fault. */
  sweep(before: number): Promise<number>;
}

/** Bytes in a bucket, of the files that `kept_object` lists. */
export function keptObjects({ engine: { read, write }, sealer, bucket, now, onFault }: ObjectsParts): KeptObjects {
  const find = (id: string) => read(() => first<Found>(FIND, { id }));
  const remove = async (id: string) => {
    await write(() => run(FORGET, { id }));
    const { parts = 0 } = (await find(id)) ?? {};
    for (let part = 0; part < parts; part++) await bucket.remove(nameOf(id, part));
    await write(() => run(DROP, { id }));
  };
  const removeAll = async (ids: string[]) => {
    for (const [n, id] of ids.entries())
      try {
        await remove(id);
      } catch (error) {
        if (!(error instanceof BucketError)) throw error;
        onFault?.(error);
        return n;
      }
    return ids.length;
  };
  return {
    async add(id, body) {
      const key = newFileKey();
      const sealed = sealer.seal(key.toString("base64"), FILE_KEYS.address(id));
      let [size, parts] = [0, 0];
      for await (const bytes of piecesOf(body, PIECE)) {
        const part = parts++;
        const values = { id, sealed, parts, now: now() };
        await write(() => run(RECORD, values));
        await bucket.put(nameOf(id, part), sealPiece(key, part, bytes));
        size += bytes.length;
      }
      if (parts === 0) await write(() => run(RECORD, { id, sealed, parts, now: now() }));
      return size;
    },
    async *read(id) {
      const { sealed, parts = 0 } = (await find(id)) ?? {};
      if (!sealed) return;
      const key = Buffer.from(sealer.open(sealed, FILE_KEYS.address(id)), "base64");
      for (let part = 0; part < parts; part++) {
        const piece = await bucket.get(nameOf(id, part));
        if (!piece) throw new StoreError(`the bucket of FILES_S3_URL has no object ${nameOf(id, part)}`);
        yield openPiece(key, part, piece);
      }
    },
    async sizeOf(id) {
      const found = await find(id);
      if (!found?.sealed) return undefined;
      let all = 0;
      for (const size of await sizesIn(bucket, id, found.parts)) {
        if (size === undefined) return undefined;
        all += size;
      }
      return all;
    },
    remove,
    removeAll,
    async sweep(before) {
      const unnamed = await read(() => all<{ id: string }>(UNNAMED, { before }));
      return removeAll(unnamed.map(({ id }) => id));
    },
  };
}

/** Bytes of each piece; undefined: it is missing. */
async function sizesIn(bucket: Bucket, id: string, parts: number): Promise<(number | undefined)[]> {
  const sizes: (number | undefined)[] = [];
  for (let part = 0; part < parts; part++) {
    const sealed = await bucket.sizeOf(nameOf(id, part));
    sizes.push(sealed === undefined ? undefined : plainSize(sealed));
  }
  return sizes;
}

export function* isInBucket(id: string): Verb<boolean> {
  return (yield* first(FIND, { id })) !== undefined;
}

/** Throws StoreError if files are in a bucket: for a server without one. */
export function* assertNoObjects(): Verb<void> {
  if (yield* first(ANY))
    throw new StoreError(
      "files of this database are in a bucket: set FILES_S3_URL, FILES_S3_KEY and FILES_S3_SECRET to its values",
    );
}

/** Bytes in the database or in the bucket. Each file is where it was added; new ones go to the bucket, if there is one. */
export function keptBytes({ read }: Engine, chunks: FileBytes, objects: FileBytes | undefined): FileBytes {
  const of = async (id: string) => {
    if (!(await read(() => isInBucket(id)))) return chunks;
    if (!objects) throw new StoreError("the file is in a bucket: set FILES_S3_URL as it is at the other servers");
    return objects;
  };
  const { add, remove } = objects ?? chunks;
  return {
    ...{ add, remove },
    async *read(id) {
      yield* (await of(id)).read(id);
    },
    sizeOf: async (id) => (await of(id)).sizeOf(id),
  };
}

interface Parts {
  engine: Engine;
  sealer: Sealer;
  clock: Clock;
  bounds: Bounds;
}

/** Throws StoreError when files are in a bucket that no setting names. */
export async function filesIn(
  { bucket: access, onBucketFault }: Pick<StoreOptions, "bucket" | "onBucketFault">,
  { engine, sealer, clock, bounds }: Parts,
) {
  const bucket = access && (await openBucket(access));
  if (!bucket) await engine.read(assertNoObjects);
  const objects = bucket && keptObjects({ engine, sealer, bucket, now: clock.now, onFault: onBucketFault });
  const refuse = refusing();
  const keptFiles = keptFileStore({
    ...{ engine, clock, bounds, refuse },
    bytes: keptBytes(engine, keptChunks(engine, clock.now), objects),
    buried: (channelId, names, held) => (held ? keptBuried : buriedIn)(sealer, channelId, names),
    orLater: laterOnFault(refuse, onBucketFault),
  });
  return { bucket, objects, keptFiles };
}

/** Throws Overload while the bucket is away, so that senders and readers come again. */
function laterOnFault(refuse: ReturnType<typeof refusing>, onBucketFault?: (error: Error) => void) {
  return <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (!(error instanceof BucketError)) throw error;
      onBucketFault?.(error);
      return refuse("bucket");
    });
}

/** Files asked about at once. */
const AT_ONCE = 16;
const FILES = `SELECT kept_file.id AS id, size, parts, kept_object.rowid AS number
  FROM kept_object JOIN kept_file ON kept_file.id = kept_object.file_id
  WHERE kept_object.rowid > @after ORDER BY kept_object.rowid LIMIT ${AT_ONCE}`;

interface FileRow {
  id: string;
  size: number;
  parts: number;
  number: number;
}

/** Whether the bucket has all bytes of its files. */
export async function checkObjects({ read }: Pick<Engine, "read">, bucket: Bucket): Promise<CheckResult> {
  const faults: string[] = [];
  let seen = 0;
  try {
    for (let after = -1; ; ) {
      const rows = await read(() => all<FileRow>(FILES, { after }));
      const last = rows.at(-1);
      if (!last) return summarize(`${seen} files`, faults);
      for (const found of await Promise.all(rows.map((row) => faultOf(bucket, row)))) if (found) faults.push(found);
      seen += rows.length;
      after = last.number;
    }
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    return summarize(`${seen} files`, [...faults, error.message]);
  }
}

async function faultOf(bucket: Bucket, { id, size, parts }: FileRow): Promise<string | undefined> {
  const sizes = await sizesIn(bucket, id, parts);
  const missing = sizes.filter((each) => each === undefined).length;
  if (missing > 0) return `the file ${id} lacks ${missing} of its ${parts} objects`;
  const found = sizes.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  return found === size ? undefined : `the file ${id} has ${found} bytes and should have ${size}`;
}
