import { readdirSync, statSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { serialByKey } from "gangway-messenger/concurrency";
import type { KnownBackup, NotePrefix, Retention } from "../care.ts";
import { ASIDE, FILES } from "../disk/folder.ts";
import type { ErasingEngine } from "../erasing/engine.ts";
import { CHECKPOINT_PAGES, type Database } from "../sqlite/database/db.ts";
import { owesRewrite, type Rewrite, rewriteNow } from "../sqlite/database/traces.ts";
import { sqliteEngine } from "../sqlite/tables/engine.ts";
import { StoreError } from "../store.ts";
import * as shared from "../tables/care/retention.ts";
import { all, just } from "../tables/engine.ts";

const TABLES_WITH = `SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' AND columns.name = @column`;

/** Erasing on SQLite: nobody else writes during a transaction. */
export function sqliteErasingEngine(db: Database, folder: string, rewrite: Rewrite): ErasingEngine {
  return {
    engine: sqliteEngine(db),
    some: (table, where, limit) => `rowid IN (SELECT rowid FROM "${table}" WHERE ${where} LIMIT ${limit})`,
    *tablesWith(column) {
      return (yield* all<{ name: string }>(TABLES_WITH, { column })).map(({ name }) => name);
    },
    hold: () => just(undefined),
    holdAccount: () => just(undefined),
    lockMessages: () => just(false),
    tellOthers: () => just(undefined),
    async removeFiles(ids) {
      for (const id of ids) await rm(join(folder, FILES, id), { force: true });
    },
    alone: smallCheckpoints(db),
    assertOpen() {
      if (!db.sqlite.open) throw new StoreError("the server has stopped; it goes on with the erasure when it starts");
    },
    // Deferred: listeners must not read within a transaction.
    onOthers: (listener) => db.others.onWritten(() => void setImmediate(() => db.sqlite.open && listener())),
    removeTraces: tracesRemover(db, rewrite),
    copies: () => asideIn(folder),
  };
}

/** Checkpoint threshold while erasing, pages: with the usual one a checkpoint takes longer than a batch (measured). */
const CHECKPOINT_AT = 250;
const checkpointAt = ({ sqlite }: Database, pages: number) => sqlite.pragma(`wal_autocheckpoint = ${pages}`);

/** Keeps checkpoints small while erasures run. A command may run the same one: each deletes what is left. */
function smallCheckpoints(db: Database): ErasingEngine["alone"] {
  let running = 0;
  return async (_, work) => {
    if (running++ === 0) checkpointAt(db, CHECKPOINT_AT);
    try {
      return await work();
    } finally {
      if (--running === 0 && db.sqlite.open) checkpointAt(db, CHECKPOINT_PAGES);
    }
  };
}

/** Serialized. Only the process that watches the files may shrink them. */
function tracesRemover(db: Database, rewrite: Rewrite): () => Promise<boolean> {
  const { databaseFiles } = db;
  if (!databaseFiles) return async () => !owesRewrite(db.sqlite);
  const oneByOne = serialByKey<"file">();
  return () => oneByOne("file", () => rewriteNow({ ...db, databaseFiles }, rewrite));
}

/** Databases that a restore has set aside. */
const asideIn = (folder: string): KnownBackup[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(ASIDE))
    .map((name) => ({ file: join(folder, name), at: statSync(join(folder, name)).mtimeMs }));

/** Files looked at between pauses. */
const BATCH = 500;

export const retention = (db: Database, folder: string, notes?: NotePrefix[]): Retention =>
  shared.retention({
    engine: sqliteEngine(db),
    notes,
    sweepFolder: (before) => sweepFolder(db, join(folder, FILES), before),
  });

async function sweepFolder({ sqlite }: Database, folder: string, before: number): Promise<number> {
  const isKept = sqlite.prepare("SELECT 1 FROM kept_file WHERE id = ?");
  let deleted = 0;
  for (const [n, name] of (await readdir(folder)).entries()) {
    if (n % BATCH === 0) await nextTurn();
    if (isKept.get(name)) continue;
    // Bytes are written before their row, so spare young files.
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (!found || found.mtimeMs >= before) continue;
    await rm(join(folder, name), { force: true });
    deleted += 1;
  }
  return deleted;
}
