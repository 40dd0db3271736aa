import type { BucketAccess } from "../store.ts";
import type { Bucket } from "./bucket.ts";

/** Loaded late: most servers have none. */
export async function openBucket(access: BucketAccess): Promise<Bucket> {
  const { s3Bucket } = await import("./s3.ts");
  return s3Bucket(access);
}
