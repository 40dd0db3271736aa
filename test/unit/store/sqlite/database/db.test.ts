import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { systemClock } from "gangway-messenger/clock";
import type { ChannelId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { Overload } from "../../../../../src/domain/delivery.ts";
import type { AccountId } from "../../../../../src/domain/ids.ts";
import { isServed, lockInstance } from "../../../../../src/store/disk/instance-lock.ts";
import type { KeptWebhook } from "../../../../../src/store/messages.ts";
import { openStore } from "../../../../../src/store/open.ts";
import { createSealer } from "../../../../../src/store/secrets.ts";
import { openDatabase, prepare } from "../../../../../src/store/sqlite/database/db.ts";
import { addressOf } from "../../../../../src/store/tables/channels/raw-webhooks.ts";
import { meta, rawWebhooks } from "../../../../../src/store/tables/schema.ts";
import { rowsOf } from "../../../../support/rows.ts";
import { addAccount, KEY_RING, temporaryFolder, temporaryStore } from "../../../../support/store.ts";

const row = (key: string) => ({ key, value: "v" });

/** Runs `work` as a user bound by file modes: root drops its uid meanwhile. */
function asAnyUser<T>(work: () => T): T {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    return work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe("the database", () => {
  it("refuses a second server on the same folder until the first one closes", () => {
    const folder = temporaryFolder();
    const first = openDatabase(folder);
    expect(() => openDatabase(folder)).toThrow(/already running/);
    first.close();
    openDatabase(folder).close();
  });

  it("refuses to start, with a remedy, when its lock cannot be written, opened or read", () => {
    const folder = temporaryFolder();
    const lock = join(folder, "instance.lock");
    openDatabase(folder).close();
    chmodSync(folder, 0o755);
    chmodSync(lock, 0o444);
    // With read access only, two servers would each believe to be alone.
    expect(() => asAnyUser(() => lockInstance(folder))).toThrow(
      `cannot read and write ${lock}: run as the server's user`,
    );
    expect(asAnyUser(() => isServed(folder))).toBe(false);
    chmodSync(lock, 0o000);
    expect(() => asAnyUser(() => isServed(folder))).toThrow("cannot tell whether a Gangway runs");
    chmodSync(lock, 0o600);
    writeFileSync(lock, "no lock");
    const damaged = `${lock} is damaged: delete it when no Gangway runs on the folder`;
    expect(() => openDatabase(folder)).toThrow(damaged);
    expect(() => isServed(folder)).toThrow(damaged);
    rmSync(lock);
    openDatabase(folder).close();
  });

  it("writes nothing to its lock file, so a kill leaves nothing that blocks the next start", () => {
    const folder = temporaryFolder();
    const unlock = lockInstance(folder);
    const beside = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]);
    expect(beside()).toEqual([["instance.lock", 0]]);
    expect(isServed(folder)).toBe(true);
    unlock();
    expect(beside()).toEqual([["instance.lock", 0]]);
  });

  it("lets a command connect next to the server, without the lock, and only to tables of the same version", () => {
    const folder = temporaryFolder();
    expect(() => openDatabase(folder, { shared: true })).toThrow("there is no database in the data folder");
    const server = openDatabase(folder);
    expect(isServed(folder)).toBe(true);
    const beside = openDatabase(folder, { shared: true });
    beside.orm.insert(meta).values(row("beside")).run();
    expect(server.orm.select().from(meta).all()).toContainEqual(row("beside"));
    server.close();
    expect(isServed(folder)).toBe(false);
    openDatabase(folder).close();
    const versions = "UPDATE __drizzle_migrations SET created_at = created_at";
    beside.sqlite.exec(`${versions} - 1e12`);
    expect(() => openDatabase(folder, { shared: true })).toThrow("older version of Gangway: start the server");
    beside.sqlite.exec(`${versions} + 2e12`);
    expect(() => openDatabase(folder, { shared: true })).toThrow("newer version of Gangway");
    beside.close();
  });

  it("reports other processes' writes, not its own", async () => {
    const folder = temporaryFolder();
    const store = await temporaryStore(systemClock, folder);
    expect(await store.outbox.refresh()).toBe(false);
    await store.ping();
    expect(await store.outbox.refresh()).toBe(false);
    const beside = openDatabase(folder, { shared: true });
    beside.orm.insert(meta).values(row("beside")).run();
    beside.close();
    expect(await store.outbox.refresh()).toBe(true);
    expect(await store.outbox.refresh()).toBe(false);
  });

  it("refuses a damaged file with a clear message", async () => {
    const folder = temporaryFolder();
    const store = await openStore({ folder, keyRing: KEY_RING, clock: systemClock });
    for (let n = 0; n < 50; n++) await addAccount(store, `shop-${n}`);
    store.close();
    const file = join(folder, "gangway.db");
    const size = new Sqlite(file).pragma("page_count", { simple: true }) as number;

    truncateSync(file, Math.floor(size / 2) * 4096);
    for (const shared of [false, true])
      expect(() => openDatabase(folder, { shared })).toThrow(/is damaged \(.*malformed\): .* gangway restore <backup>/);
    writeFileSync(file, Buffer.alloc(8192, 7));
    for (const shared of [false, true])
      expect(() => openDatabase(folder, { shared })).toThrow(/is damaged \(file is not a database\).* gangway restore/);
  });

  it("says who must own unwritable files, and refuses a file as data folder", () => {
    const folder = temporaryFolder();
    const file = join(folder, "gangway.db");
    openDatabase(folder).close();
    chmodSync(folder, 0o777);
    chmodSync(file, 0o444);
    chmodSync(join(folder, "instance.lock"), 0o666);
    expect(() => asAnyUser(() => openDatabase(folder))).toThrow(`cannot read and write the database ${file}: run as`);
    chmodSync(file, 0o000);
    expect(() => asAnyUser(() => openDatabase(folder, { shared: true }))).toThrow("cannot read and write the database");
    for (const shared of [false, true])
      expect(() => openDatabase(file, { shared })).toThrow(`DATA_FOLDER ${file} is a file: set it to a folder`);
    expect(() => openDatabase(join(file, "below"))).toThrow("cannot create the data folder");
  });

  it("never replaces a lost database with a new one", () => {
    const lostIn = (make: (folder: string) => void) => {
      const folder = temporaryFolder();
      openDatabase(folder).close();
      rmSync(join(folder, "gangway.db"));
      make(folder);
      const before = readdirSync(folder);
      for (const shared of [false, true])
        expect(() => openDatabase(folder, { shared })).toThrow(/the database is lost, .*: .* gangway restore <backup>/);
      expect(readdirSync(folder)).toEqual(before);
    };
    lostIn((folder) => writeFileSync(join(folder, "gangway.db"), ""));
    lostIn((folder) => mkdirSync(join(folder, "restoring")));
    lostIn((folder) => writeFileSync(join(folder, "gangway.db-wal"), "log"));
    lostIn((folder) => {
      mkdirSync(join(folder, "files"));
      writeFileSync(join(folder, "files", "picture"), "bytes");
    });
  });

  it("creates a database where none ever was, even after an interrupted first start", () => {
    const folder = join(temporaryFolder(), "not", "there");
    expect(() => openDatabase(folder, { shared: true })).toThrow("there is no database in the data folder");
    mkdirSync(join(folder, "files"), { recursive: true });
    for (const name of ["instance.lock", "gangway.db.new", "gangway.db.new-wal"]) writeFileSync(join(folder, name), "");
    openDatabase(folder).close();
    expect(readdirSync(folder).sort()).toEqual(["database.made", "files", "gangway.db", "instance.lock"]);
    openDatabase(folder, { shared: true }).close();
  });

  it("reports a migration that SQLite rolled back by itself, as on a full disk", () => {
    const sqlite = new Sqlite(join(temporaryFolder(), "gangway.db"));
    sqlite.exec(`CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric);
      CREATE TRIGGER back BEFORE INSERT ON __drizzle_migrations BEGIN SELECT RAISE(ROLLBACK, 'taken back'); END`);
    expect(() => prepare(sqlite)).toThrow("cannot be migrated: the disk is full or failing");
    sqlite.close();
  });

  it("does not mistake a foreign database for an old version of its own", () => {
    const folder = temporaryFolder();
    const foreign = new Sqlite(join(folder, "gangway.db"));
    foreign.exec("CREATE TABLE other (id INTEGER)");
    foreign.close();
    for (const shared of [false, true])
      expect(() => openDatabase(folder, { shared })).toThrow("is not a Gangway database");
  });

  it("does not start with another key ring", async () => {
    const folder = temporaryFolder();
    (await openStore({ folder, keyRing: KEY_RING, clock: systemClock })).close();
    const other = { keys: [{ id: "test", key: Buffer.alloc(32, 8) }] };
    await expect(openStore({ folder, keyRing: other, clock: systemClock })).rejects.toThrow(/SECRET_KEYS/);
    (await openStore({ folder, keyRing: KEY_RING, clock: systemClock })).close();
  });

  it("groups the writes of one event-loop tick into one transaction", async () => {
    const folder = temporaryFolder();
    const db = openDatabase(folder);
    // A page changed by several writes of a transaction is in the log once.
    const logged = async (keys: string[]) => {
      const before = statSync(join(folder, "gangway.db-wal")).size;
      await Promise.all(keys.map((key) => db.write(() => db.orm.insert(meta).values(row(key)).run())));
      return statSync(join(folder, "gangway.db-wal")).size - before;
    };
    // The first write adds the log's header.
    await logged(["first"]);
    const one = await logged(["a"]);
    expect(one).toBeGreaterThan(0);
    expect(await logged(["b", "c", "d"])).toBe(one);
    db.close();
  });

  it("waits while more writes arrive, but commits a lone write at once", async () => {
    const folder = temporaryFolder();
    const db = openDatabase(folder);
    const reader = new Sqlite(join(folder, "gangway.db"), { readonly: true });
    const commits = () => reader.pragma("data_version", { simple: true }) as number;
    const write = (key: string) => db.write(() => db.orm.insert(meta).values(row(key)).run());
    const tick = () => new Promise((resolve) => setImmediate(resolve));
    const before = commits();
    const first = ["a", "b", "c"].map((key) => write(key));
    await tick();
    expect(commits()).toBe(before);
    await Promise.all([...first, write("d")]);
    expect(commits()).toBe(before + 1);
    const alone = write("alone");
    await tick();
    expect(commits()).toBe(before + 2);
    await alone;
    const coming: Promise<unknown>[] = [];
    for (let n = 0; commits() === before + 2; n++, await tick()) coming.push(write(`${n}`));
    expect(coming.length).toBeLessThan(20);
    await Promise.all(coming);
    reader.close();
    db.close();
  });

  it("rolls back only the failing write", async () => {
    const db = openDatabase(temporaryFolder());
    const write = (key: string, fail = false) =>
      db.write(() => {
        db.orm.insert(meta).values(row(key)).run();
        if (fail) throw new Error("no");
      });
    const outcomes = await Promise.allSettled([write("a"), write("b", true), write("c")]);
    expect(outcomes.map((o) => o.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(
      db.orm
        .select()
        .from(meta)
        .all()
        .flatMap(({ key }) => (key === "starts" ? [] : key)),
    ).toEqual(["a", "c"]);
    db.close();
  });

  it("undoes only a failing write of a group, and keeps together only the webhooks of successful ones", async () => {
    const sealer = createSealer(KEY_RING);
    const db = openDatabase(temporaryFolder(), { sealer });
    const handed = () =>
      db.orm
        .select()
        .from(rawWebhooks)
        .all()
        .map((kept) =>
          (JSON.parse(sealer.open(kept.sealed, addressOf(kept))) as KeptWebhook[]).map(({ raw }) => raw.body),
        );
    const webhook = (body: string) => ({
      ...{ account: "a" as AccountId, channelId: "c" as ChannelId, source: "messenger" as const, receivedAt: 1 },
      raw: { path: "", headers: {}, body },
    });
    let ran = 0;
    const write = (key: string, failure?: Error) =>
      db.write(() => {
        ran += 1;
        if (failure instanceof Overload) throw failure;
        db.orm.insert(meta).values(row(key)).run();
        db.atCommit(webhook(key));
        if (failure) throw failure;
      });
    const full = new Overload("account", 1);
    await Promise.allSettled([write("a"), write("b", full), write("c")]);
    expect(handed()).toEqual([["a", "c"]]);
    expect(ran).toBe(3);
    const outcomes = await Promise.allSettled([write("f", full), write("d"), write("e", new Error("no")), write("g")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
    // The overloaded write ran once; the others ran again after one of them failed.
    expect(ran).toBe(3 + 3 + 3);
    expect(handed()).toEqual([
      ["a", "c"],
      ["d", "g"],
    ]);
    const kept = db.orm
      .select()
      .from(meta)
      .all()
      .flatMap(({ key }) => (key === "starts" ? [] : key));
    expect(kept).toEqual(["a", "c", "d", "g"]);
    db.close();
  });

  it("stores no secret in plain text", async () => {
    const folder = temporaryFolder();
    const store = await temporaryStore(systemClock, folder);
    const account = await addAccount(store);
    const rows = JSON.stringify(rowsOf(folder, ["account"]));
    for (const secret of [account.apiKey, account.clientId, account.webhookSecret, account.gatewayToken])
      expect(rows).not.toContain(secret);
  });
});
