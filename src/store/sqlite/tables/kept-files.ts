import { createReadStream, mkdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { and, eq } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import { newId } from "gangway-messenger/ids";
import type { KeptFileStore } from "../../channels.ts";
import { dayOf } from "../../tables/channels/raw-webhooks.ts";
import { keptFiles } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";

/** Bytes are files with random names next to the database. Sync them before writing the row. */
export function keptFileStore(db: Database, clock: Clock, folder: string): KeptFileStore {
  const root = join(folder, "files");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return {
    async keep(channelId, file, maxBytes, tooLarge, { uploader = "agent", chat } = {}) {
      // Buried before: a new conversation begins with the file.
      const buried = () => (chat === undefined ? undefined : db.tombstones.buriedAt(channelId, [chat]));
      const before = buried();
      db.disk.admitFile(channelId, uploader, dayOf(clock.now()));
      const id = newId<string>();
      const path = join(root, id);
      const size = await writeSynced(file.body, path, root, maxBytes, tooLarge);
      db.disk.fileAdded(size);
      const row = { channelId, id, name: file.name, mediaType: file.mediaType, size, createdAt: clock.now(), chat };
      const kept = await db.write(() => {
        const at = buried();
        if (db.tombstones.isGone(channelId) || (at !== undefined && at !== before)) return false;
        db.orm.insert(keptFiles).values(row).run();
        return true;
      });
      if (!kept) await rm(path, { force: true });
      return { id, size };
    },
    async open(channelId, id) {
      const row = db.orm
        .select()
        .from(keptFiles)
        .where(and(eq(keptFiles.channelId, channelId), eq(keptFiles.id, id)))
        .get();
      if (!row) return undefined;
      const body = Readable.toWeb(createReadStream(join(root, row.id))) as ReadableStream<Uint8Array>;
      return { body, name: row.name ?? undefined, mediaType: row.mediaType, size: row.size };
    },
  };
}

async function writeSynced(
  body: ReadableStream<Uint8Array>,
  path: string,
  folder: string,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<number> {
  const part = `${path}.part`;
  let size = 0;
  try {
    const handle = await open(part, "wx", 0o600);
    try {
      for await (const chunk of body) {
        size += chunk.byteLength;
        if (size > maxBytes) throw tooLarge();
        await handle.writeFile(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, path);
    await syncFolder(folder);
    return size;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Without this a power cut may lose the file's name. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
