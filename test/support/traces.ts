import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { runOn, sealedIn } from "../../src/store/care/verify.ts";
import { createSealer, ifOpens } from "../../src/store/secrets.ts";
import type { Store } from "../../src/store/store.ts";
import { SEALED_COLUMNS, sealedRows } from "../../src/store/tables/care/sealed.ts";
import { databaseUrl } from "./engine.ts";
import { command } from "./postgres.ts";
import { KEY_RING } from "./store.ts";
import { until } from "./until.ts";

/** Where a data folder still holds one of the words: in the bytes and names of its files, and in what is sealed. */
export function tracesIn(folder: string, words: string[]): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const plain = files.flatMap((name) => {
    const path = join(folder, name);
    const bytes = statSync(path).isFile() ? readFileSync(path) : Buffer.alloc(0);
    return words.filter((word) => name.includes(word) || bytes.includes(word)).map((word) => `${word} in ${name}`);
  });
  return [...plain, ...sealedTraces(join(folder, "gangway.db"), words)];
}

/** An answer at once is a best effort: autovacuum, or a reader, may be at a table. */
export const withoutTraces = ({ erasure }: Pick<Store, "erasure">): Promise<boolean> =>
  until("the traces to be gone", () => erasure.removeTraces());

/** The same of the engine in use. */
export async function tracesLeft(folder: string, words: string[]): Promise<string[]> {
  const url = await databaseUrl(folder);
  return url === undefined ? tracesIn(folder, words) : tracesInDatabase(url, words);
}

/** Where a database of PostgreSQL still holds one of the words: in any row, in its statistics, and in what is sealed. */
export async function tracesInDatabase(url: string, words: string[]): Promise<string[]> {
  const tables = await command(
    url,
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of [...tables, { name: "pg_stats" }]) {
    const rows = await command(url, `SELECT CAST(each AS text) AS text FROM ${name} AS each`);
    const said = rows.map(({ text }) => `${text}`).join("\n");
    // Bytes are shown in hexadecimals.
    const has = (word: string) => said.includes(word) || said.includes(Buffer.from(word).toString("hex"));
    found.push(...words.filter(has).map((word) => `${word} in ${name}`));
  }
  const sealer = createSealer(KEY_RING);
  for (const { table, key, column, where, address } of SEALED_COLUMNS)
    for (const row of await command(
      url,
      `SELECT ${key} AS key, ${column} AS value FROM ${table} WHERE ${where ?? true}`,
    )) {
      const opened = ifOpens(() => sealer.open(`${row.value}`, address(`${row.key}`)));
      if (opened === undefined) throw new Error(`${table} ${row.key} does not open`);
      found.push(...words.filter((word) => opened.includes(word)).map((word) => `${word} sealed in ${table}`));
    }
  return found;
}

function sealedTraces(file: string, words: string[]): string[] {
  const sqlite = new Sqlite(file, { readonly: true });
  const sealer = createSealer(KEY_RING);
  try {
    return sealedIn({ sqlite }).flatMap((column) =>
      runOn({ sqlite }, sealedRows(column, 0, 1_000_000)).flatMap(({ key, value }) => {
        const opened = ifOpens(() => sealer.open(value, column.address(key)));
        if (opened === undefined) throw new Error(`${column.table} ${key} does not open`);
        return words.filter((word) => opened.includes(word)).map((word) => `${word} sealed in ${column.table} ${key}`);
      }),
    );
  } finally {
    sqlite.close();
  }
}
