import { createReadStream } from "node:fs";
import { mkdir, open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { FILES, syncFolder } from "../disk/folder.ts";
import type { Bucket } from "../objects/bucket.ts";
import { connect } from "../postgres/database/connection.ts";
import { postgresEngine } from "../postgres/database/engine.ts";
import { hasTables, migrateTables } from "../postgres/database/migrating.ts";
import { keptChunks } from "../postgres/files/kept-chunks.ts";
import { assertNoObjects, isInBucket, keptObjects } from "../postgres/files/kept-objects.ts";
import { keepServersOut } from "../postgres/tables/leases.ts";
import type { Sealer } from "../secrets.ts";
import { openDatabase } from "../sqlite/database/db.ts";
import { sqliteEngine } from "../sqlite/tables/engine.ts";
import { StoreError } from "../store.ts";
import { all, type Engine, first, run, type Verb } from "../tables/engine.ts";
import type { MovedTable } from "./tables.ts";

/** A database that rows are moved from or to. Nobody else uses it meanwhile. */
export interface Side {
  engine: Engine;
  /** In a transaction: no server starts on it until the transaction's end. Throws StoreError if one runs. */
  keepServersOut(): Verb<void>;
  /** The last number of a table's own sequence. */
  sequence(table: MovedTable): Promise<number>;
  setSequence(table: MovedTable, last: number): Promise<void>;
  /** Bytes of a kept file that are there; undefined: none. */
  sizeOf(file: string): Promise<number | undefined>;
  read(file: string): AsyncIterable<Uint8Array>;
  write(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  close(): Promise<void>;
}

/** Throws StoreError when a server runs on the folder. */
export function sqliteSide(folder: string, sealer: Sealer): Side {
  const db = openDatabase(folder, { sealer });
  const engine = sqliteEngine(db);
  const files = join(folder, FILES);
  return {
    engine,
    // The open folder is locked.
    *keepServersOut() {},
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

const sequenceOf = ({ name, key }: MovedTable) => `pg_get_serial_sequence('${name}', '${key}')`;

interface PostgresOptions {
  sealer: Sealer;
  bucket?: Bucket;
  /** Makes none in a database that is only read from. */
  mustHaveTables?: boolean;
}

/** Throws StoreError when a server runs on the database. */
export async function postgresSide(
  url: string,
  { sealer, bucket, mustHaveTables = false }: PostgresOptions,
): Promise<Side> {
  const pool = await connect(url, () => undefined);
  try {
    const engine = postgresEngine(pool, { sealer });
    if (mustHaveTables && !(await engine.read(hasTables)))
      throw new StoreError("the database to move from has no tables of Gangway: check its name");
    await migrateTables(pool, url);
    await engine.write(keepServersOut);
    if (!bucket) await engine.read(assertNoObjects);
    return {
      engine,
      keepServersOut,
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
      ...filesOf(engine, sealer, bucket),
      close: () => pool.end(),
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Each file is where it was stored; new ones go to the bucket, if there is one. */
function filesOf(engine: Engine, sealer: Sealer, bucket: Bucket | undefined): Pick<Side, "sizeOf" | "read" | "write"> {
  const chunks = keptChunks(engine, Date.now);
  const objects = bucket && keptObjects({ engine, sealer, bucket, now: Date.now });
  const of = async (id: string) => (objects && (await engine.read(() => isInBucket(id))) ? objects : chunks);
  return {
    sizeOf: async (id) => (await of(id)).sizeOf(id),
    async *read(id) {
      yield* (await of(id)).read(id);
    },
    async write(id, bytes) {
      const to = objects ?? chunks;
      await to.remove(id);
      await to.add(id, bytes);
    },
  };
}
