import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/domain/clock.ts";
import { BOUNDLESS } from "../../src/domain/overload.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { fileOf } from "../support/channel-context.ts";
import { agentSays, customerSays } from "../support/events.ts";
import { gangway } from "../support/gangway.ts";
import { addAccount, addChannel, KEY_RING, temporaryFolder, temporaryStore } from "../support/store.ts";

// Each command is a process of its own; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 90_000 });

const CANARIES = {
  apiKey: "canary-api-key-5f1c",
  gatewayToken: "canary-token-77aa",
  clientId: "canary-client-12",
  bot: "canary-bot-9e",
};

async function shop(folder = temporaryFolder()) {
  const store = await temporaryStore(systemClock, folder, BOUNDLESS);
  const account = await store.accounts.bind({
    crmUrl: "https://shop.retailcrm.ru",
    ...{ apiKey: CANARIES.apiKey, clientId: CANARIES.clientId, webhookSecret: "canary-webhook-3d" },
    ...{ gatewayUrl: "https://gateway.example/api", gatewayToken: CANARIES.gatewayToken },
  });
  const channel = await store.channels.add(account.id, { kind: "toy", name: "Toy", settings: { token: CANARIES.bot } });
  const target = join(temporaryFolder(), "backup.db");
  return { folder, store, account, channel, target };
}
const textOf = (file: string) => readFileSync(file).toString("latin1");
const noFile = () => new Error("too large");

/** Writes as fast as it can until it is stopped; the names of what was acknowledged. */
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
  it("copies a database under load: all that was acknowledged before it began is in it", async () => {
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
    const keys = new Set(copy.prepare("SELECT dedupe_key FROM inbox").pluck().all());
    copy.close();
    expect(before.filter((name) => !keys.has(name))).toEqual([]);
    expect(readdirSync(join(target, "..")).sort()).toEqual(["backup.db", "backup.db.files"]);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(statSync(join(`${target}.files`, id)).mode & 0o777).toBe(0o600);
    expect((await gangway(folder, ["verify", target])).code).toBe(0);
    expect((await gangway(folder, ["verify"])).code).toBe(0);
    expect((await store.audit.list({ most: 1 }))[0]).toMatchObject({ actor: "operator", action: "backup made" });
    expect((await gangway(folder, ["backup", target])).err).toContain("is there already");
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

  it("sends nothing to customers of what it brings back, until a person says so", async () => {
    const { folder, store, account, channel, target } = await shop();
    for (const id of ["1", "2", "3"])
      await store.outbox.acceptOutbound(channel, { key: `sent:${id}`, act: agentSays(id), patienceMs: 60_000 });
    await store.outbox.acceptInbound(channel, { events: [customerSays("from the customer")] });
    await store.outbox.claim(await store.accounts.takeLease(account.id, "test"), 1);
    const { id: fileId } = await store.keptFiles.keep(channel.id, fileOf("a file"), 100, noFile);
    await gangway(folder, ["backup", target]);
    const other = temporaryFolder();
    const ran = await gangway(other, ["restore", target, "--json"]);
    expect(ran.json()).toMatchObject({ ok: true, held: 3, files: 1 });
    const claimed = async (at: string) => {
      const restored = await openStore({ folder: at, keyRing: KEY_RING, clock: systemClock });
      const lease = await restored.accounts.takeLease(account.id, "test");
      const taken = await restored.outbox.takeOver(lease);
      const jobs = [...taken, ...(await restored.outbox.claim(lease, 10))];
      const ended = await restored.outbox.ended(account.id, 10);
      expect((await restored.keptFiles.open(channel.id, fileId))?.size).toBe(6);
      expect((await restored.audit.list({ most: 1 }))[0]?.action).toBe("backup restored");
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

  it("overwrites nothing: not beside a running server, not without --force, and then the old data is kept", async () => {
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
    expect((await gangway(other, ["restore", target], wrong)).err).toContain("does not open: wrong key");
    const [file = ""] = readdirSync(`${target}.files`);
    truncateSync(join(`${target}.files`, file), 3);
    const verified = await gangway(other, ["verify", target]);
    expect(verified.code).toBe(1);
    expect(verified.out).toContain(`the file ${file} has 3 bytes and should have 6`);
    truncateSync(target, Math.floor(statSync(target).size / 8192) * 4096);
    expect((await gangway(other, ["restore", target])).code).toBe(1);
    writeFileSync(join(other, "text.db"), "no database");
    expect((await gangway(other, ["verify", join(other, "text.db")])).err).toContain("is no database of Gangway");
    expect(existsSync(join(other, "gangway.db"))).toBe(false);
  });

  it("tells what is wrong in the table of jobs", async () => {
    const { folder, store, channel } = await shop();
    const other = await addChannel(store, await addAccount(store, "other"));
    await store.outbox.acceptInbound(channel, { events: [customerSays("a"), customerSays("b"), customerSays("c")] });
    const tables = new Sqlite(join(folder, "gangway.db"));
    tables.exec("UPDATE job SET head = 1 WHERE id = 2");
    tables.prepare("UPDATE job SET channel_id = ? WHERE id = 3").run(other.id);
    tables.exec("UPDATE channel SET door_sealed = (SELECT settings_sealed FROM channel LIMIT 1)");
    tables.exec("UPDATE job SET events = 1");
    const books = "ON CONFLICT (channel_id) DO UPDATE SET accepted = excluded.accepted";
    tables
      .prepare(`INSERT INTO tally (channel_id, account_id, accepted) VALUES (?, ?, 4) ${books}`)
      .run(channel.id, channel.accountId);
    tables.close();
    const { code, out } = await gangway(folder, ["verify"]);
    expect(code).toBe(1);
    expect(out).toContain("job 1 should be the one head of its lane, which has 2");
    expect(out).toContain("job 3 is of a channel that its account does not have");
    expect(out).toContain(`of the channel ${channel.id} 2 events are missing`);
    expect(out).toMatch(/channel .*: channel.door does not open/);
  });
});
