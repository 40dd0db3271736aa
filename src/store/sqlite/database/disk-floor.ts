import { statfs } from "node:fs/promises";
import type Sqlite from "better-sqlite3";
import type { Bounds, Uploader } from "../../../domain/delivery/overload.ts";
import { refusing } from "../../outbox/backpressure.ts";
import type { DiskSpace } from "../../store.ts";
import { isUsedUp, KEPT_SUMS, type KeptSums } from "../../tables/channels/kept-files.ts";

/** What the disk has room for. */
export interface DiskFloor {
  /** Throws Overload when the disk is below the floor. */
  admit(): void;
  /** Throws Overload when the disk is below the floor for files or the channel's quota is used up. */
  admitFile(channelId: string, uploader: Uploader, day: number): void;
  /** Subtracts a new file from the free space until the next check. */
  fileAdded(bytes: number): void;
  /** Measures free space; the result holds until the next check. */
  check(): Promise<DiskSpace>;
}

/** Files need this multiple of the floor: they are large, may be refused, and must leave room for messages. */
const FILE_FLOOR_FACTOR = 2;

export function createDiskFloor(sqlite: Sqlite.Database, folder: string, bounds: Bounds): DiskFloor {
  const kept = sqlite.prepare<[object], KeptSums>(KEPT_SUMS);
  const refuse = refusing();
  let diskFull = false;
  let freeForFiles = Number.POSITIVE_INFINITY;
  return {
    admit() {
      if (diskFull) refuse("disk");
    },
    admitFile(channelId, uploader, day) {
      if (freeForFiles < 0) refuse("disk");
      if (isUsedUp(bounds, uploader, kept.get({ channelId, day }))) refuse("files", { channelId });
    },
    fileAdded(bytes) {
      freeForFiles -= bytes;
    },
    async check() {
      const { bavail, blocks, bsize } = await statfs(folder);
      const freeBytes = bavail * bsize;
      diskFull = freeBytes < bounds.diskFloor;
      freeForFiles = freeBytes - bounds.diskFloor * FILE_FLOOR_FACTOR;
      return { freeBytes, totalBytes: blocks * bsize, belowFloor: diskFull };
    },
  };
}
