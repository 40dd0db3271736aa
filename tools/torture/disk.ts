import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../demo/ask.ts";
import { becomes, pause } from "../waiting.ts";
import { crowd, unavailable } from "./crowd.ts";
import { kept, tell } from "./deaths.ts";
import { atLeast, atMost, exactly, type Figure, none } from "./figure.ts";
import { openField } from "./grid/field.ts";
import { heard, type Station, say, wordsOf } from "./grid/station.ts";
import type { Scene } from "./scene.ts";
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
    if (!mounted(folder)) return [UNTRIED];
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

const STARTS_MS = 10_000;
const RECOVERS_S = 30;

/** It is full when the server starts: it starts all the same, says so, takes nothing, and goes on by itself when there is room. */
export const fullAtStart: Trial = {
  name: "started on a full disk",
  async run(bench): Promise<Figure[]> {
    const folder = bench.folder();
    if (!mounted(folder)) return [{ ...UNTRIED, what: "started on a full disk" }];
    const field = await openField({ ...bench, folder: () => folder }, { DISK_FLOOR_MIB: "0" });
    try {
      const station = await field.open();
      // Stopped as it should be, the database has no log any more into which a message could still go.
      await field.process.kill("SIGTERM");
      const ballast = join(folder, "ballast");
      fill(ballast);
      field.process.lines.length = 0;
      field.process.launch();
      const asked = (path: string) =>
        ask(field.server + path).then(
          ({ status }) => status,
          () => 0,
        );
      const starts = await becomes(async () => (await asked("/health/live")) === 200, STARTS_MS);
      say(station, "while it was full");
      await pause(FULL_MS);
      const ready = await asked("/health/ready");
      const refused = letterOf(station)?.attempts ?? 0;
      const told = field.process.lines.some((line) => /disk|full|space/i.test(line));
      rmSync(ballast);
      const began = Date.now();
      const isThere = () => heard(station).some((message) => wordsOf(message) === "while it was full");
      const goesOn = starts && (await becomes(isThere, RECOVERS_S * 2_000));
      const recovered = goesOn ? (Date.now() - began) / 1000 : Number.POSITIVE_INFINITY;
      return [
        exactly("P19", "it starts on a full disk", Number(starts), 1),
        exactly("P19", "it says so in its log", Number(told), 1),
        exactly("P19", "its readiness while the disk is full", ready, 503),
        atLeast("P19", "webhooks refused meanwhile", refused, 1),
        atMost("P19", "until it goes on by itself when there is room", recovered, RECOVERS_S, " s"),
      ];
    } finally {
      await field.close();
      spawnSync("umount", ["-l", folder]);
    }
  },
};

/** What the messenger could not bring yet. */
const letterOf = ({ telegram, bot }: Station) => telegram.world.bots.get(bot.id)?.queue.entries[0];

const UNTRIED: Figure = { promise: "P19", what: "full disk", figure: "only root can mount a tmpfs", bound: "" };
const mounted = (folder: string): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder]).status === 0;

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
