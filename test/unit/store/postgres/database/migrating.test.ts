import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { migrationsFolder } from "../../../../../src/store/migrations.ts";
import { connect } from "../../../../../src/store/postgres/database/connection.ts";
import { postgresEngine } from "../../../../../src/store/postgres/database/engine.ts";
import { migrateTables } from "../../../../../src/store/postgres/database/migrating.ts";
import { parseMigration, readMigrations } from "../../../../../src/store/postgres/database/migrations.ts";
import { leaseStore } from "../../../../../src/store/postgres/tables/leases.ts";
import { createSealer } from "../../../../../src/store/secrets.ts";
import { StoreError } from "../../../../../src/store/store.ts";
import { postgresStore } from "../../../../support/engines.ts";
import { baselineOf, laterVersion } from "../../../../support/later-version.ts";
import { command, databaseWithTables, temporaryDatabase } from "../../../../support/postgres.ts";
import { addAccount, addChannel, KEY_RING } from "../../../../support/store.ts";
import { until } from "../../../../support/until.ts";
import { faultsIn } from "../rules.ts";

const known = readMigrations(migrationsFolder("postgres"));
const newest = known.at(-1)?.name ?? "";
/** Long enough for any test. */
const ttlMs = 3_600_000;

/** A start of a program that knows the migrations in `folder`. */
async function started(url: string, folder?: string, patience?: { lockMs: number; olderMs: number }): Promise<string> {
  const pool = await connect(url, () => undefined);
  return migrateTables(pool, url, folder, patience).finally(() => pool.end());
}

/** The leases as a program sees them that knows the migration `knows`. */
async function leasesOf(url: string, knows: string) {
  const pool = await connect(url, () => undefined);
  onTestFinished(() => pool.end());
  const held = { load: async () => undefined, forget: () => undefined };
  return leaseStore(postgresEngine(pool, { sealer: createSealer(KEY_RING) }), held, {
    knows,
    sealing: "",
  });
}

async function connection(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  // The end of a test may end it.
  client.on("error", () => undefined);
  onTestFinished(() => client.end());
  return client;
}

const names = async (url: string) =>
  (await command(url, "SELECT name FROM migration ORDER BY name")).map(({ name }) => name);
const running = (url: string, query: string) =>
  command(
    url,
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%${query}%'`,
  );

/** Adds a column to each table, as any migration might. */
const WIDER = `DO $$ DECLARE each text; BEGIN
  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN added bigint NOT NULL DEFAULT 0', each);
  END LOOP; END $$;`;

describe("a start", () => {
  it("makes the tables once, however many processes start at the same time", async () => {
    const url = await temporaryDatabase();
    expect(await Promise.all([started(url), started(url), started(url)])).toEqual([newest, newest, newest]);
    expect(await started(url)).toBe(newest);
    expect(await names(url)).toEqual(known.map(({ name }) => name));
  });

  it("waits while another process migrates, also one that builds an index beside the traffic", async () => {
    const url = await databaseWithTables();
    const folder = laterVersion("postgres", {
      "9000_index": `DROP INDEX CONCURRENTLY IF EXISTS "by_time";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "by_time" ON "message" ("created_at");`,
    });
    // The index waits for whoever has used the table.
    const long = await connection(url);
    await long.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await long.query("SELECT count(*) FROM message");
    const both = Promise.all([started(url, folder), started(url, folder)]);
    await until("the index", async () => (await running(url, "CREATE INDEX CONCURRENTLY")).length > 0);
    await command(url, "DELETE FROM message");
    expect(await started(url)).toBe(newest);
    await long.query("COMMIT");
    expect(await both).toEqual(["9000_index", "9000_index"]);
    const valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'by_time'::regclass";
    expect(await command(url, valid)).toEqual([{ indisvalid: true }]);
  });

  it("repeats a migration that was killed", async () => {
    const url = await databaseWithTables();
    const gate = await connection(url);
    await gate.query("SELECT pg_advisory_lock(1)");
    const folder = laterVersion("postgres", {
      "9000_table": `CREATE TABLE "added" ("id" bigint);--> statement-breakpoint
SELECT pg_advisory_lock(1);--> statement-breakpoint SELECT pg_advisory_unlock(1);`,
    });
    // What waits for a gate is no wait for tables.
    let killed: unknown;
    void started(url, folder).then(
      (newest) => (killed = newest),
      (error: unknown) => (killed = error),
    );
    const kill =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_advisory_lock(1)%' AND state = 'active' AND pid <> pg_backend_pid()";
    // It waits at the gate again and again.
    await until("its end", () => command(url, kill).then(() => killed !== undefined));
    expect(killed).toBeInstanceOf(Error);
    expect(await command(url, "SELECT to_regclass('added') AS made")).toEqual([{ made: null }]);
    await gate.query("SELECT pg_advisory_unlock(1)");
    expect(await started(url, folder)).toBe("9000_table");
  });
});

/** One line for each table's column, constraint, index, trigger, function and setting. */
const SCHEMA = `
  SELECT format('%s.%s %s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attidentity, a.attstorage, pg_get_expr(d.adbin, d.adrelid)) AS line
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'S')
  UNION ALL SELECT format('%s %s', relname, reloptions) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')
  UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ORDER BY 1`;

describe("the baseline", () => {
  const BEFORE = readFileSync(join(import.meta.dirname, "..", "..", "before-baseline", "postgres.sql"), "utf8");
  const withTablesBefore = async () => {
    const url = await temporaryDatabase();
    await command(url, BEFORE);
    return url;
  };

  it("makes the tables of the migrations before it", async () => {
    const linesOf = async (url: string) => (await command(url, SCHEMA)).map(({ line }) => line);
    const baseline = await temporaryDatabase();
    await started(baseline, baselineOf("postgres"));
    const lines = await linesOf(baseline);
    expect(lines.length).toBeGreaterThan(300);
    expect(lines).toEqual(await linesOf(await withTablesBefore()));
  });

  it("is recorded for a database that has them, of which nothing changes", async () => {
    const url = await withTablesBefore();
    await command(url, "INSERT INTO meta (key, value) VALUES ('kept', 'as it was')");
    const before = await names(url);
    expect(await started(url)).toBe(newest);
    expect(await names(url)).toEqual([...before, ...known.map(({ name }) => name)]);
    expect(await command(url, "SELECT value FROM meta WHERE key = 'kept'")).toEqual([{ value: "as it was" }]);
    expect(await started(url)).toBe(newest);
    expect(await started(url, laterVersion("postgres", { "9000_wider": WIDER }))).toBe("9000_wider");
  });

  it("refuses an older database in words, and changes nothing", async () => {
    const url = await withTablesBefore();
    await command(url, "DELETE FROM migration WHERE name = '0010_unanswered_starts'");
    const before = await names(url);
    const words = "is older than Gangway's first version: start a build whose last migration is 0010_unanswered_starts";
    await expect(started(url)).rejects.toThrow(words);
    expect(await names(url)).toEqual(before);
  });
});

describe("a migration behind a long transaction", () => {
  const folder = () => laterVersion("postgres", { "9000_wider": 'ALTER TABLE "account" ADD COLUMN "added" bigint;' });
  async function held() {
    const url = await databaseWithTables();
    const long = await connection(url);
    await long.query("BEGIN");
    await long.query("SELECT count(*) FROM account");
    return { url, long };
  }

  it("lets everything else pass, and goes on once it has ended", async () => {
    const { url, long } = await held();
    const migrated = started(url, folder());
    await until("the migration", async () => (await running(url, "ALTER TABLE")).length > 0);
    // Behind the migration, in the queue for the table.
    await command(url, "SELECT count(*) FROM account");
    await long.query("COMMIT");
    expect(await migrated).toBe("9000_wider");
  });

  it("gives up in words, and leaves the tables as they were", async () => {
    const { url } = await held();
    await expect(started(url, folder(), { lockMs: 0, olderMs: 0 })).rejects.toThrow(
      "9000_wider cannot lock its tables, since other transactions hold them",
    );
    expect(await names(url)).toEqual(known.map(({ name }) => name));
  });
});

describe("an older version", () => {
  it("goes on and starts beside a newer one that has added to its tables", async () => {
    const url = await databaseWithTables();
    const before = await postgresStore(url);
    const account = await addAccount(before);
    await addChannel(before, account);
    await before.leases.join({ owner: "before", ttlMs });
    expect(await started(url, laterVersion("postgres", { "9000_wider": WIDER }))).toBe("9000_wider");
    const after = await postgresStore(url);
    for (const [store, name] of [
      [before, "one"],
      [after, "two"],
    ] as const) {
      const other = await addAccount(store, name);
      await addChannel(store, other);
      expect(await store.accounts.list()).toContainEqual(expect.objectContaining({ id: other.id }));
      expect(await store.leases.renew({ owner: "before", ttlMs })).toBe(true);
      await store.leases.join({ owner: name, ttlMs });
      expect(await store.ledger()).toBeDefined();
    }
    expect(await started(url)).toBe(newest);
  });

  const contract = () =>
    laterVersion("postgres", {
      "9000_added": 'ALTER TABLE "account" ADD COLUMN "added" bigint;',
      "9001_taken": '-- contract: 9000_added\nALTER TABLE "account" DROP COLUMN "language";',
    });
  const impatient = { lockMs: 0, olderMs: 0 };

  it("keeps back what takes its columns away for as long as it runs", async () => {
    const url = await databaseWithTables();
    const older = await leasesOf(url, newest);
    await older.join({ owner: "older", ttlMs });
    const refused = await started(url, contract(), impatient).catch((error: Error) => error);
    expect(refused).toBeInstanceOf(StoreError);
    expect(String(refused)).toContain("9001_taken needs programs that know 9000_added");
    expect(await names(url)).toContain("9000_added");
    expect(await command(url, "SELECT language FROM account")).toEqual([]);
    await (await leasesOf(url, "9000_added")).join({ owner: "between", ttlMs });
    await older.leave("older");
    expect(await started(url, contract(), impatient)).toBe("9001_taken");
  });

  it("is refused in words once they are gone, at its start and when it comes back from a pause", async () => {
    const url = await databaseWithTables();
    const paused = await leasesOf(url, newest);
    await started(url, contract());
    await expect(paused.join({ owner: "paused", ttlMs })).rejects.toThrow("9001_taken this program is too old for");
    await expect(started(url)).rejects.toThrow("9001_taken this program is too old for: start that version");
    await (await leasesOf(url, "9000_added")).join({ owner: "between", ttlMs });
  });

  it("that joins while they are taken away holds that up", async () => {
    const url = await databaseWithTables();
    const gate = await connection(url);
    await gate.query("SELECT pg_advisory_lock(1)");
    const folder = laterVersion("postgres", {
      "9000_taken": "-- contract: 9000_taken\nSELECT pg_advisory_xact_lock(1);",
    });
    const refused = started(url, folder, { lockMs: 600_000, olderMs: 0 }).catch((error: Error) => error);
    await until("the migration", async () => (await running(url, "pg_advisory_xact_lock")).length > 0);
    await (await leasesOf(url, newest)).join({ owner: "older", ttlMs });
    await gate.query("SELECT pg_advisory_unlock(1)");
    expect(String(await refused)).toContain("processes of an older version run");
  });

  it("of another history is refused", async () => {
    const url = await databaseWithTables();
    await started(url, laterVersion("postgres", { "9000_one": "SELECT 1;" }));
    await expect(
      started(url, laterVersion("postgres", { "9000_other": "SELECT 1;", "9001_more": "SELECT 1;" })),
    ).rejects.toThrow("9000_one, which this program should know");
  });
});

describe("the rules of a migration", () => {
  it("hold for each migration after the baseline, beside which no older version ran", () => {
    expect(known.slice(1).flatMap(faultsIn)).toEqual([]);
  });

  it.each([
    ['ALTER TABLE "note" DROP COLUMN "text";', "takes away"],
    ['DROP TABLE "note";', "takes away"],
    ['ALTER TABLE "note" RENAME COLUMN "text" TO "words";', "takes away"],
    ['ALTER TABLE "note" ALTER COLUMN "text" SET DATA TYPE bigint;', "takes away"],
    ['ALTER TABLE "note" ALTER COLUMN "text" SET NOT NULL;', "takes away"],
    ['ALTER TABLE "note" ADD COLUMN "more" text NOT NULL;', "needs a default"],
    ['ALTER TABLE "note" ADD CONSTRAINT "c" CHECK ("text" <> \'\');', "NOT VALID"],
    ['CREATE INDEX "by_text" ON "note" ("text");', "CONCURRENTLY"],
    ['CREATE INDEX CONCURRENTLY "by_text" ON "note" ("text");', "DROP INDEX CONCURRENTLY IF EXISTS"],
    ['UPDATE "note" SET "text" = \'\';', "rows"],
    ['-- contract: 0001_later\nDROP INDEX CONCURRENTLY "by_text";', "apart"],
  ])("forbid %s", (text, words) => {
    expect(faultsIn(parseMigration("0000_it", text)).join()).toContain(words);
  });

  it.each([
    '-- contract: 0000_before\nALTER TABLE "note" DROP COLUMN "text";',
    'ALTER TABLE "note" ADD COLUMN "more" text DEFAULT \'\' NOT NULL;',
    'CREATE TABLE "fresh" ("id" bigint NOT NULL);--> statement-breakpoint\nCREATE UNIQUE INDEX "by_id" ON "fresh" USING btree ("id");',
    'DROP INDEX CONCURRENTLY IF EXISTS "by_text";--> statement-breakpoint\nCREATE INDEX CONCURRENTLY "by_text" ON "note" ("text");',
  ])("allow %s", (text) => {
    expect(faultsIn(parseMigration("0001_it", text))).toEqual([]);
  });
});
