import type { Clock } from "../domain/time/clock.ts";
import type { Log } from "../log.ts";
import type { DatabaseDisk } from "../store/store.ts";
import { markAccepted } from "./accepted.ts";
import { watchDamage } from "./damage.ts";
import { watchDatabase } from "./database.ts";
import { watchDisk } from "./disk.ts";

/** Watches the disk of the database: its space, its files, damage in them, and what must be in them. */
export interface StorageWatch {
  /** Resolves after the first look at its space. */
  start(): Promise<void>;
  /** Looks for damage: once the server is ready. */
  findDamage(): void;
  stop(): Promise<void>;
}

interface Parts {
  clock: Clock;
  log: Log;
  /** Damage is looked for in a thread. */
  threads: boolean;
  lost(why: string): void;
}

export function watchStorage(disk: DatabaseDisk | undefined, { clock, log, threads, lost }: Parts): StorageWatch {
  if (!disk) return { start: async () => {}, findDamage() {}, stop: async () => {} };
  const space = watchDisk({ disk, clock, log });
  const files = watchDatabase(disk, { clock, log, lost });
  const damage = watchDamage(disk, log);
  const marks = markAccepted(disk, { clock, log });
  return {
    async start() {
      await space.start();
      files.start();
      await marks.start();
    },
    findDamage() {
      if (threads) damage.start();
    },
    async stop() {
      space.stop();
      files.stop();
      await marks.stop();
      await damage.stop();
    },
  };
}
