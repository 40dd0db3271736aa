import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ask } from "gangway-sandbox/demo/ask";
import { becomes, pause } from "gangway-sandbox/demo/waiting";
import { crowd, unavailable } from "./crowd.ts";
import { kept, report } from "./deaths.ts";
import { atLeast, atMost, exactly, type Figure, none } from "./figure.ts";
import { inbox, type Station, say, wordsOf } from "./grid/station.ts";
import { openTestBed } from "./grid/test-bed.ts";
import type { Scene } from "./scene.ts";
import type { Trial } from "./trial.ts";

const SIZE = "24m";
/** The disk stays full for FULL_MS after the first refusal, which may take up to PATIENCE_MS. */
const FULL_MS = 3_000;
const PATIENCE_MS = 30_000;
const BLOCK = 65_536;

export const fullDisk: Trial = {
  name: "full disk",
  async run(context): Promise<Figure[]> {
    const folder = context.folder();
    if (!mounted(folder)) return [UNTRIED];
    try {
      const ballast = join(folder, "ballast");
      // Fill it while the write-ahead log is small: every write then needs new space.
      const during = async (scene: Scene) => {
        await becomes(() => scene.crowd.every(({ crm, chats }) => crm.sandbox.world.chats.size >= chats.length));
        fill(ballast);
        await becomes(() => unavailable(scene) > 0, PATIENCE_MS);
        await pause(FULL_MS);
        rmSync(ballast);
      };
      const size = context.short
        ? { messages: 400, accounts: 2, chats: 10 }
        : { messages: 2_000, accounts: 4, chats: 25 };
      const { env, random, print } = context;
      const limits = { DISK_FLOOR_MIB: "0" };
      const own = {
        ...size,
        env: { ...env, ...limits },
        random,
        print,
        folder,
        during,
        main: context.program(),
      };
      const result = await crowd({ ...own, floods: 0, lost: 0, policy: "resend" });
      report(context, result);
      return [
        ...kept(result, { lost: "P19", duplicates: "P19" }),
        atLeast("P19", "webhooks answered with 503 while it was full", result.unavailable, 1),
        none("P19", "duplicates in chats", result.duplicates),
      ];
    } finally {
      unmount(folder);
    }
  },
};

const STARTS_MS = 10_000;
const RECOVERS_S = 30;

/** On a full disk the server starts, logs it, accepts nothing, and recovers by itself once there is space. */
export const fullAtStart: Trial = {
  name: "started on a full disk",
  async run(context): Promise<Figure[]> {
    const folder = context.folder();
    if (!mounted(folder)) return [{ ...UNTRIED, what: "started on a full disk" }];
    const testBed = await openTestBed({ ...context, folder: () => folder }, { DISK_FLOOR_MIB: "0" });
    try {
      const station = await testBed.open();
      // A clean shutdown removes the write-ahead log, which could still take a message.
      await testBed.process.kill("SIGTERM");
      const ballast = join(folder, "ballast");
      fill(ballast);
      testBed.process.lines.length = 0;
      testBed.process.launch();
      const asked = (path: string) =>
        ask(testBed.server + path).then(
          ({ status }) => status,
          () => 0,
        );
      const starts = await becomes(async () => (await asked("/health/live")) === 200, STARTS_MS * context.slack);
      say(station, "while it was full");
      await becomes(() => (letterOf(station)?.attempts ?? 0) > 0);
      await pause(FULL_MS);
      const ready = await asked("/health/ready");
      const refused = letterOf(station)?.attempts ?? 0;
      const logged = testBed.process.lines.some((line) => /disk|full|space/i.test(line));
      rmSync(ballast);
      const began = Date.now();
      const isThere = () => inbox(station).some((message) => wordsOf(message) === "while it was full");
      const goesOn = starts && (await becomes(isThere, RECOVERS_S * 2_000 * context.slack));
      const recovered = goesOn ? (Date.now() - began) / 1000 : Number.POSITIVE_INFINITY;
      return [
        exactly("P19", "starts on a full disk", Number(starts), 1),
        exactly("P19", "logs that the disk is full", Number(logged), 1),
        exactly("P19", "readiness while the disk is full", ready, 503),
        atLeast("P19", "webhooks refused meanwhile", refused, 1),
        atMost("P19", "time to recover once there is space", recovered, RECOVERS_S * context.slack, " s"),
      ];
    } finally {
      await testBed.close();
      unmount(folder);
    }
  },
};

/** The first update the messenger has not delivered yet. */
const letterOf = ({ telegram, bot }: Station) => telegram.world.bots.get(bot.id)?.queue.entries[0];

const UNTRIED: Figure = { promise: "P19", what: "full disk", figure: "only root can mount a tmpfs", bound: "" };
const mounted = (folder: string): boolean => mount(folder, SIZE);

/** Makes the folder a file system of its own, with the size of a mount option. False: only root can. */
export const mount = (folder: string, size: string): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]).status === 0;
export const unmount = (folder: string) => void spawnSync("umount", ["-l", folder]);

/** Leaves no byte free. */
export function fill(file: string): void {
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
