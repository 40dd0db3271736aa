import { existsSync } from "node:fs";
import { join } from "node:path";
import { assertNotLost, DATABASE } from "../disk/folder.ts";
import { openBucket } from "../objects/open.ts";
import { createSealer, type KeyRing } from "../secrets.ts";
import { type BucketAccess, StoreError } from "../store.ts";
import { movedInWords } from "../tables/care/moves.ts";
import { type Moved, move, movedSince } from "./move.ts";
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
  const openFolder = async () => {
    if (way === "to") assertHasDatabase(folder);
    return sqliteSide(folder, sealer);
  };
  const openPostgres = async () =>
    postgresSide(url, { sealer, bucket: bucket && (await openBucket(bucket)), mustHaveTables: way === "from" });
  // The original first: where there is none, nothing is made on the other side.
  const [openFrom, openTo] = way === "to" ? [openFolder, openPostgres] : [openPostgres, openFolder];
  const from = await openFrom();
  try {
    const moved = await movedSince(from);
    if (moved !== undefined && way === "from" && !hasDatabase(folder)) throw new StoreError(movedInWords(moved));
    const to = await openTo();
    try {
      return await move(from, to, now, told);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

const hasDatabase = (folder: string) => existsSync(join(folder, DATABASE));

function assertHasDatabase(folder: string): void {
  assertNotLost(folder);
  if (!hasDatabase(folder))
    throw new StoreError(`there is no database in the data folder ${folder}: check DATA_FOLDER`);
}
