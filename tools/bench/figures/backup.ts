import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { ROOT } from "../../root.ts";
import { addSettled } from "../backlog.ts";
import { instant } from "../child.ts";
import type { LoadResult } from "../load.ts";
import { freshFolder } from "../stage.ts";
import { bounded, type Measure, once, type Scale } from "./figure.ts";
import { openRig, type Rig } from "./rig.ts";

const MEBIBYTES: Record<Scale, number> = { quick: 64, usual: 256, long: 1_024 };
const PER_SECOND = 100;
/** Messages carried before measuring. */
const WARM_UP = 2_000;
/** Length of one piece of load, ms. */
const LOAD_MS = 2_000;

/** RAM disk: a real disk stalls for hundreds of milliseconds by itself and hides the backup's effect. */
const IN_MEMORY = "/dev/shm";

/** `gangway backup` of a large database while the server accepts and delivers; then `gangway restore`. */
export const backup: Measure = async (scale) => {
  const inMemory = await backedUp(MEBIBYTES[scale], existsSync(IN_MEMORY) ? IN_MEMORY : undefined);
  const onDisk = await backedUp(MEBIBYTES[scale]);
  const mebibytes = inMemory.mebibytes.toLocaleString("en");
  return [
    bounded({
      name: "backup",
      what: `longest event-loop stall while backing up ${mebibytes} MiB under ${PER_SECOND} messages a second, on a RAM disk`,
      figure: once(inMemory.gap.most),
      unit: " ms",
      atMost: 50,
      detail: { inMemory, onDisk },
    }),
    {
      name: "backup-disk",
      what: "the same, p99, on this disk",
      figure: once(onDisk.gap.p99),
      unit: " ms",
    },
    bounded({
      name: "backup-missing",
      what: "messages acknowledged before the backup but missing from the restore",
      figure: once(inMemory.missing + onDisk.missing),
      unit: "",
      atMost: 0,
    }),
  ];
};

/** Backs up and restores in folders of `parent`. */
async function backedUp(mebibytes: number, parent?: string) {
  const prepare = (folder: string) => addSettled(folder, mebibytes);
  const rig = await openRig({ folder: freshFolder(parent), prepare });
  await rig.carry(WARM_UP);
  const before = await watched(rig, () => steady(rig));
  const accepted = messagesIn(rig.folder);
  const copy = join(freshFolder(parent), "backup.db");
  const during = await watched(rig, () => throughout(rig, gangway(rig.folder, ["backup", copy])));
  await rig.stop();
  const restored = freshFolder(parent);
  await gangway(restored, ["restore", copy]);
  const inRestored = messagesIn(restored);
  return {
    mebibytes: Math.floor(statSync(copy).size / 1024 ** 2),
    accepted: accepted.size,
    missing: [...accepted].filter((name) => !inRestored.has(name)).length,
    ...during.result,
    gap: during.gap,
    gapBefore: before.gap,
  };
}

/** Measures the server's event-loop stalls during `work`, ms. */
async function watched<Result>({ server }: Rig, work: () => Promise<Result>) {
  await server.ask("watchLag");
  const result = await work();
  return { result, gap: await server.ask<{ p99: number; most: number }>("lag") };
}

async function steady({ load, workload }: Rig): Promise<LoadResult> {
  const result = await load.ask<LoadResult>("steady", { workload, rate: PER_SECOND, ms: LOAD_MS });
  if (result.failed > 0) throw new Error(`${result.failed} webhooks were not accepted`);
  return result;
}

/** Keeps up the load until `work` is done. */
async function throughout(rig: Rig, work: Promise<unknown>): Promise<{ seconds: number; p99: number }> {
  const beganAt = instant();
  let endedAt: number | undefined;
  let p99 = 0;
  const load = async () => {
    while (endedAt === undefined) p99 = Math.max(p99, (await steady(rig)).p99);
  };
  const ended = work.finally(() => {
    endedAt = instant();
  });
  await Promise.all([ended, load()]);
  return { seconds: ((endedAt ?? beganAt) - beganAt) / 1000, p99 };
}

/** Runs the built command. Throws unless it exits with 0. */
function gangway(folder: string, args: string[]): Promise<void> {
  const env = { PATH: process.env.PATH, SANDBOX: "1", DATA_FOLDER: folder };
  const child = spawn(process.execPath, [join(ROOT, "dist", "cli.js"), ...args], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`gangway ${args[0]} exited with ${code}`)),
    );
  });
}

function messagesIn(folder: string): Set<unknown> {
  const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const names = db.prepare("SELECT channel_id || direction || dedupe_key FROM message").pluck().all();
  db.close();
  return new Set(names);
}
