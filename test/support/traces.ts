import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { sealedIn, sealedRows } from "../../src/store/care/sealed.ts";
import { createSealer, ifOpens } from "../../src/store/secrets.ts";
import { KEY_RING } from "./store.ts";

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

function sealedTraces(file: string, words: string[]): string[] {
  const sqlite = new Sqlite(file, { readonly: true });
  const sealer = createSealer(KEY_RING);
  try {
    return sealedIn({ sqlite }).flatMap((column) =>
      sealedRows({ sqlite }, column, 0, 1_000_000).flatMap(({ key, value }) => {
        const opened = ifOpens(() => sealer.open(value, column.address(key)));
        if (opened === undefined) throw new Error(`${column.table} ${key} does not open`);
        return words.filter((word) => opened.includes(word)).map((word) => `${word} sealed in ${column.table} ${key}`);
      }),
    );
  } finally {
    sqlite.close();
  }
}
