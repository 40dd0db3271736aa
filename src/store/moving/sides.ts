import { createReadStream } from "node:fs";
import { mkdir, open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { FILES, syncFolder } from "../disk/folder.ts";
import { connect } from "../postgres/connection.ts";
import { postgresEngine } from "../postgres/engine.ts";
import { addChunks, chunksOf, DROP_CHUNKS } from "../postgres/kept-files.ts";
import { isServed } from "../postgres/leases.ts";
import { migrateTables } from "../postgres/migrating.ts";
import type { Sealer } from "../secrets.ts";
import { openDatabase } from "../sqlite/database/db.ts";
import { sqliteEngine } from "../sqlite/tables/engine.ts";
import { StoreError } from "../store.ts";
import { all, type Engine, first, run } from "../tables/engine.ts";
import type { MovedTable } from "./tables.ts";

/** A database that rows are moved from or to. Nobody else uses it meanwhile. */
export interface Side {
  engine: Engine;
  /** The last number of a table's own sequence. */
  sequence(table: MovedTable): Promise<number>;
  setSequence(table: MovedTable, last: number): Promise<void>;
  /** Bytes of a kept file that are there; undefined: none. */
  sizeOf(file: string): Promise<number | undefined>;
  read(file: string): AsyncIterable<Uint8Array>;
  write(file: string, bytes: AsyncIterable<Uint8Array>, now: number): Promise<void>;
  close(): Promise<void>;
}

/** Throws StoreError when a server runs on the folder. */
export function sqliteSide(folder: string, sealer: Sealer): Side {
  const db = openDatabase(folder, { sealer });
  const engine = sqliteEngine(db);
  const files = join(folder, FILES);
  return {
    engine,
    async sequence({ name }) {
      const row = await engine.read(() =>
        first<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = @name", { name }),
      );
      return row?.seq ?? 0;
    },
    setSequence: ({ name }, last) =>
      engine.write(function* () {
        yield* run("DELETE FROM sqlite_sequence WHERE name = @name", { name });
        if (last > 0) yield* run("INSERT INTO sqlite_sequence (name, seq) VALUES (@name, @last)", { name, last });
      }),
    sizeOf: async (file) => (await stat(join(files, file)).catch(() => undefined))?.size,
    read: (file) => createReadStream(join(files, file)),
    async write(file, bytes) {
      await mkdir(files, { recursive: true, mode: 0o700 });
      const part = join(files, `${file}.part`);
      const handle = await open(part, "w", 0o600);
      try {
        for await (const chunk of bytes) await handle.writeFile(chunk);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(part, join(files, file));
      syncFolder(files);
    },
    close: async () => db.close(),
  };
}

const SIZE = "SELECT sum(octet_length(bytes)) AS size FROM kept_chunk WHERE file_id = @id";
const CHUNK = "SELECT bytes FROM kept_chunk WHERE file_id = @id AND part = @part";
const sequenceOf = ({ name, key }: MovedTable) => `pg_get_serial_sequence('${name}', '${key}')`;

/** Throws StoreError when a server runs on the database. */
export async function postgresSide(url: string, sealer: Sealer): Promise<Side> {
  const pool = await connect(url, () => undefined);
  try {
    await migrateTables(pool, url);
    const engine = postgresEngine(pool, { sealer });
    if (await isServed(engine))
      throw new StoreError("a Gangway runs on the PostgreSQL database: stop all of them first");
    return {
      engine,
      async sequence(table) {
        const text = `SELECT coalesce(pg_sequence_last_value(CAST(${sequenceOf(table)} AS regclass)), 0) AS last`;
        return (await engine.read(() => first<{ last: number }>(text)))?.last ?? 0;
      },
      setSequence: async (table, last) => {
        if (last > 0)
          await engine.read(() =>
            all(`SELECT setval(CAST(${sequenceOf(table)} AS regclass), CAST(@last AS bigint))`, { last }),
          );
      },
      sizeOf: async (id) => (await engine.read(() => first<{ size: number | null }>(SIZE, { id })))?.size ?? undefined,
      async *read(id) {
        for (let part = 0; ; part++) {
          const chunk = await engine.read(() => first<{ bytes: Buffer }>(CHUNK, { id, part }));
          if (!chunk) return;
          yield chunk.bytes;
        }
      },
      async write(id, bytes, now) {
        await engine.write(() => run(DROP_CHUNKS, { id }));
        await addChunks(engine, id, chunksOf(bytes), () => now);
      },
      close: () => pool.end(),
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}
