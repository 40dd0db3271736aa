import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isNoScratch, ROOT } from "../root.ts";

/** A change to a copy of the built server: adds a crash point or removes a protection. */
export interface Patch {
  /** Path within the compiled modules, for example `store/sqlite/database/db.js`. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
}

/** Copies the built server, patches the copy's modules and bundles them; returns its entry file. Throws PatchMisfit. */
export function patchedServer(folder: string, patches: Patch[]): string {
  const build = join(folder, "dist");
  for (const part of ["dist", "migrations", "package.json"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: isNoScratch });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const patch of patches) applyPatch(join(build, "modules"), patch);
  if (patches.length > 0)
    execFileSync(process.execPath, [join(ROOT, "tools", "bundle.mjs"), folder], { stdio: "inherit" });
  return join(build, "main.js");
}

/** The text to patch is missing or ambiguous: the code has changed, so the patch must follow. */
export class PatchMisfit extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatchMisfit";
  }
}

export function applyPatch(modules: string, patch: Patch): void {
  const path = join(modules, patch.file);
  writeFileSync(path, patched(readFileSync(path, "utf8"), patch));
}

/** Returns the patched text. Throws PatchMisfit. */
export function patched(text: string, { file, find, replace }: Patch): string {
  const times = text.split(find).length - 1;
  if (times !== 1)
    throw new PatchMisfit(`${file} contains ${JSON.stringify(find)} ${times} times, expected once: update the patch`);
  return text.replace(find, () => replace);
}
