import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crowd, type Scene, unavailable } from "./crowd.ts";
import { kept, tell } from "./deaths.ts";
import { atLeast, type Figure, none } from "./figure.ts";
import { becomes } from "./shop.ts";
import type { Trial } from "./trial.ts";

const SIZE = "24m";
/** After the first refusal it stays full for so long; without one, at most so long. */
const FULL_MS = 3_000;
const PATIENCE_MS = 30_000;
/** Nothing dies here, so that what has not moved for so long is lost. */
const STILL_MS = 20_000;
const BLOCK = 65_536;

/** The disk is full for a while. */
export const fullDisk: Trial = {
  name: "full disk",
  async run(bench): Promise<Figure[]> {
    const folder = bench.folder();
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder]);
    if (mounted.status !== 0)
      return [{ promise: "P19", what: "full disk", figure: "only root can mount a tmpfs", bound: "" }];
    try {
      const ballast = join(folder, "ballast");
      // The write-ahead log is still small then: what is written needs room.
      const during = async (scene: Scene) => {
        await becomes(() => scene.crowd.every(({ crm, chats }) => crm.sandbox.world.chats.size >= chats.length));
        fill(ballast);
        await becomes(() => unavailable(scene) > 0, PATIENCE_MS);
        await pause(FULL_MS);
        rmSync(ballast);
      };
      const size = bench.short
        ? { messages: 400, accounts: 2, chats: 10 }
        : { messages: 2_000, accounts: 4, chats: 25 };
      const { env, random, print } = bench;
      const limits = { DISK_FLOOR_MIB: "0" };
      const own = {
        ...size,
        env: { ...env, ...limits },
        random,
        print,
        folder,
        during,
        main: bench.program(),
        stillMs: STILL_MS,
      };
      const result = await crowd({ ...own, floods: 0, lost: 0, policy: "resend" });
      tell(bench, result);
      return [
        ...kept(result, { lost: "P19", duplicates: "P19" }),
        atLeast("P19", "webhooks answered with 503 while it was full", result.unavailable, 1),
        none("P19", "duplicates in chats", result.duplicates),
      ];
    } finally {
      spawnSync("umount", ["-l", folder]);
    }
  },
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Takes all that is left, to the last byte that can be had. */
function fill(file: string): void {
  const target = openSync(file, "w");
  const block = Buffer.alloc(BLOCK);
  try {
    for (;;) writeSync(target, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(target);
  }
}
