import { createReadStream, mkdirSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "gangway-messenger/clock";
import { refusing } from "../../../domain/delivery.ts";
import type { KeptFileStore } from "../../channels.ts";
import { type FileBytes, keptFileStore } from "../../tables/channels/kept-files.ts";
import { just } from "../../tables/engine.ts";
import type { Database } from "../database/db.ts";
import { sqliteEngine } from "./engine.ts";

/** Bytes are files in a folder next to the database. */
export function keptFilesIn(db: Database, clock: Clock, folder: string): KeptFileStore {
  const bytes = folderBytes(folder);
  return keptFileStore({
    engine: sqliteEngine(db),
    ...{ clock, bounds: db.bounds, refuse: refusing() },
    bytes: {
      ...bytes,
      async add(id, body) {
        const size = await bytes.add(id, body);
        db.disk.fileAdded(size);
        return size;
      },
    },
    buried: (id, names) => just({ gone: db.tombstones.isGone(id), at: db.tombstones.buriedAt(id, names) }),
    admit: db.disk.admitFile,
  });
}

/** Files and their names are synced to disk. */
export function folderBytes(folder: string): FileBytes {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pathOf = (id: string) => join(folder, id);
  return {
    async add(id, bytes) {
      const part = pathOf(`${id}.part`);
      let size = 0;
      try {
        const handle = await open(part, "w", 0o600);
        try {
          for await (const chunk of bytes) {
            size += chunk.byteLength;
            await handle.writeFile(chunk);
          }
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(part, pathOf(id));
        // Without this a power cut may lose the file's name.
        const own = await open(folder, "r");
        await own.sync().finally(() => own.close());
        return size;
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    },
    read: (id) => createReadStream(pathOf(id)),
    sizeOf: async (id) => (await stat(pathOf(id)).catch(() => undefined))?.size,
    remove: (id) => rm(pathOf(id), { force: true }),
  };
}
