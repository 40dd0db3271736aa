import { newId } from "../../domain/ids.ts";
import { StoreError } from "../store.ts";

/** The bucket cannot be reached, or does not do what it is asked. Nothing is lost by it. */
export class BucketError extends StoreError {}

/** Objects by name, outside the database. All verbs may be repeated. Throws BucketError. */
export interface Bucket {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined: there is none. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** In bytes; undefined: there is none. */
  sizeOf(name: string): Promise<number | undefined>;
  remove(name: string): Promise<void>;
}

/** Stores, reads and removes an object. Resolves with what fails; undefined: nothing. */
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
