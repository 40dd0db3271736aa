import type { BucketAccess } from "../store.ts";
import type { Bucket } from "./bucket.ts";

/** Loaded lazily: most servers have no bucket. */
export async function openBucket(access: BucketAccess): Promise<Bucket> {
  const { s3Bucket } = await import("./s3.ts");
  return s3Bucket(access);
}
