import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { move, moveBetween, postgresSide, type Side, sqliteSide } from "../../../src/store/moving/move.ts";
import { createSealer, type Sealer } from "../../../src/store/secrets.ts";
import { openTestBucket } from "../../support/bucket.ts";
import { busyStore } from "../../support/busy-store.ts";
import { fileOf } from "../../support/channel-context.ts";
import { postgresStore } from "../../support/engines.ts";
import { command, databaseWithTables } from "../../support/postgres.ts";
import { rowsOf } from "../../support/rows.ts";
import { KEY_RING, temporaryFolder, temporaryStore } from "../../support/store.ts";

const told = () => undefined;
const between = (folder: string, url: string) => ({ folder, url, keyRing: KEY_RING, now: 1, told });

/** A stopped server with messages of all kinds, files and a text that only SQLite holds as it is. */
async function stopped() {
  const made = await busyStore();
  const { store, folder, channel } = made;
  const file = await store.keptFiles.keep(channel.id, fileOf("the bytes of a file"), 100, () => new Error());
  const empty = await store.keptFiles.keep(channel.id, fileOf(""), 100, () => new Error());
  const notes = Array.from({ length: 250 }, (_, n) => ({ key: `k\0${n}`, value: `\0${n}` }));
  await store.notes.set(channel.id, notes);
  store.close();
  return { ...made, file, empty, tables: tablesOf(folder) };
}

function tablesOf(folder: string): Record<string, Record<string, unknown>[]> {
  const { meta = [], __drizzle_migrations: _, sqlite_sequence = [], ...tables } = rowsOf(folder);
  const own = ["starts", "moved", "sealing_key", "key_check"];
  // SQLite writes 0 for a table that a trigger might have written to.
  const sequences = sqlite_sequence.filter(({ seq }) => seq !== 0);
  return { ...tables, sqlite_sequence: sequences, meta: meta.filter(({ key }) => !own.includes(String(key))) };
}

describe("a move to PostgreSQL", () => {
  it("and back leaves every row, number and file as it was, and the old side unusable", async () => {
    const { folder, clock, channel, file, tables } = await stopped();
    const url = await databaseWithTables();
    const { rows, files } = await moveBetween("to", between(folder, url));
    expect(files).toBe(2);
    expect(rows).toMatchObject({ message: tables.message?.length, note: 250 });
    await expect(temporaryStore(clock, folder)).rejects.toThrow("was moved to another on");
    const there = await postgresStore(url, clock);
    expect(await there.notes.get(channel.id, "k\u00007")).toBe("\u00007");
    const kept = await there.keptFiles.open(channel.id, file.id);
    expect(await new Response(kept?.body).text()).toBe("the bytes of a file");
    const back = temporaryFolder();
    await moveBetween("from", between(back, url));
    const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
    const returned = tablesOf(back);
    for (const [name, rows] of Object.entries(tables))
      expect(sorted(returned[name as never] ?? []), name).toEqual(sorted(rows));
    await expect(postgresStore(url, clock)).rejects.toThrow("was moved to another on");
    expect((await (await temporaryStore(clock, back)).accounts.list()).length).toBe(2);
  });

  it("with a bucket carries the files there, and back, also empty ones; one that is missing there stays missing", async () => {
    const { folder, clock, channel, file, empty } = await stopped();
    const [url, bucket] = [await databaseWithTables(), await openTestBucket()];
    const withBucket = (at: string) => ({ ...between(at, url), bucket: bucket.access });
    await moveBetween("to", withBucket(folder));
    expect([...bucket.objects.keys()]).toEqual([`gangway/${file.id}/0`]);
    expect(await command(url, "SELECT * FROM kept_chunk")).toEqual([]);
    const there = await postgresStore(url, clock, { bucket: bucket.access });
    const lost = await there.keptFiles.keep(channel.id, fileOf("lost"), 100, () => new Error());
    bucket.objects.delete(`gangway/${lost.id}/0`);
    const back = temporaryFolder();
    await expect(moveBetween("from", between(back, url))).rejects.toThrow("set FILES_S3_URL");
    await moveBetween("from", withBucket(back));
    const { keptFiles } = await temporaryStore(clock, back);
    const textOf = async (id: string) => new Response((await keptFiles.open(channel.id, id))?.body).text();
    expect(await textOf(file.id)).toBe("the bytes of a file");
    expect(await textOf(empty.id)).toBe("");
    expect(existsSync(join(back, "files", lost.id))).toBe(false);
  });

  it("that was interrupted goes on; until its end nothing runs on the copy", async () => {
    const { folder, clock, tables } = await stopped();
    const url = await databaseWithTables();
    const sealer = createSealer(KEY_RING);
    await interrupted(folder, url, sealer);
    expect((await command(url, "SELECT count(*)::int AS count FROM message"))[0]?.count).toBeGreaterThan(0);
    await expect(postgresStore(url, clock)).rejects.toThrow("unfinished copy");
    const { rows } = await moveBetween("to", between(folder, url));
    expect(rows).toMatchObject({ message: tables.message?.length, note: 250 });
    await postgresStore(url, clock);
  });

  it("into a database with rows of its own, or beside a server, changes nothing", async () => {
    const { folder, store, clock } = await busyStore();
    const url = await databaseWithTables();
    await expect(moveBetween("to", between(folder, url))).rejects.toThrow("another Gangway is already running");
    store.close();
    const other = await postgresStore(url, clock);
    await other.audit.record(undefined, { actor: "operator", action: "seen" });
    await other.leases.join({ owner: "a", ttlMs: 60_000 });
    await expect(moveBetween("to", between(folder, url))).rejects.toThrow("stop all of them first");
    await other.leases.leave("a");
    await expect(moveBetween("to", between(folder, url))).rejects.toThrow("is not empty: it has rows in");
    await temporaryStore(clock, folder);
  });

  it("that ended is not made again, into whatever database", async () => {
    const { folder, clock } = await stopped();
    const [first, second] = [await databaseWithTables(), await databaseWithTables()];
    await moveBetween("to", between(folder, first));
    const refusal = "all that was in this database was moved to another on 1970-01-01T00:00:00.001Z";
    await expect(moveBetween("to", between(folder, second))).rejects.toThrow(refusal);
    await expect(moveBetween("to", between(folder, first))).rejects.toThrow(refusal);
    expect(await command(second, "SELECT * FROM account")).toEqual([]);
    await moveBetween("from", between(temporaryFolder(), first));
    const again = temporaryFolder();
    await expect(moveBetween("from", between(again, first))).rejects.toThrow(refusal);
    expect(readdirSync(again)).toEqual([]);
    await postgresStore(second, clock);
  });

  it("that ends at its last step leaves no side that starts, and goes on", async () => {
    const { folder, clock } = await stopped();
    const url = await databaseWithTables();
    const sealer = createSealer(KEY_RING);
    const [from, to] = [sqliteSide(folder, sealer), await postgresSide(url, { sealer })];
    onTestFinished(() => to.close());
    let isRetired = false;
    const seen: Side = {
      ...from,
      keepServersOut() {
        isRetired = true;
        return from.keepServersOut();
      },
    };
    const failing: Side = {
      ...to,
      engine: {
        ...to.engine,
        write: (work) => (isRetired ? Promise.reject(new Error("the connection is gone")) : to.engine.write(work)),
      },
    };
    await expect(move(seen, failing, 1, told)).rejects.toThrow("the connection is gone");
    await from.close();
    await expect(temporaryStore(clock, folder)).rejects.toThrow("was moved to another on");
    await expect(postgresStore(url, clock)).rejects.toThrow("unfinished copy");
    await expect(moveBetween("to", between(folder, await databaseWithTables()))).rejects.toThrow(
      "was moved to another on",
    );
    await moveBetween("to", between(folder, url));
    await expect(temporaryStore(clock, folder)).rejects.toThrow("was moved to another on");
    await postgresStore(url, clock);
  });

  it("of a database on which a server has started meanwhile does not end, nor beside another move of it", async () => {
    const { folder, clock } = await stopped();
    const url = await databaseWithTables();
    await moveBetween("to", between(folder, url));
    const sealer = createSealer(KEY_RING);
    const from = await postgresSide(url, { sealer });
    onTestFinished(() => from.close());
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const there = await postgresStore(url, clock);
    const to = sqliteSide(first, sealer);
    const joins = { ...to, setSequence: () => there.leases.join({ owner: "a", ttlMs: 60_000 }).catch(() => undefined) };
    await expect(move(from, joins, 1, told)).rejects.toThrow("stop all of them first");
    await there.leases.leave("a");
    const other = sqliteSide(second, sealer);
    const overtaken: Side = {
      ...to,
      setSequence: () =>
        move(from, other, 2, told)
          .then(() => undefined)
          .catch(() => undefined),
    };
    await expect(move(from, overtaken, 1, told)).rejects.toThrow("another move of this database has begun meanwhile");
    await to.close();
    await other.close();
    await expect(temporaryStore(clock, first)).rejects.toThrow("unfinished copy");
    await temporaryStore(clock, second);
    await expect(there.leases.join({ owner: "b", ttlMs: 60_000 })).rejects.toThrow("was moved to another on");
  });

  it("into the unfinished copy of another database changes nothing", async () => {
    const [one, other] = [await stopped(), await stopped()];
    const url = await databaseWithTables();
    await interrupted(one.folder, url, createSealer(KEY_RING));
    const rows = await command(url, "SELECT * FROM message");
    await expect(moveBetween("to", between(other.folder, url))).rejects.toThrow(
      "is the unfinished copy of another one",
    );
    expect(await command(url, "SELECT * FROM message")).toEqual(rows);
    await moveBetween("to", between(one.folder, url));
  });

  it("from where nothing is makes nothing on either side", async () => {
    const url = await databaseWithTables();
    await command(url, "DROP SCHEMA public CASCADE");
    await command(url, "CREATE SCHEMA public");
    const folder = temporaryFolder();
    await expect(moveBetween("from", between(folder, url))).rejects.toThrow("has no tables of Gangway: check its name");
    await expect(moveBetween("to", between(folder, url))).rejects.toThrow("there is no database in the data folder");
    expect(readdirSync(folder)).toEqual([]);
    expect(await command(url, "SELECT * FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });

  it("whose copy lacks something is not used", async () => {
    const { folder, clock } = await stopped();
    const url = await databaseWithTables();
    await command(url, "CREATE RULE lossy AS ON INSERT TO note WHERE NEW.key LIKE '%9' DO INSTEAD NOTHING");
    await expect(moveBetween("to", between(folder, url))).rejects.toThrow("the copy of note differs");
    await expect(postgresStore(url, clock)).rejects.toThrow("unfinished copy");
    await temporaryStore(clock, folder);
  });
});

/** A move that ends in the midst of the notes. */
async function interrupted(folder: string, url: string, sealer: Sealer) {
  const [from, to] = [sqliteSide(folder, sealer), await postgresSide(url, { sealer })];
  onTestFinished(() => to.close());
  let left = Number.POSITIVE_INFINITY;
  const failing: Side = {
    ...to,
    engine: {
      ...to.engine,
      write: (work) => {
        left -= 1;
        if (left < 0) throw new Error("the connection is gone");
        return to.engine.write(work);
      },
    },
  };
  const toldFirst = (line: string) => {
    if (line.startsWith("message: ")) left = 2;
  };
  await expect(move(from, failing, 1, toldFirst)).rejects.toThrow("the connection is gone");
  await from.close();
}
