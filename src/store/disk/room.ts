import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../store.ts";
import { asStoreError, saysFull } from "./faults.ts";
import { DATABASE } from "./folder.ts";

const PROBE = "room.probe";
const PROBE_BYTES = 64 * 1024;

/** Whether `error`, of opening or writing the database in `folder`, says that the disk is full: room mends it. */
export function wantsRoom(error: unknown, folder: string): boolean {
  const fault = asStoreError(error, join(folder, DATABASE));
  if (!(fault instanceof StoreError)) return false;
  return fault.kind === "full" || (fault.kind === "perhaps-full" && !hasRoom(folder));
}

/** SQLite has other names for a full disk, too, and free blocks may be kept for another user: a write proves that there is room. */
function hasRoom(folder: string): boolean {
  const file = join(folder, PROBE);
  try {
    writeFileSync(file, Buffer.alloc(PROBE_BYTES), { flush: true });
    return true;
  } catch (error) {
    return !saysFull(error);
  } finally {
    rmSync(file, { force: true });
  }
}
