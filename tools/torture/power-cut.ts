import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";

/** Simulates a power cut by undoing every unsynced write. */
export interface PowerCut {
  /** Environment for the server whose data is in `folder`. */
  env(folder: string): Record<string, string>;
  /** Undoes the killed server's unsynced writes; returns their number. */
  cut(folder: string): number;
  /** POSTs answered with 200; `early` counts those without a sync between request and answer. */
  answers(): { all: number; early: number };
}

const SOURCE = join(ROOT, "tools", "torture", "power-cut.c");
/** Offset, previous file size, length written, length of the old bytes that follow: 8 bytes each. */
const HEAD = 32;

/** Names of the undo logs in a folder: each is its file's path, with `%` for `/`. */
const logsIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.startsWith("%"));
const pathOf = (log: string): string => log.replaceAll("%", "/");

/** What has been written into a folder, and not synced, as the preload's logs have it. */
export interface Unsynced {
  /** It is still unsynced in a copy of the folder, as after a process's end. */
  carry(from: string, to: string): void;
  /** It is lost in a copy of the folder, and wherever else something was written. */
  lose(from: string, to: string): void;
  /** The folder is gone. */
  forget(folder: string): void;
}

/** `logs`: the preload's folder for them. */
export function unsyncedIn(logs: string): Unsynced {
  const named = (path: string) => path.replaceAll("/", "%");
  const of = (folder: string) => logsIn(logs).filter((log) => log.startsWith(named(`${folder}/`)));
  const moved = (log: string, from: string, to: string) => log.replace(named(from), named(to));
  return {
    carry(from, to) {
      for (const log of of(from)) copyFileSync(join(logs, log), join(logs, moved(log, from, to)));
    },
    lose(from, to) {
      const own = of(to);
      for (const log of logsIn(logs).filter((each) => !own.includes(each))) {
        const file = pathOf(moved(log, from, to));
        if (existsSync(file)) undo(join(logs, log), file);
      }
      // Undoing is recorded, too.
      for (const log of of(to)) rmSync(join(logs, log));
    },
    forget(folder) {
      for (const log of of(folder)) rmSync(join(logs, log));
    },
  };
}

/** `folder` takes the compiled preload and its logs. Throws without a C compiler. */
export function createPowerCut(folder: string): PowerCut {
  const logs = join(folder, "undo");
  const library = join(folder, "power-cut.so");
  mkdirSync(logs, { recursive: true });
  const built = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl", "-lpthread"]);
  if (built.status !== 0)
    throw new Error(
      `the power cut needs a C compiler (Debian: apt install gcc libc6-dev): ${built.stderr ?? built.error}`,
    );
  return {
    env: (data) => ({ LD_PRELOAD: library, POWER_WATCHED: data, POWER_UNDO: logs, UV_USE_IO_URING: "0" }),
    cut(data) {
      let undone = 0;
      for (const log of logsIn(logs)) {
        undone += undo(join(logs, log), pathOf(log));
        rmSync(join(logs, log));
      }
      rmSync(join(data, "gangway.db-shm"), { force: true });
      return undone;
    },
    answers() {
      const [all = 0, early = 0] = readFileSync(join(logs, "orders"), "utf8").trim().split(" ").map(Number);
      return { all, early };
    },
  };
}

/** Undoes the newest write first; returns the number of writes undone. */
function undo(log: string, file: string): number {
  const records = recordsOf(readFileSync(log));
  if (records.length === 0) return 0;
  const target = openSync(file, "r+");
  for (const { offset, sizeBefore, old } of records.reverse()) {
    if (old.length > 0) writeSync(target, old, 0, old.length, offset);
    ftruncateSync(target, sizeBefore);
  }
  closeSync(target);
  return records.length;
}

interface UndoRecord {
  offset: number;
  sizeBefore: number;
  old: Buffer;
}

function recordsOf(bytes: Buffer): UndoRecord[] {
  const records: UndoRecord[] = [];
  let at = 0;
  while (at + HEAD <= bytes.length) {
    const [offset, sizeBefore, , kept] = [0, 8, 16, 24].map((n) => Number(bytes.readBigUInt64LE(at + n)));
    const end = at + HEAD + (kept ?? 0);
    // A truncated record means the kill came before the write itself.
    if (end > bytes.length) break;
    records.push({ offset: offset ?? 0, sizeBefore: sizeBefore ?? 0, old: bytes.subarray(at + HEAD, end) });
    at = end;
  }
  return records;
}
