import { existsSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/domain/clock.ts";
import { verifyBackup } from "../../src/store/backup.ts";
import { fileOf } from "../support/channel-context.ts";
import { addAccount, addChannel, KEY_RING, temporaryFolder, temporaryStore } from "../support/store.ts";

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

  it("leaves nothing behind when it fails", async () => {
    const { folder, store, channel, target } = await setUp();
    const { id } = await store.keptFiles.keep(channel.id, fileOf("a file"), 100, () => new Error());
    truncateSync(join(folder, "files", id), 2);
    await expect(store.backup.write(target)).rejects.toThrow(`the backup is not whole: the file ${id} has 2 bytes`);
    expect(readdirSync(join(target, ".."))).toEqual([]);
    await expect(store.backup.write(join(folder, "nowhere", "b.db"))).rejects.toThrow("there is no folder");
  });

  it("does without files that were deleted while it was made", async () => {
    const { folder, store, channel, target } = await setUp();
    const keep = () => store.keptFiles.keep(channel.id, fileOf("a file"), 100, () => new Error());
    const [gone, there] = [await keep(), await keep()];
    rmSync(join(folder, "files", gone.id));
    expect((await store.backup.write(target)).files).toBe(1);
    expect(existsSync(join(`${target}.files`, there.id))).toBe(true);
    expect(verifyBackup(target, KEY_RING).flatMap(({ faults }) => faults)).toEqual([]);
  });
});
