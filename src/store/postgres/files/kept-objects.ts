import { type Bucket, BucketError } from "../../objects/bucket.ts";
import { nameOf, newFileKey, openPiece, PIECE, plainSize, sealPiece } from "../../objects/pieces.ts";
import type { Sealer } from "../../secrets.ts";
import { StoreError } from "../../store.ts";
import { SEALED_COLUMNS, type SealedColumn } from "../../tables/care/sealed.ts";
import type { FileBytes } from "../../tables/channels/kept-files.ts";
import { all, type Engine, first, run, type Verb } from "../../tables/engine.ts";
import { piecesOf } from "./kept-chunks.ts";

/**
 * Keys of files whose bytes are in the bucket. Whoever deletes a file deletes its key with it, by trigger: nothing opens the
 * objects any more, also while the bucket cannot be reached.
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
/** Objects come before their file's row: a young one may still get one. */
const UNNAMED = `SELECT file_id AS id FROM kept_object WHERE sealed IS NULL OR created_at < @before
  AND NOT EXISTS (SELECT 1 FROM kept_file WHERE kept_file.id = kept_object.file_id)`;
const ANY = "SELECT 1 FROM kept_object WHERE sealed IS NOT NULL LIMIT 1";

interface Found {
  sealed: string | null;
  parts: number;
}

interface Parts {
  engine: Engine;
  sealer: Sealer;
  bucket: Bucket;
  now(): number;
  onFault?(error: Error): void;
}

export interface KeptObjects extends FileBytes {
  /** As many as go: the others are left for `sweep`. Resolves with their number. */
  removeAll(ids: string[]): Promise<number>;
  /** Removes the objects of deleted files, and those older than `before` that a crash left without one. Ends early at a fault. */
  sweep(before: number): Promise<number>;
}

/** Bytes in a bucket, of the files that `kept_object` lists. */
export function keptObjects({ engine: { read, write }, sealer, bucket, now, onFault }: Parts): KeptObjects {
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
export async function sizesIn(bucket: Bucket, id: string, parts: number): Promise<(number | undefined)[]> {
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

/** Throws StoreError when there are such files and no bucket. */
export function* assertNoObjects(): Verb<void> {
  if (yield* first(ANY))
    throw new StoreError(
      "files of this database are in a bucket: set FILES_S3_URL, FILES_S3_KEY and FILES_S3_SECRET to its values",
    );
}
