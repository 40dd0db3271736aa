import { execFileSync } from "node:child_process";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, symlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./store.ts";

export interface Disk {
  folder: string;
  /** Fills it up, leaving at most `left` bytes. */
  fill(left?: number): void;
  free(): void;
}

const PIECES = [65_536, 4_096, 512];

/** A small file system to fill up; undefined if this process may not mount one. */
export function tinyDisk(mebibytes: number): Disk | undefined {
  const folder = temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "gangway-test", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  const [ballast, spare] = [join(folder, "ballast"), join(folder, "spare")];
  const fill = (left = 0) => {
    if (left > 0) write(spare, [left], 1);
    write(ballast, PIECES);
    rmSync(spare, { force: true });
  };
  return { folder, fill, free: () => rmSync(ballast) };
}

/** Makes the folder unreachable for every user until the test ends: its name becomes a link to itself. */
export function unreachable(folder: string): void {
  renameSync(folder, `${folder}.away`);
  symlinkSync(folder, folder);
  onTestFinished(() => {
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
  });
}

/** Writes up to `most` pieces of each size, as far as they fit. */
function write(file: string, sizes: number[], most = Number.POSITIVE_INFINITY): void {
  const handle = openSync(file, "a");
  for (const size of sizes) {
    try {
      for (let n = 0; n < most; n++) writeSync(handle, Buffer.alloc(size));
    } catch {
      // Full: smaller pieces may still go in.
    }
  }
  fsyncSync(handle);
  closeSync(handle);
}
