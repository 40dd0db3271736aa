import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../../src/domain/clock.ts";
import { verifyBackup } from "../../../src/store/care/backup.ts";
import type { Check } from "../../../src/store/care.ts";
import { explainFullDisk } from "../../../src/store/disk/faults.ts";
import { StoreError } from "../../../src/store/store.ts";
import { fileOf } from "../../support/channel-context.ts";
import { changeRows } from "../../support/rows.ts";
import { addAccount, addChannel, KEY_RING, temporaryFolder, temporaryStore } from "../../support/store.ts";

// Thousands of commits take their time on a busy disk.
vi.setConfig({ testTimeout: 90_000 });

async function setUp() {
  const folder = temporaryFolder();
  const store = await temporaryStore(systemClock, folder);
  const channel = await addChannel(store, await addAccount(store));
  return { folder, store, channel, target: join(temporaryFolder(), "backup.db") };
}

describe("a backup", () => {
  it("is of one moment, and ends although the server never ceases to write", async () => {
    const { store, channel, target } = await setUp();
    const line = (n: number) => ({ chat: "c", key: `k${n}`, entry: "x".repeat(4_000) });
    await store.journal.append(
      channel.id,
      Array.from({ length: 5_000 }, (_, n) => line(n)),
    );
    let ended = false;
    const making = store.backup.write(target).finally(() => {
      ended = true;
    });
    let written = 0;
    // A commit between any two steps of the copy; it would begin anew each time without a moment of its own.
    for (; !ended && written < 3_000; written++) await store.journal.append(channel.id, [line(10_000 + written)]);
    expect(written).toBeLessThan(3_000);
    expect((await making).checks.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it("leaves nothing behind when it fails, and names what is in its way", async () => {
    const { folder, store, channel, target } = await setUp();
    const { id } = await store.keptFiles.keep(channel.id, fileOf("a file"), 100, () => new Error());
    rmSync(join(folder, "files", id));
    mkdirSync(join(folder, "files", id));
    await expect(store.backup.write(target)).rejects.toThrow("EISDIR");
    expect(readdirSync(join(target, ".."))).toEqual([]);
    await expect(store.backup.write(join(folder, "nowhere", "b.db"))).rejects.toThrow("there is no folder");
    mkdirSync(`${target}.files`);
    await expect(store.backup.write(target)).rejects.toThrow(
      `${target}.files is there already, the kept files of a backup ${target} that is gone`,
    );
  });

  it("keeps the rows of files whose bytes are lost, and tells of them, but not of files deleted while it was made", async () => {
    const { folder, store, channel, target } = await setUp();
    const keep = () => store.keptFiles.keep(channel.id, fileOf("a file"), 100, () => new Error());
    const [deleted, lost, there] = [await keep(), await keep(), await keep()];
    const lines = Array.from({ length: 5_000 }, (_, n) => ({ chat: "c", key: `k${n}`, entry: "x".repeat(4_000) }));
    await store.journal.append(channel.id, lines);
    rmSync(join(folder, "files", lost.id));
    const making = store.backup.write(target);
    while (!statSync(`${target}.part`, { throwIfNoEntry: false })?.size) await setImmediate();
    changeRows(folder, "DELETE FROM kept_file WHERE id = ?", deleted.id);
    rmSync(join(folder, "files", deleted.id));
    const { files, checks } = await making;
    expect(files).toBe(1);
    const told = (found: Check[]) => found.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));
    expect(told(checks)).toEqual([`kept files: the bytes of the file ${lost.id} are not there`]);
    expect(existsSync(join(`${target}.files`, there.id))).toBe(true);
    expect(told(verifyBackup(target, KEY_RING))).toEqual(told(checks));
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
    const told = new StoreError("the disk of /backups is full, and nothing was written: make room there");
    expect(full(() => writeFileSync("/dev/full", "a byte"))).toEqual(told);
    expect(full(() => small.exec("CREATE TABLE t (a)"))).toEqual(told);
    expect(full(() => readdirSync("/nowhere"))).toMatchObject({ code: "ENOENT" });
  });
});
