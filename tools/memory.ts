import { existsSync, statfsSync } from "node:fs";

const FOLDER = "/dev/shm";

/** A folder in memory, if it has so much room, bytes. */
export function memoryFolder(room: number): string | undefined {
  if (!existsSync(FOLDER)) return undefined;
  const { bavail, bsize } = statfsSync(FOLDER);
  return bavail * bsize > room ? FOLDER : undefined;
}
