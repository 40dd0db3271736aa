import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The checkout, from the tools' sources and from their build alike: the folder with the nearest package.json. */
export const ROOT = nearest(import.meta.dirname);

function nearest(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : nearest(dirname(folder));
}
