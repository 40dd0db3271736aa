import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The checkout, both from the sources and from the build: the nearest folder with a package.json. */
export const ROOT = nearest(import.meta.dirname);
/** Names of checkouts that tests make in `dist` begin so. They come and go while others copy it. */
export const SCRATCH = "scratch-";
/** A filter of copies. */
export const isNoScratch = (path: string): boolean => !basename(path).startsWith(SCRATCH);

function nearest(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : nearest(dirname(folder));
}
