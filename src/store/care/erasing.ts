import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { serialByKey } from "../../domain/time/concurrency.ts";
import { ASIDE, FILES } from "../disk/folder.ts";
import type { ErasingEngine } from "../erasing/engine.ts";
import type { KnownBackup } from "../erasure.ts";
import { CHECKPOINT_PAGES, type Database } from "../sqlite/database/db.ts";
import { owesRewrite, type Rewrite, rewriteNow } from "../sqlite/database/traces.ts";
import { sqliteEngine } from "../sqlite/tables/engine.ts";
import { StoreError } from "../store.ts";
import { all, just } from "../tables/engine.ts";

const TABLES_WITH = `SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' AND columns.name = @column`;

/** Erasing in a file: nobody else writes within its transactions. */
export function sqliteErasingEngine(db: Database, folder: string, rewrite: Rewrite): ErasingEngine {
  return {
    engine: sqliteEngine(db),
    some: (table, where, limit) => `rowid IN (SELECT rowid FROM "${table}" WHERE ${where} LIMIT ${limit})`,
    *tablesWith(column) {
      return (yield* all<{ name: string }>(TABLES_WITH, { column })).map(({ name }) => name);
    },
    hold: () => just(undefined),
    holdAccount: () => just(undefined),
    locking: "",
    tellOthers: () => just(undefined),
    async removeFiles(ids) {
      for (const id of ids) await rm(join(folder, FILES, id), { force: true });
    },
    alone: smallCheckpoints(db),
    assertOpen() {
      if (!db.sqlite.open) throw new StoreError("the server has stopped; it goes on with the erasure when it starts");
    },
    // Later: within a transaction nobody may read.
    onOthers: (listener) => db.others.onWritten(() => void setImmediate(() => db.sqlite.open && listener())),
    removeTraces: tracesRemover(db, rewrite),
    copies: () => asideIn(folder),
  };
}

/** Pages of log: with the usual number a checkpoint takes longer than a batch (measured). */
const CHECKPOINT_AT = 250;
const checkpointAt = ({ sqlite }: Database, pages: number) => sqlite.pragma(`wal_autocheckpoint = ${pages}`);

/** Checkpoints are small while erasures run. A command beside the server may run the same: each deletes what is left. */
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

/** One at a time. Only the process that watches the files may shrink them. */
function tracesRemover(db: Database, rewrite: Rewrite): () => Promise<boolean> {
  const { databaseFiles } = db;
  if (!databaseFiles) return async () => !owesRewrite(db.sqlite);
  const oneByOne = serialByKey<"file">();
  return () => oneByOne("file", () => rewriteNow({ ...db, databaseFiles }, rewrite));
}

/** What a restore has put aside. */
const asideIn = (folder: string): KnownBackup[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(ASIDE))
    .map((name) => ({ file: join(folder, name), at: statSync(join(folder, name)).mtimeMs }));
