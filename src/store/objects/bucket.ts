import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { newId } from "gangway-messenger/ids";
import { SealError } from "../secrets.ts";
import { StoreError } from "../store.ts";

/** The bucket is unreachable or refuses. No data is lost. */
export class BucketError extends StoreError {}

/** Objects by name, outside the database. All verbs may be repeated. Throws BucketError. */
export interface Bucket {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined if there is none. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Size in bytes; undefined if there is none. */
  sizeOf(name: string): Promise<number | undefined>;
  remove(name: string): Promise<void>;
}

/** Stores, reads and removes an object. Resolves with the fault, if any. */
export async function probe(bucket: Bucket): Promise<string | undefined> {
  const name = `probe-${newId<string>()}`;
  try {
    await bucket.put(name, Buffer.from(name));
    const found = await bucket.get(name);
    const size = await bucket.sizeOf(name);
    await bucket.remove(name);
    if (!found || Buffer.from(found).toString() !== name || size !== name.length)
      return "it does not return what was stored";
    return (await bucket.get(name)) ? "it still returns what was removed" : undefined;
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    return error.message;
  }
}

// A file is stored in pieces of equal size (except the last), each sealed, sent and retried separately.

/** Bytes of a piece: what an upload holds in memory, twice. */
export const PIECE = 1024 ** 2;
const TAG = 16;
const ALGORITHM = "aes-256-gcm";

/** A key for one file only. */
export const newFileKey = (): Buffer => randomBytes(32);

export const nameOf = (file: string, part: number): string => `${file}/${part}`;

/** Unique per piece under the file's own key; resealing a piece gives the same bytes. */
function ivOf(part: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(part, 8);
  return iv;
}

export function sealPiece(key: Buffer, part: number, bytes: Uint8Array): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, ivOf(part), { authTagLength: TAG });
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Throws SealError when it is not this piece of this file. */
export function openPiece(key: Buffer, part: number, sealed: Uint8Array): Buffer {
  try {
    const end = sealed.length - TAG;
    const decipher = createDecipheriv(ALGORITHM, key, ivOf(part), { authTagLength: TAG });
    decipher.setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
  } catch {
    throw new SealError("an object of a kept file does not open: it was changed or belongs to another file");
  }
}

/** Bytes in a sealed piece. */
export const plainSize = (sealed: number): number => sealed - TAG;
