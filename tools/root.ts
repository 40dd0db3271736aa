import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The checkout, both from the sources and from the build: the nearest folder with a package.json. */
export const ROOT = nearest(import.meta.dirname);

function nearest(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : nearest(dirname(folder));
}
