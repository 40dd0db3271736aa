import { openBucket } from "../objects/open.ts";
import { createSealer, type KeyRing } from "../secrets.ts";
import type { BucketAccess } from "../store.ts";
import { type Moved, move, retire } from "./move.ts";
import { postgresSide, sqliteSide } from "./sides.ts";

interface Between {
  /** The data folder, of a stopped server. */
  folder: string;
  url: string;
  /** Where files on PostgreSQL are, if not in the database. */
  bucket?: BucketAccess;
  keyRing: KeyRing;
  now: number;
  told(line: string): void;
}

/** Moves everything from the data folder to PostgreSQL, or back. Throws StoreError. */
export async function moveBetween(
  way: "to" | "from",
  { folder, url, bucket, keyRing, now, told }: Between,
): Promise<Moved> {
  const sealer = createSealer(keyRing);
  const sqlite = sqliteSide(folder, sealer);
  try {
    const postgres = await postgresSide(url, sealer, bucket && (await openBucket(bucket)));
    const [from, to] = way === "to" ? [sqlite, postgres] : [postgres, sqlite];
    try {
      const moved = await move(from, to, now, told);
      await retire(from, now);
      return moved;
    } finally {
      await postgres.close();
    }
  } finally {
    await sqlite.close();
  }
}
