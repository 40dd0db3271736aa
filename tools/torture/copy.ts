import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";

/** A change of the built server, for a copy of it: a place to crash at, or a protection taken away. */
export interface Patch {
  /** Below the build, for example `store/sqlite/database/db.js`. */
  file: string;
  /** Stands there exactly once. */
  find: string;
  replace: string;
}

/** Copies the built server and changes it; gives the program. Throws PatchMisfit. */
export function patchedServer(folder: string, patches: Patch[]): string {
  const build = join(folder, "dist");
  for (const part of ["dist", "migrations", "package.json"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const patch of patches) applyPatch(build, patch);
  return join(build, "main.js");
}

/** A patch fits nowhere any more, or in several places: whoever changed the code has to change the patch. */
export class PatchMisfit extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatchMisfit";
  }
}

/** Changes a file below `build`. Throws PatchMisfit. */
export function applyPatch(build: string, patch: Patch): void {
  const path = join(build, patch.file);
  writeFileSync(path, patched(readFileSync(path, "utf8"), patch));
}

/** The text of the patch's file, changed. Throws PatchMisfit. */
export function patched(text: string, { file, find, replace }: Patch): string {
  const times = text.split(find).length - 1;
  if (times !== 1)
    throw new PatchMisfit(`${file} has ${JSON.stringify(find)} ${times} times: the patch does not fit any more`);
  return text.replace(find, () => replace);
}
