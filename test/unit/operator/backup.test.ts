import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { systemClock } from "gangway-messenger/clock";
import { describe, expect, it } from "vitest";
import { UNLIMITED } from "../../../src/domain/delivery.ts";
import { openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { fileOf } from "../../support/channel-context.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { gangway, KEYS } from "../../support/gangway.ts";
import { roomFor } from "../../support/room.ts";
import { changeRows } from "../../support/rows.ts";
import { addAccount, addChannel, KEY_RING, takeLease, temporaryFolder, temporaryStore } from "../../support/store.ts";

const CANARIES = {
  apiKey: "canary-api-key-5f1c",
  gatewayToken: "canary-token-77aa",
  clientId: "canary-client-12",
  bot: "canary-bot-9e",
};

async function shop(folder = temporaryFolder()) {
  const store = await temporaryStore(systemClock, folder, { bounds: UNLIMITED });
  const account = await store.accounts.bind({
    crmUrl: "https://shop.retailcrm.ru",
    ...{ apiKey: CANARIES.apiKey, clientId: CANARIES.clientId, webhookSecret: "canary-webhook-3d" },
    ...{ gatewayUrl: "https://gateway.example/api", gatewayToken: CANARIES.gatewayToken },
  });
  const channel = await store.channels.add(account.id, { kind: "toy", name: "Toy", settings: { token: CANARIES.bot } });
  const target = join(temporaryFolder(), "backup.db");
  return { folder, store, account, channel, target };
}
interface Told {
  ok: boolean;
  checks: { name: string; faults: string[] }[];
  todo: string[];
}
const textOf = (file: string) => readFileSync(file).toString("latin1");
const noFile = () => new Error("too large");

/** Writes as fast as possible until stopped; collects the keys that were acknowledged. */
function load(store: Store, channel: Awaited<ReturnType<typeof shop>>["channel"]) {
  const acknowledged: string[] = [];
  let going = true;
  const run = async (lane: number) => {
    for (let n = 0; going; n++) {
      const name = `m-${lane}-${n}`;
      await store.outbox.acceptInbound(channel, { events: [customerSays(name, "x".repeat(2_000), `chat-${lane}`)] });
      acknowledged.push(name);
    }
  };
  const ended = Promise.all([0, 1, 2, 3].map(run));
  return {
    acknowledged,
    stop: async () => {
      going = false;
      await ended;
    },
  };
}

describe("gangway backup and restore", () => {
  it("copies a database under load, with everything acknowledged before it started", async () => {
    const { folder, store, channel, target } = await shop();
    const { id } = await store.keptFiles.keep(channel.id, fileOf("a file"), 100, noFile);
    const { acknowledged, stop } = load(store, channel);
    while (acknowledged.length < 3_000) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = [...acknowledged];
    const ran = await gangway(folder, ["backup", target, "--json"]);
    await stop();
    expect(ran.err).toBe("");
    expect(ran.json()).toMatchObject({ ok: true, files: 1 });
    expect(acknowledged.length).toBeGreaterThan(before.length);
    const copy = new Sqlite(target, { readonly: true });
    const keys = new Set(copy.prepare("SELECT dedupe_key FROM message").pluck().all());
    copy.close();
    expect(before.filter((name) => !keys.has(name))).toEqual([]);
    expect(readdirSync(join(target, "..")).sort()).toEqual(["backup.db", "backup.db.files"]);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(statSync(join(`${target}.files`, id)).mode & 0o777).toBe(0o600);
    expect((await gangway(folder, ["verify", target])).code).toBe(0);
    expect((await gangway(folder, ["verify"])).code).toBe(0);
    expect((await store.audit.list({ limit: 1 }))[0]).toMatchObject({ actor: "operator", action: "backup made" });
    expect((await gangway(folder, ["doctor", "--offline"])).out).toMatch(
      /^ok {4}newest backup: made less than a minute ago$/m,
    );
    expect((await gangway(folder, ["backup", target])).err).toContain("already exists");
  });

  it("holds no secret in the open: not in the backup, the database or its log", async () => {
    const { folder, target } = await shop();
    expect((await gangway(folder, ["backup", target])).code).toBe(0);
    const files = [target, join(folder, "gangway.db"), join(folder, "gangway.db-wal")].filter(existsSync);
    expect(files).toHaveLength(3);
    for (const file of files)
      for (const canary of Object.values(CANARIES))
        expect(textOf(file).includes(canary), `${canary} in ${file}`).toBe(false);
  });

  it("holds restored messages to customers for a decision", async () => {
    const { folder, store, account, channel, target } = await shop();
    for (const id of ["1", "2", "3"])
      await store.outbox.acceptOutbound(channel, { key: `sent:${id}`, act: agentSays(id), patienceMs: 60_000 });
    await store.outbox.acceptInbound(channel, { events: [customerSays("from the customer")] });
    await store.outbox.claim(await takeLease(store, account.id, "test"), roomFor(1));
    const { id: fileId } = await store.keptFiles.keep(channel.id, fileOf("a file"), 100, noFile);
    await gangway(folder, ["backup", target]);
    const other = temporaryFolder();
    const ran = await gangway(other, ["restore", target, "--json"]);
    expect(ran.json()).toMatchObject({ ok: true, held: 3, files: 1 });
    const claimed = async (at: string) => {
      const restored = await openStore({ folder: at, keyRing: KEY_RING, clock: systemClock });
      const lease = await takeLease(restored, account.id, "test");
      const taken = await restored.outbox.takeOver(lease);
      const jobs = [...taken, ...(await restored.outbox.claim(lease, roomFor(10)))];
      const ended = await restored.outbox.ended(account.id, 10);
      expect((await restored.keptFiles.open(channel.id, fileId))?.size).toBe(6);
      expect((await restored.audit.list({ limit: 1 }))[0]?.action).toBe("backup restored");
      restored.close();
      return { directions: jobs.map(({ direction }) => direction), ended };
    };
    const { directions, ended } = await claimed(other);
    expect(directions).toEqual(["inbound"]);
    expect(ended.map(({ state }) => state)).toEqual(["held", "held", "held"]);
    expect(ended[0]?.error).toMatch(/^restored from a backup of 20.*: it may have been delivered since$/);
    expect((await gangway(other, ["verify"])).code).toBe(0);
    const third = temporaryFolder();
    await gangway(third, ["restore", target, "--resend"]);
    expect((await claimed(third)).directions).toContain("outbound");
  });

  it("overwrites nothing: not next to a running server, not without --force, which keeps the old data", async () => {
    const { folder, store, target } = await shop();
    await gangway(folder, ["backup", target]);
    expect((await gangway(folder, ["restore", target])).err).toContain("another Gangway is already running");
    await addAccount(store, "later");
    store.close();
    expect((await gangway(folder, ["restore", target])).err).toContain("is not empty");
    const { aside } = (await gangway(folder, ["restore", target, "--force", "--json"])).json() as unknown as {
      aside: string;
    };
    const accounts = async (at: string) => {
      const { out } = await gangway(at, ["accounts", "list", "--json"]);
      return (JSON.parse(out) as { accounts: unknown[] }).accounts.length;
    };
    expect(await accounts(folder)).toBe(1);
    expect(await accounts(aside)).toBe(2);
  });

  it("changes nothing when the backup is damaged, or sealed with other keys", async () => {
    const { folder, store, channel, target } = await shop();
    await store.keptFiles.keep(channel.id, fileOf("a file"), 100, noFile);
    await gangway(folder, ["backup", target]);
    const other = temporaryFolder();
    const wrong = { SECRET_KEYS: `test:${Buffer.alloc(32, 9).toString("base64")}` };
    expect((await gangway(other, ["restore", target, "--force"], wrong)).err).toContain(
      'SECRET_KEYS has another key under the name "test"',
    );
    const lacking = (await gangway(other, ["restore", target, "--force"], { SECRET_KEYS: KEYS.next })).err;
    expect(lacking).toContain('SECRET_KEYS lacks the key "test", and nothing was changed: set them as they were when');
    expect((await gangway(other, ["verify", target], { SECRET_KEYS: KEYS.next })).out).toContain("1 problem found.");
    const [file = ""] = readdirSync(`${target}.files`);
    truncateSync(join(`${target}.files`, file), 3);
    const verified = await gangway(other, ["verify", target]);
    expect(verified.code).toBe(1);
    expect(verified.out).toContain(`the file ${file} has 3 bytes and should have 6`);
    truncateSync(target, Math.floor(statSync(target).size / 8192) * 4096);
    expect((await gangway(other, ["restore", target, "--force"])).err).toContain(`the backup ${target} is damaged`);
    expect((await gangway(other, ["restore", `${target}.files`])).err).toContain("is a folder: name the backup's file");
    writeFileSync(join(other, "text.db"), "no database");
    expect((await gangway(other, ["verify", join(other, "text.db")])).err).toContain("is not a Gangway database");
    expect(existsSync(join(other, "gangway.db"))).toBe(false);
  });

  it("keeps a complete copy of a database whose content has faults, reports them, and restores it with --force", async () => {
    const { folder, store, account, channel, target } = await shop();
    const raw = () => ({ path: "messages", headers: {}, body: "a" });
    await store.outbox.acceptInbound(channel, { events: [customerSays("a")], raw });
    const { id } = await store.keptFiles.keep(channel.id, fileOf("a file"), 100, noFile);
    truncateSync(join(folder, "files", id), 2);
    changeRows(folder, "UPDATE raw_webhook SET sealed = ?", "v1.test.aaaa.bbbb");
    changeRows(folder, "UPDATE channel SET settings_sealed = ?", "bent");
    changeRows(folder, "UPDATE tally SET accepted = accepted + ?", 1);
    const ran = await gangway(folder, ["backup", target, "--json"]);
    expect(ran.code).toBe(1);
    const { ok, file, checks, todo } = ran.json() as unknown as Told & { file: string };
    expect({ ok, file }).toEqual({ ok: false, file: target });
    const faulty = ["sealed values", "ledger", "kept files"];
    expect(checks.flatMap(({ name, faults }) => (faults.length > 0 ? [name] : []))).toEqual(faulty);
    expect(todo.map((line) => line.split(":")[0])).toEqual(faulty);
    expect((await gangway(folder, ["backup", `${target}2`])).out).toContain(
      "The database, and so the copy, has 4 problems",
    );
    const doctor = await gangway(folder, ["doctor", "--offline"]);
    expect(doctor.code).toBe(1);
    expect(doctor.out).toMatch(/fail {2}sealed values: channel .*settings is not a sealed value\n/);
    expect(doctor.out).toContain(`fail  ledger: channel ${channel.id}: 1 event is missing`);

    const other = temporaryFolder();
    const refused = await gangway(other, ["restore", target]);
    expect(refused.err).toMatch(/the backup has a fault, and nothing was changed: .* with --force it is restored/);
    expect(existsSync(join(other, "gangway.db"))).toBe(false);
    const restored = await gangway(other, ["restore", target, "--force", "--json"]);
    expect(restored.code).toBe(1);
    expect(restored.json()).toMatchObject({ ok: false, files: 1, todo });
    const brought = await openStore({ folder: other, keyRing: KEY_RING, clock: systemClock });
    expect((await brought.accounts.list()).map(({ id }) => id)).toEqual([account.id]);
    brought.close();
  });

  it("shows the damage as far as the file is readable, and makes no backup of it", async () => {
    const { folder, store, target } = await shop();
    await gangway(folder, ["backup", target]);
    store.close();
    const file = join(folder, "gangway.db");
    const whole = readFileSync(file);
    const tables = new Sqlite(file);
    const root = tables.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'note'").pluck().get() as number;
    tables.close();
    const verified = async (at: string[] = []) => {
      const text = await gangway(folder, ["verify", ...at]);
      const json = await gangway(folder, ["verify", ...at, "--json"]);
      expect([text.code, json.code]).toEqual([1, 1]);
      const { checks, todo } = json.json() as unknown as Told;
      expect(checks[0]?.name).toBe("integrity");
      expect(checks[0]?.faults.length).toBeGreaterThan(0);
      expect(text.out).toMatch(/^FAIL {2}integrity: /);
      expect(text.out).toContain(todo.join("\n"));
      return todo.join();
    };
    const bent = Buffer.from(whole);
    bent.fill(0xff, (root - 1) * 4096, root * 4096);
    writeFileSync(file, bent);
    expect(await verified()).toContain("restore the newest backup with gangway restore");
    const damaged = await gangway(folder, ["backup", `${target}2`]);
    expect(damaged.err).toContain("the copy is damaged and was deleted");
    expect(existsSync(`${target}2`)).toBe(false);
    writeFileSync(file, whole.subarray(0, Math.floor(whole.length / 8192) * 4096));
    await verified();
    writeFileSync(file, Buffer.alloc(8192, 7));
    await verified();
    truncateSync(target, Math.floor(statSync(target).size / 8192) * 4096);
    expect(await verified([target])).toContain("use another backup");
  });

  it("leaves nothing behind after a failed restore", async () => {
    const { folder, target } = await shop();
    await gangway(folder, ["backup", target]);
    const tables = new Sqlite(target);
    tables.exec("DROP TABLE audit");
    tables.close();
    const other = temporaryFolder();
    expect((await gangway(other, ["restore", target])).code).toBe(1);
    expect(readdirSync(other)).toEqual(["instance.lock"]);
  });

  it("reports faults in the table of messages", async () => {
    const { folder, store, channel } = await shop();
    const other = await addChannel(store, await addAccount(store, "other"));
    await store.outbox.acceptInbound(channel, { events: [customerSays("a"), customerSays("b"), customerSays("c")] });
    const tables = new Sqlite(join(folder, "gangway.db"));
    tables.exec("UPDATE message SET head = 1 WHERE id = 2");
    tables.prepare("UPDATE message SET channel_id = ? WHERE id = 3").run(other.id);
    tables.exec("UPDATE channel SET door_sealed = (SELECT settings_sealed FROM channel LIMIT 1)");
    tables.exec("UPDATE message SET events = 1");
    const books = "ON CONFLICT (channel_id) DO UPDATE SET accepted = excluded.accepted";
    tables
      .prepare(`INSERT INTO tally (channel_id, account_id, accepted) VALUES (?, ?, 4) ${books}`)
      .run(channel.id, channel.accountId);
    tables.close();
    const { code, out } = await gangway(folder, ["verify"]);
    expect(code).toBe(1);
    expect(out).toContain("the lane of message 1 should have one head, its oldest, and has 2");
    expect(out).toContain("message 3 belongs to a channel that its account does not have");
    expect(out).toContain(`channel ${channel.id}: 2 events are missing`);
    expect(out).toMatch(/channel .*: channel.door does not open/);
  });
});
