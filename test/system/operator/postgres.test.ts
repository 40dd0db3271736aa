import { Client } from "pg";
import { expect, it } from "vitest";
import { fileOf } from "../../support/channel-context.ts";
import { postgresStore } from "../../support/engines.ts";
import { customerSays } from "../../support/events.ts";
import { gangway, KEYS } from "../../support/gangway.ts";
import { command, databaseWithTables, temporaryDatabase } from "../../support/postgres.ts";
import { addAccount, addChannel, oneChannel, temporaryFolder } from "../../support/store.ts";

/** A server's database, and commands beside it. */
async function served() {
  const url = await databaseWithTables();
  const store = await postgresStore(url);
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  await store.outbox.acceptInbound(channel, { events: [customerSays("a", "words of ann")] });
  await store.keptFiles.keep(channel.id, fileOf("a file"), 100, () => new Error());
  await store.leases.join({ owner: "server-1", ttlMs: 3_600_000 });
  await store.leases.take([account.id], "server-1");
  const folder = temporaryFolder();
  const run = (args: string[], env: Record<string, string> = {}) =>
    gangway(folder, args, { DATABASE_URL: url, ...env });
  return { url, store, account, channel, folder, run };
}

it("commands look at PostgreSQL beside its servers, and become no member", async () => {
  const { url, account, channel, run } = await served();
  const doctor = await run(["doctor", "--offline"]);
  expect([doctor.code, doctor.err]).toEqual([0, ""]);
  expect(doctor.out).toMatch(/ok {4}database: PostgreSQL \d+\.\d.*; processes of Gangway on it: 1\n/);
  expect(doctor.out).toContain("ok    accounts of each process: server-1: 1\n");
  expect(doctor.out).toMatch(/ok {4}connections: \d+ of \d+ used/);
  expect(doctor.out).toContain("ok    ledger: balanced");
  const verified = await run(["verify"]);
  expect([verified.code, verified.out.includes("No problems found.")]).toEqual([0, true]);
  expect((await run(["accounts", "list"])).out).toContain(account.crmUrl);
  const found = await run(["erase", "customer", "--account", account.id, "--find", "words of ann"]);
  expect(found.out).toContain(channel.id);
  expect(await command(url, "SELECT owner FROM member")).toEqual([{ owner: "server-1" }]);
});

it("the receipt of an erasure says whether VACUUM has run, and what keeps the data", async () => {
  const { url, store, account, channel, run } = await served();
  const erase = async (key: string) => {
    await store.outbox.acceptInbound(channel, { events: [customerSays(key, "words of bob", "bob")] });
    return run(["erase", "customer", "--account", account.id, "--channel", channel.id, "--chat", "bob"]);
  };
  const erased = await erase("b");
  expect([erased.code, erased.err]).toEqual([0, ""]);
  expect(erased.out).toContain("VACUUM has removed it from tables, indexes and statistics.");
  expect(erased.out).toContain("PostgreSQL's log (WAL), its archive");
  const reader = new Client({ connectionString: url });
  await reader.connect();
  await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await reader.query("SELECT count(*) FROM message");
  const again = await erase("c").finally(() => reader.end());
  expect(again.out).toContain("Its dead rows stay until VACUUM");
});

it("on PostgreSQL keys are rotated once all servers have the new one, and the audit lists it", async () => {
  const { store, url, run } = await served();
  const both = { SECRET_KEYS: `${KEYS.next},${KEYS.test}` };
  const refused = await run(["keys", "rotate"], both);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('seals with the key "test" and not with')]);
  await store.leases.leave("server-1");
  const rotated = await run(["keys", "rotate", "--json"], both);
  expect(rotated.json()).toMatchObject({ ok: true, key: "next", unopened: [] });
  expect((await run(["audit", "list"], { SECRET_KEYS: KEYS.next })).out).toContain("keys rotated");
  expect((await run(["accounts", "list"])).err).toContain("SECRET_KEYS does not fit this database");
  expect(await command(url, "SELECT key FROM meta WHERE value LIKE 'v1.test.%'")).toEqual([]);
});

it("on PostgreSQL backup and restore name its own tools, and commands migrate nothing", async () => {
  const { folder, run } = await served();
  const backup = await run(["backup", `${folder}/backup`]);
  expect([backup.code, backup.err]).toEqual([1, expect.stringContaining("pg_dump or base backups")]);
  const restore = await run(["restore", `${folder}/backup`]);
  expect([restore.code, restore.out]).toEqual([1, expect.stringContaining("then run gangway after-restore")]);
  const empty = await temporaryDatabase();
  const doctor = await run(["doctor", "--offline"], { DATABASE_URL: empty });
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining("start a server of this version once")]);
  expect(await command(empty, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  const gone = await run(["dead", "list"], { DATABASE_URL: "postgres://gangway@127.0.0.1:1/none" });
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining("no PostgreSQL answers at 127.0.0.1:1/none")]);
});

it("gangway move takes a stopped server to PostgreSQL and back, and says what it cannot do", async () => {
  const { folder, store, account, channel } = await oneChannel();
  await store.outbox.acceptInbound(channel, { events: [customerSays("a", "words of ann")] });
  const url = await databaseWithTables();
  const move = (from: string, ...args: string[]) => gangway(from, ["move", ...args]);
  const beside = await move(folder, "--to", url);
  expect([beside.code, beside.err]).toEqual([1, expect.stringContaining("another Gangway is already running")]);
  await store.close();
  const unreachable = await move(folder, "--to", "postgres://gangway@127.0.0.1:1/none");
  expect([unreachable.code, unreachable.err]).toEqual([1, expect.stringContaining("no PostgreSQL answers at")]);
  expect(unreachable.err).toContain("check --to, and that it runs");
  for (const [args, said] of [
    [[], "name one of --to and --from"],
    [["--to", url, "--from", url], "name one of --to and --from"],
    [["--to", "mysql://x"], "named as postgres://user@host/name"],
  ] as const)
    expect(await move(folder, ...args)).toMatchObject({ code: 2, err: expect.stringContaining(said) });
  const there = await move(folder, "--to", url);
  expect([there.code, there.out]).toEqual([0, expect.stringContaining("Start the server on PostgreSQL.")]);
  expect((await gangway(folder, ["doctor", "--offline"])).out).toContain("was moved to another on");
  expect((await gangway(folder, ["accounts", "list"], { DATABASE_URL: url })).out).toContain(account.crmUrl);
  const back = temporaryFolder();
  const returned = await move(back, "--from", url, "--json");
  expect(returned.json()).toMatchObject({ ok: true, rows: { message: 1 }, files: 0 });
  expect((await gangway(back, ["verify"])).code).toBe(0);
});

it("verify and the doctor on PostgreSQL name remedies that are there", async () => {
  const { url, run } = await served();
  expect((await run(["doctor", "--offline"])).out).toContain("ok    database's clock: as this machine's\n");
  await command(url, "DELETE FROM kept_chunk");
  const verified = await run(["verify"]);
  expect([verified.code, verified.out]).toEqual([1, expect.stringContaining("has 0 bytes and should have 6")]);
  expect(verified.out).toContain("kept files: restore an older backup into a database beside it");
});
