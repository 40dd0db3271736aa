import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { systemClock } from "gangway-messenger/clock";
import { describe, expect, it } from "vitest";
import { verifyBackup } from "../../../../src/store/care/backup.ts";
import type { Check } from "../../../../src/store/care.ts";
import { explainFullDisk } from "../../../../src/store/disk/faults.ts";
import { StoreError } from "../../../../src/store/store.ts";
import { fileOf } from "../../../support/channel-context.ts";
import { changeRows } from "../../../support/rows.ts";
import { addAccount, addChannel, KEY_RING, temporaryFolder, temporaryStore } from "../../../support/store.ts";

// Thousands of commits are slow on a busy disk.
async function setUp() {
  const folder = temporaryFolder();
  const store = await temporaryStore(systemClock, folder);
  const channel = await addChannel(store, await addAccount(store));
  return { folder, store, channel, target: join(temporaryFolder(), "backup.db") };
}

describe("a backup", () => {
  it("is a snapshot, and completes although the server keeps writing", async () => {
    const { store, channel, target } = await setUp();
    const row = (n: number) => ({ chat: "c", key: `k${n}`, entry: "x".repeat(4_000) });
    await store.journal.append(
      channel.id,
      Array.from({ length: 5_000 }, (_, n) => row(n)),
    );
    let ended = false;
    const making = store.backup.write(target).finally(() => {
      ended = true;
    });
    let written = 0;
    // Commit between the copy's steps: without a snapshot each commit would restart it.
    for (; !ended && written < 3_000; written++) await store.journal.append(channel.id, [row(10_000 + written)]);
    expect(written).toBeLessThan(3_000);
    expect((await making).checks.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it("leaves nothing behind when it fails, and names the cause", async () => {
    const { folder, store, channel, target } = await setUp();
    const { id } = await store.keptFiles.keep(channel.id, fileOf("a file"), 100, () => new Error());
    rmSync(join(folder, "files", id));
    mkdirSync(join(folder, "files", id));
    await expect(store.backup.write(target)).rejects.toThrow("EISDIR");
    expect(readdirSync(join(target, ".."))).toEqual([]);
    await expect(store.backup.write(join(folder, "nowhere", "b.db"))).rejects.toThrow("there is no folder");
    mkdirSync(`${target}.files`);
    await expect(store.backup.write(target)).rejects.toThrow(
      `${target}.files already exists, with the kept files of a deleted backup ${target}`,
    );
  });

  it("reports files whose bytes are lost, but not files deleted during the backup", async () => {
    const { folder, store, channel, target } = await setUp();
    const keep = () => store.keptFiles.keep(channel.id, fileOf("a file"), 100, () => new Error());
    const [deleted, lost, there] = [await keep(), await keep(), await keep()];
    const rows = Array.from({ length: 5_000 }, (_, n) => ({ chat: "c", key: `k${n}`, entry: "x".repeat(4_000) }));
    await store.journal.append(channel.id, rows);
    rmSync(join(folder, "files", lost.id));
    const making = store.backup.write(target);
    while (!statSync(`${target}.part`, { throwIfNoEntry: false })?.size) await setImmediate();
    changeRows(folder, "DELETE FROM kept_file WHERE id = ?", deleted.id);
    rmSync(join(folder, "files", deleted.id));
    const { files, checks } = await making;
    expect(files).toBe(1);
    const listed = (found: Check[]) => found.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));
    expect(listed(checks)).toEqual([`kept files: the bytes of the file ${lost.id} are not there`]);
    expect(existsSync(join(`${target}.files`, there.id))).toBe(true);
    expect(listed(verifyBackup(target, KEY_RING))).toEqual(listed(checks));
  });

  it("says which disk is full", () => {
    const full = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        return explainFullDisk(error, "/backups", "nothing was written");
      }
      return undefined;
    };
    const small = new Sqlite(":memory:");
    small.pragma("max_page_count = 1");
    const fault = new StoreError("the disk of /backups is full, and nothing was written: free some space there");
    expect(full(() => writeFileSync("/dev/full", "a byte"))).toEqual(fault);
    expect(full(() => small.exec("CREATE TABLE t (a)"))).toEqual(fault);
    expect(full(() => readdirSync("/nowhere"))).toMatchObject({ code: "ENOENT" });
  });
});
