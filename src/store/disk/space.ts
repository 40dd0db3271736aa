import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../store.ts";
import { asStoreError, isDiskFull } from "./faults.ts";
import { DATABASE } from "./folder.ts";

const PROBE = "room.probe";
const PROBE_BYTES = 64 * 1024;

/** Whether `error`, from opening or writing the database in `folder`, is due to a full disk. */
export function isOutOfSpace(error: unknown, folder: string): boolean {
  const fault = asStoreError(error, join(folder, DATABASE));
  if (!(fault instanceof StoreError)) return false;
  return fault.kind === "full" || (fault.kind === "perhaps-full" && !hasSpace(folder));
}

/** `asStoreError`, which names a full disk whatever SQLite calls it. */
export const asStoreErrorIn = (folder: string, error: unknown): unknown =>
  isOutOfSpace(error, folder)
    ? new StoreError(`the disk of ${folder} is full: free some space`, "full")
    : asStoreError(error, join(folder, DATABASE));

/** Only a write proves free space: SQLite reports a full disk in several ways, and free blocks may be reserved. */
function hasSpace(folder: string): boolean {
  const file = join(folder, PROBE);
  try {
    writeFileSync(file, Buffer.alloc(PROBE_BYTES), { flush: true });
    return true;
  } catch (error) {
    return !isDiskFull(error);
  } finally {
    rmSync(file, { force: true });
  }
}
