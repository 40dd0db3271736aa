import { cpSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Disk, tinyDisk } from "../../support/disk.ts";
import { gangway } from "../../support/gangway.ts";
import { addAccount, addChannel, temporaryFolder, temporaryStore } from "../../support/store.ts";

// A tiny file system stands in for a full disk; only root may mount it.
describe.runIf(process.getuid?.() === 0)("on a full disk, where no server runs, the built command", () => {
  async function fullFolder(): Promise<string> {
    const folder = temporaryFolder();
    const store = await temporaryStore(undefined, folder);
    await addChannel(store, await addAccount(store));
    store.close();
    const disk = tinyDisk(4) as Disk;
    cpSync(folder, disk.folder, { recursive: true });
    disk.fill();
    return disk.folder;
  }

  it("says that the disk is full, and doctor what to do about it", async () => {
    const folder = await fullFolder();
    const dead = await gangway(folder, ["dead", "list"]);
    expect([dead.code, dead.err]).toEqual([1, `gangway dead list: the disk of ${folder} is full: free some space\n`]);
    const doctor = await gangway(folder, ["doctor", "--offline"]);
    expect(doctor.code).toBe(1);
    expect(doctor.out).toContain(`the disk of ${folder} is full`);
    expect(doctor.out).toContain("free space on that disk; the server then continues by itself");
  });
});
