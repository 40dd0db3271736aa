import fs from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import Sqlite from "better-sqlite3";
import type { Unsynced } from "../torture/power-cut.ts";

/** A machine's disk: a folder on the real one. */
export interface Disk {
  folder: string;
  modules: Record<string, object>;
  /**
   * Copies the data folder as a dead process left it, then closes what the process had open: closing would change the files.
   * `isCut`: the power went, and what was not synced is lost.
   */
  leave(to: string, isCut: boolean): void;
}

interface DiskOptions {
  folder: string;
  /** Records this process's writes, if enabled. */
  unsynced?: Unsynced;
  /** Called before each operation; throws once the machine is gone. */
  operation(what: string): void;
  /** Ends the wait for an operation that is not synchronous. */
  later(run: () => void): void;
  /** Whether there is no space left now. */
  isFull(): boolean;
  /** Whether another connection holds the database now. */
  isBusy(): boolean;
  /**
   * Whether a connection to a database now belongs to an operator's command: it records nothing of the server's work.
   */
  isCommands(): boolean;
}

/** Operations that need space. */
const WRITES = /^(write|append|copyFile)/;
/** The flags of what is opened to be written. */
const WRITABLE = /[wa+]/;
/** What SQLite is told to begin or to end. */
const BEGIN = /^\s*BEGIN/i;
const COMMIT = /^\s*(COMMIT|END)/i;
/** A disk of 100 GiB, of which 90 are free. */
const BLOCK = 4_096;
const [ALL, FREE] = [100 * 2 ** 18, 90 * 2 ** 18];
const EXT4 = 0xef53;
/** What another connection may hold: the lock is another file. */
const DATABASE = "gangway.db";
/** Not copied: SQLite makes the index of its log anew. */
const INDEX = /-shm$/;

export function createDisk(options: DiskOptions): Disk {
  const handles = new Set<Sqlite.Database>();
  const descriptors = new Set<number>();
  const { folder, unsynced } = options;
  return {
    folder,
    modules: {
      fs: syncFiles(options, descriptors),
      "fs/promises": promisedFiles(options, descriptors),
      "better-sqlite3": connections(options, handles),
    },
    leave(to, isCut) {
      for (const path of fs.readdirSync(folder, { recursive: true }) as string[]) {
        const stat = fs.statSync(join(folder, path), { throwIfNoEntry: false });
        if (stat?.isDirectory()) fs.mkdirSync(join(to, path), { recursive: true });
        else if (stat && !INDEX.test(path)) {
          fs.mkdirSync(join(to, path, ".."), { recursive: true });
          fs.copyFileSync(join(folder, path), join(to, path));
        }
      }
      if (isCut) unsynced?.lose(folder, to);
      else unsynced?.carry(folder, to);
      for (const handle of handles) close(handle);
      for (const descriptor of descriptors) fs.closeSync(descriptor);
      unsynced?.forget(folder);
      fs.rmSync(folder, { recursive: true });
    },
  };
}

/** A statement that is being iterated keeps it open; it then ends with this process. */
function close(handle: Sqlite.Database): void {
  try {
    handle.close();
  } catch {}
}

function noSpace(what: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${what}`), { code: "ENOSPC" });
}

function checked({ operation, isFull }: DiskOptions) {
  return (name: string, flags: unknown = "r") => {
    operation(`file ${name}`);
    const writes = WRITES.test(name) || (name.startsWith("open") && WRITABLE.test(String(flags)));
    if (writes && isFull()) throw noSpace(name);
  };
}

const space = (isFull: boolean) => ({
  ...{ type: EXT4, bsize: BLOCK, blocks: ALL, files: ALL, ffree: FREE },
  ...(isFull ? { bfree: 0, bavail: 0 } : { bfree: FREE, bavail: FREE }),
});

function syncFiles(options: DiskOptions, descriptors: Set<number>) {
  const check = checked(options);
  const functions = Object.entries(fs).map(([name, value]) => {
    if (typeof value !== "function" || !name.endsWith("Sync")) return [name, value];
    return [
      name,
      (...given: unknown[]) => {
        check(name, given[1]);
        return (value as (...given: unknown[]) => unknown)(...given);
      },
    ];
  });
  const own = Object.fromEntries(functions) as typeof fs;
  const openSync = (...given: Parameters<typeof fs.openSync>) => {
    const descriptor = own.openSync(...given);
    descriptors.add(descriptor);
    return descriptor;
  };
  const closeSync = (descriptor: number) => {
    own.closeSync(descriptor);
    descriptors.delete(descriptor);
  };
  const statfsSync = () => {
    check("statfs");
    return space(options.isFull());
  };
  const createReadStream = (path: string) => {
    check("read");
    return Readable.from([fs.readFileSync(path)]);
  };
  const all = { ...own, openSync, closeSync, statfsSync, createReadStream };
  return { ...all, default: all };
}

/** Each takes as long as the virtual disk decides; the work itself is synchronous. */
function promisedFiles(options: DiskOptions, descriptors: Set<number>) {
  const check = checked(options);
  const promised =
    <Given extends unknown[], T>(name: string, act: (...given: Given) => T) =>
    async (...given: Given): Promise<T> => {
      check(name, given[1]);
      await new Promise<void>(options.later);
      options.operation(`file ${name}`);
      return act(...given);
    };
  const open = promised("open", (path: string, flags?: string, mode?: number) => {
    const descriptor = fs.openSync(path, flags ?? "r", mode);
    descriptors.add(descriptor);
    return {
      fd: descriptor,
      write: promised("write", (bytes: Uint8Array) => ({ bytesWritten: fs.writeSync(descriptor, bytes) })),
      writeFile: promised("write", (bytes: Uint8Array) => void fs.writeSync(descriptor, bytes)),
      read: promised("read", (into: Uint8Array, offset?: number, length?: number, at?: number) => ({
        bytesRead: fs.readSync(descriptor, into, offset ?? 0, length ?? into.length, at ?? null),
        buffer: into,
      })),
      stat: promised("stat", () => fs.fstatSync(descriptor)),
      truncate: promised("truncate", (size?: number) => fs.ftruncateSync(descriptor, size)),
      sync: promised("sync", () => fs.fsyncSync(descriptor)),
      close: promised("close", () => {
        fs.closeSync(descriptor);
        descriptors.delete(descriptor);
      }),
    };
  });
  const plain = ["mkdir", "rename", "stat", "rm", "readdir", "chmod", "copyFile", "writeFile", "readFile"];
  const functions = plain.map((name) => [name, promised(name, fs[`${name}Sync` as "rmSync"] as () => unknown)]);
  const statfs = promised("statfs", () => space(options.isFull()));
  const own = { ...Object.fromEntries(functions), open, statfs };
  return { ...own, default: own };
}

/** better-sqlite3 with its real files. */
function connections({ operation, isFull, isBusy, isCommands }: DiskOptions, handles: Set<Sqlite.Database>) {
  const refuse = (what: string, code: string) => {
    throw new Sqlite.SqliteError(what, code);
  };
  const begin = (file: string) => {
    operation("begin");
    if (isBusy() && file.endsWith(DATABASE)) refuse("database is locked", "SQLITE_BUSY");
  };
  const commit = () => {
    operation("commit");
    if (isFull()) refuse("database or disk is full", "SQLITE_FULL");
  };
  const around = ({ name, isCommands }: { name: string; isCommands: boolean }, sql: string, run: () => unknown) => {
    if (BEGIN.test(sql)) begin(name);
    if (!COMMIT.test(sql)) return run();
    commit();
    const done = run();
    operation(isCommands ? "command committed" : "committed");
    return done;
  };
  class Connection extends Sqlite {
    readonly isCommands = isCommands();
    constructor(...given: ConstructorParameters<typeof Sqlite>) {
      operation("connect");
      super(...given);
      handles.add(this);
    }
    override prepare(sql: string) {
      const statement = super.prepare(sql);
      if (!BEGIN.test(sql) && !COMMIT.test(sql)) return statement as never;
      const run = statement.run.bind(statement);
      statement.run = () => around(this, sql, run) as Sqlite.RunResult;
      return statement as never;
    }
    override exec(sql: string) {
      return around(this, sql, () => super.exec(sql)) as this;
    }
    /** In one go: SQLite's own implementation alternates with the real disk. */
    override async backup(file: string) {
      operation("backup");
      fs.writeFileSync(file, this.serialize());
      return { totalPages: 1, remainingPages: 0 };
    }
    override close() {
      handles.delete(this);
      return super.close();
    }
  }
  return Object.assign(Connection, { default: Connection });
}
