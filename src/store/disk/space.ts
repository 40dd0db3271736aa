import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../store.ts";
import { asStoreError, fullDisk, isDiskFull } from "./faults.ts";
import { DATABASE } from "./folder.ts";

const PROBE = "room.probe";
const PROBE_BYTES = 64 * 1024;

/** `asStoreError` for the database in `folder`; it names a full disk whatever SQLite calls it. */
export function asStoreErrorIn(folder: string, error: unknown): unknown {
  const fault = asStoreError(error, join(folder, DATABASE));
  const isFull = fault instanceof StoreError && fault.kind === "perhaps-full" && !hasSpace(folder);
  return isFull ? fullDisk(folder) : fault;
}

/** Whether `error`, from opening or writing the database in `folder`, is due to a full disk. */
export function isOutOfSpace(error: unknown, folder: string): boolean {
  const fault = asStoreErrorIn(folder, error);
  return fault instanceof StoreError && fault.kind === "full";
}

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
