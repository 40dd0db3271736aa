import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Stores bytes, spilling to disk beyond a memory limit. */
export interface ByteStore {
  put(key: string, bytes: Uint8Array): void;
  get(key: string): Uint8Array;
  close(): void;
}

const MAX_IN_MEMORY = 64 * 1024 * 1024;

export function createByteStore(maxInMemory = MAX_IN_MEMORY): ByteStore {
  const kept = new Map<string, Uint8Array>();
  let total = 0;
  let folder: string | undefined;
  const pathOf = (key: string): string => {
    folder ??= mkdtempSync(join(tmpdir(), "sandbox-files-"));
    return join(folder, key);
  };
  return {
    put(key, bytes) {
      kept.set(key, bytes);
      total += bytes.byteLength;
      for (const [old, its] of kept) {
        if (total <= maxInMemory) break;
        writeFileSync(pathOf(old), its);
        kept.delete(old);
        total -= its.byteLength;
      }
    },
    get: (key) => kept.get(key) ?? readFileSync(pathOf(key)),
    close() {
      if (folder) rmSync(folder, { recursive: true, force: true });
      folder = undefined;
    },
  };
}
