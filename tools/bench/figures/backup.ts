import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { ROOT } from "../../root.ts";
import { pileUpSettled } from "../backlog.ts";
import { instant } from "../child.ts";
import type { Went } from "../load.ts";
import { freshFolder } from "../stage.ts";
import { type Stand, stand } from "./end-to-end.ts";
import { bounded, type Measure, once, type Scale } from "./figure.ts";

const MEBIBYTES: Record<Scale, number> = { quick: 64, usual: 256, long: 1_024 };
const PER_SECOND = 100;
/** Messages that were carried before. */
const FIRST = 2_000;
/** The load comes in pieces of so long, ms. */
const BESIDE_MS = 2_000;

/** Linux' disk in memory: a real one stops for hundreds of milliseconds by itself at times, and hides what a backup does. */
const IN_MEMORY = "/dev/shm";

/** `gangway backup` of a large database, beside a server that takes and delivers all the while; then `gangway restore`. */
export const backup: Measure = async (scale) => {
  const inMemory = await backedUp(MEBIBYTES[scale], existsSync(IN_MEMORY) ? IN_MEMORY : undefined);
  const onDisk = await backedUp(MEBIBYTES[scale]);
  const mebibytes = inMemory.mebibytes.toLocaleString("en");
  return [
    bounded({
      name: "backup",
      what: `longest gap of the event loop while ${mebibytes} MiB are backed up beside ${PER_SECOND} messages a second, on a disk in memory`,
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
      what: "messages acknowledged before it began that its restore lacks",
      figure: once(inMemory.missing + onDisk.missing),
      unit: "",
      atMost: 0,
    }),
  ];
};

/** All in folders of `parent`. */
async function backedUp(mebibytes: number, parent?: string) {
  const furnish = (folder: string) => pileUpSettled(folder, mebibytes);
  const scene = await stand({ folder: freshFolder(parent), furnish });
  await scene.carry(FIRST);
  const before = await watched(scene, () => steady(scene));
  const taken = messagesIn(scene.folder);
  const copy = join(freshFolder(parent), "backup.db");
  const during = await watched(scene, () => throughout(scene, gangway(scene.folder, ["backup", copy])));
  await scene.stop();
  const restored = freshFolder(parent);
  await gangway(restored, ["restore", copy]);
  const inRestored = messagesIn(restored);
  return {
    mebibytes: Math.floor(statSync(copy).size / 1024 ** 2),
    taken: taken.size,
    missing: [...taken].filter((name) => !inRestored.has(name)).length,
    ...during.result,
    gap: during.gap,
    gapBefore: before.gap,
  };
}

/** Gaps of the server's event loop meanwhile, ms. */
async function watched<Result>({ server }: Stand, work: () => Promise<Result>) {
  await server.ask("watchLag");
  const result = await work();
  return { result, gap: await server.ask<{ p99: number; most: number }>("lag") };
}

async function steady({ load, ground }: Stand): Promise<Went> {
  const went = await load.ask<Went>("steady", { ground, rate: PER_SECOND, ms: BESIDE_MS });
  if (went.failed > 0) throw new Error(`${went.failed} webhooks were not taken`);
  return went;
}

/** Under load until the work is done. */
async function throughout(scene: Stand, work: Promise<unknown>): Promise<{ seconds: number; p99: number }> {
  const beganAt = instant();
  let endedAt: number | undefined;
  let p99 = 0;
  const load = async () => {
    while (endedAt === undefined) p99 = Math.max(p99, (await steady(scene)).p99);
  };
  const ended = work.finally(() => {
    endedAt = instant();
  });
  await Promise.all([ended, load()]);
  return { seconds: ((endedAt ?? beganAt) - beganAt) / 1000, p99 };
}

/** The built command; rejects when it does not end well. */
function gangway(folder: string, args: string[]): Promise<void> {
  const env = { PATH: process.env.PATH, SANDBOX: "1", DATA_FOLDER: folder };
  const child = spawn(process.execPath, [join(ROOT, "dist", "cli.js"), ...args], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`gangway ${args[0]} ended with ${code}`))));
  });
}

/** The names of all messages that were taken. */
function messagesIn(folder: string): Set<unknown> {
  const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const names = db.prepare("SELECT channel_id || source || dedupe_key FROM inbox").pluck().all();
  db.close();
  return new Set(names);
}
