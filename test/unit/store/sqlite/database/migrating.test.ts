import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { verifyAll } from "../../../../../src/store/care/verify.ts";
import { openDatabase } from "../../../../../src/store/sqlite/database/db.ts";
import { baselineOf, laterVersion } from "../../../../support/later-version.ts";
import { changeRows, rowsOf } from "../../../../support/rows.ts";
import { KEY_RING, temporaryFolder, temporaryStore } from "../../../../support/store.ts";

const BEFORE = readFileSync(join(import.meta.dirname, "..", "..", "before-baseline", "sqlite.sql"), "utf8");

/** A folder with a database that the last migration before the baseline has made. */
function folderBefore(): string {
  const folder = temporaryFolder();
  const sqlite = new Sqlite(join(folder, "gangway.db"));
  sqlite.pragma("journal_mode = WAL");
  sqlite.exec(BEFORE);
  sqlite.close();
  return folder;
}

/** One line for each table's column and key, index and trigger. */
function schemaOf(folder: string): string[] {
  const sqlite = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const list = <T>(query: string, ...values: string[]) => sqlite.prepare<string[], T>(query).all(...values);
  const own = "name NOT LIKE 'sqlite_%' AND name <> '__drizzle_migrations'";
  const tables = list<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table' AND ${own}`);
  const ofTables = tables.flatMap(({ name }) =>
    [
      ...list<object>('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', name),
      ...list<object>('SELECT "table", "from", "to", on_update, on_delete FROM pragma_foreign_key_list(?)', name),
    ].map((each) => `${name} ${JSON.stringify(each)}`),
  );
  const others = list<{ sql: string }>(`SELECT sql FROM sqlite_master WHERE type <> 'table' AND ${own}`);
  sqlite.close();
  return [...ofTables, ...others.map(({ sql }) => sql.replace(/\s+/g, " "))].sort();
}

const LATER = {
  "0001_wider": "ALTER TABLE `account` ADD COLUMN `added` integer DEFAULT 7 NOT NULL;",
  "0002_copied": "CREATE TABLE `copy` AS SELECT * FROM `note`;",
};

describe("the baseline", () => {
  it("makes the tables of the migrations before it, without the trigger for programs that are older still", async () => {
    const folder = temporaryFolder();
    openDatabase(folder, { migrating: { folder: baselineOf("sqlite") } }).close();
    const lines = schemaOf(folder);
    expect(lines.length).toBeGreaterThan(200);
    expect(lines).toEqual(schemaOf(folderBefore()).filter((line) => !line.includes("`older_version`")));
  });

  it("changes nothing in a database that has them, and counts its starts on", async () => {
    const folder = folderBefore();
    const { meta, ...before } = rowsOf(folder);
    openDatabase(folder, { migrating: { folder: baselineOf("sqlite") } }).close();
    const { meta: after, ...tables } = rowsOf(folder);
    expect(tables).toEqual(before);
    expect(after).toContainEqual({ key: "starts", value: "4" });
    expect(after).toHaveLength(meta?.length ?? 0);
  });

  it("refuses an older database in words, and changes nothing", () => {
    const folder = folderBefore();
    changeRows(folder, "UPDATE __drizzle_migrations SET created_at = created_at - 1");
    const before = rowsOf(folder);
    const words = "is older than Gangway's first version: start a build whose last migration is 0030_unanswered_starts";
    expect(() => openDatabase(folder)).toThrow(words);
    const sqlite = new Sqlite(join(folder, "gangway.db"), { readonly: true });
    const { faults = [] } =
      verifyAll({ sqlite, ring: KEY_RING, files: folder }).find(({ name }) => name === "schema") ?? {};
    sqlite.close();
    expect(faults.join()).toContain(words);
    expect(rowsOf(folder)).toEqual(before);
  });
});

describe("a later version", () => {
  it("keeps every row", async () => {
    const folder = temporaryFolder();
    await (await temporaryStore(undefined, folder)).close();
    changeRows(folder, "INSERT INTO note VALUES ('channel', 'key', 'as it was', 1)");
    openDatabase(folder, { migrating: { folder: laterVersion("sqlite", LATER) } }).close();
    expect(rowsOf(folder, ["copy"])).toEqual({ copy: rowsOf(folder, ["note"]).note });
    expect(() => openDatabase(folder)).toThrow(
      "is from a newer version of Gangway than this program: start that version",
    );
  });

  it("needs room on the disk, says how much, and leaves the old tables without it", () => {
    const folder = folderBefore();
    const before = rowsOf(folder);
    const migrating = { statfs: () => ({ bavail: 100, bsize: 1024 }), folder: laterVersion("sqlite", LATER) };
    expect(() => openDatabase(folder, { migrating })).toThrow(
      /MiB must be free on its disk, and 0 MiB are: free some space/,
    );
    expect(rowsOf(folder)).toEqual(before);
  });

  it("leaves the old tables when it is killed in the middle, and the next start migrates", async () => {
    const folder = folderBefore();
    // Enough that the log is on the disk before the transaction ends.
    changeRows(
      folder,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO note SELECT 'channel', 'note ' || i, hex(randomblob(20)), i FROM n`,
    );
    const before = rowsOf(folder);
    const later = laterVersion("sqlite", LATER);
    const child = spawn(process.execPath, ["-e", SLOW, folder, later, ...Object.keys(LATER)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    expect(statSync(join(folder, "gangway.db-wal")).size).toBeGreaterThan(1_000_000);
    child.kill("SIGKILL");
    await ended;
    expect(rowsOf(folder)).toEqual(before);
    openDatabase(folder, { migrating: { folder: later } }).close();
    expect(rowsOf(folder, ["copy"]).copy).toHaveLength(20_000);
  });
});

/** Runs the statements of migrations in one transaction, says when all but the commit is done, and waits. */
const SLOW = `
  const { readFileSync } = require("node:fs");
  const [folder, migrations, ...names] = process.argv.slice(1);
  const db = require("better-sqlite3")(folder + "/gangway.db");
  db.pragma("cache_size = -100");
  db.exec("BEGIN");
  for (const name of names) db.exec(readFileSync(migrations + "/" + name + ".sql", "utf8"));
  console.log("all but the commit");
  setInterval(() => {}, 1000);
`;
