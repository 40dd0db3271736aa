import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FILES } from "../../disk/folder.ts";
import type { Database } from "../../sqlite/database/db.ts";
import { ROWS, type Run, rest } from "./batches.ts";

/** Kept files' ids have this length. */
const FILE_ID = /[\w-]{22}/g;
const MARK = "UPDATE kept_file SET chat = @mark WHERE channel_id = @channelId AND id = @id";

/** Within a write: gives the erasure the files that these texts name, since the texts go first. */
export function markFiles(db: Database, mark: string, channelId: string, texts: (string | null)[]): void {
  const named = new Set(texts.flatMap((text) => text?.match(FILE_ID) ?? []));
  for (const id of named) db.prepared(MARK).run({ mark, channelId, id });
}

/** Bytes first: after a crash the rows still name them. */
export async function eraseFiles(run: Run, where: string, values: Record<string, unknown>): Promise<void> {
  const { db, folder, count } = run;
  const find = db.sqlite.prepare<[object], string>(`SELECT id FROM kept_file WHERE ${where} LIMIT ${ROWS}`).pluck();
  const remove = db.sqlite.prepare("DELETE FROM kept_file WHERE id = ?");
  for (let ids = find.all(values); ids.length > 0; ids = find.all(values)) {
    for (const id of ids) await rm(join(folder, FILES, id), { force: true });
    await db.write(() => count({ files: ids.filter((id) => remove.run(id).changes > 0).length }));
    await rest(run);
  }
}
