import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { once, type Row } from "./figure.ts";
import type { Rig } from "./rig.ts";

/** The table of sealed raw webhooks, which the database's growth leaves out. */
const RAW = "raw_webhook";

interface Work {
  statements: number;
  databaseBytes: number;
  allocatedBytes: number;
}

/** Counts what a message takes, in rounds that nobody times. */
async function workOf(rig: Rig, count: number): Promise<Work> {
  const before = bytesIn(rig.folder);
  await rig.carry(count);
  const databaseBytes = (bytesIn(rig.folder) - before) / count;
  await rig.server.ask("sampleHeap");
  await rig.carry(count);
  const allocatedBytes = (await rig.server.ask<number>("sampledBytes")) / count;
  await rig.server.ask("countStatements");
  await rig.carry(count);
  return { statements: (await rig.server.ask<number>("statements")) / count, databaseBytes, allocatedBytes };
}

/** Bytes in use within the pages of all tables and indexes. */
function bytesIn(folder: string): number {
  const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const used = "SELECT sum(pgsize - unused) FROM dbstat WHERE aggregate = TRUE AND name <> ?";
  const bytes = db.prepare(used).pluck().get(RAW) as number;
  db.close();
  return bytes;
}

/** What a message takes in the product, beside the ceiling. */
export async function workRows(product: Rig, ceiling: Rig, count: number): Promise<Row[]> {
  const [own, least] = [await workOf(product, count), await workOf(ceiling, count)];
  const row = (name: string, what: string, key: keyof Work, per = 1, unit = ""): Row => ({
    ...{ name, unit, what: `${what} (the ceiling: ${Number((least[key] / per).toPrecision(3))}${unit})` },
    figure: once(own[key] / per),
    detail: { ceiling: least[key] / per },
  });
  return [
    row("statements", "SQL statements a message", "statements"),
    row("database-bytes", "bytes of database a message, raw webhook aside", "databaseBytes", 1, " B"),
    row("allocated", "bytes allocated on the heap a message, by V8's sampling", "allocatedBytes", 1024, " KiB"),
  ];
}
