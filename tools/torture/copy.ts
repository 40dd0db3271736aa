import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isNoScratch, ROOT } from "../root.ts";

/** A change to a copy of the built server: adds a crash point or removes a protection. */
export interface Patch {
  /** Path within the compiled modules, for example `store/sqlite/database/db.js`, or of a package's: `messengers/telegram/dist/src/api.js`. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
}

/** Copies the built server, patches the copy's modules and bundles them; returns its entry file. Throws PatchMisfit. */
export function patchedServer(folder: string, patches: Patch[]): string {
  for (const part of ["dist", "packages", "messengers", "migrations", "package.json"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: isNoScratch });
  linkPackages(folder);
  for (const patch of patches) applyPatch(folder, "dist/modules", patch);
  if (patches.length > 0)
    execFileSync(process.execPath, [join(ROOT, "tools", "bundle.mjs"), folder], { stdio: "inherit" });
  return join(folder, "dist", "main.js");
}

/** Gives a copy the packages that the checkout has installed; those that are its own folders are the copy's. */
export function linkPackages(folder: string): void {
  const [installed, links] = [ROOT, folder].map((root) => join(root, "node_modules")) as [string, string];
  mkdirSync(links);
  for (const entry of readdirSync(installed, { withFileTypes: true })) {
    const own = entry.isSymbolicLink() ? readlinkSync(join(installed, entry.name)) : undefined;
    const isCopied = own !== undefined && existsSync(join(links, own));
    symlinkSync(isCopied ? own : join(installed, entry.name), join(links, entry.name));
  }
}

/** The text to patch is missing or ambiguous: the code has changed, so the patch must follow. */
export class PatchMisfit extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatchMisfit";
  }
}

/** What the paths of patches start from; those of packages start from the copy itself. */
export type Patched = "dist/modules" | "src";
export const patchedPath = (folder: string, where: Patched, { file }: Pick<Patch, "file">): string =>
  join(folder, /^(packages|messengers)\//.test(file) ? "" : where, file);

export function applyPatch(folder: string, where: Patched, patch: Patch): void {
  const path = patchedPath(folder, where, patch);
  writeFileSync(path, patched(readFileSync(path, "utf8"), patch));
}

/** Returns the patched text. Throws PatchMisfit. */
export function patched(text: string, { file, find, replace }: Patch): string {
  const times = text.split(find).length - 1;
  if (times !== 1)
    throw new PatchMisfit(`${file} contains ${JSON.stringify(find)} ${times} times, expected once: update the patch`);
  return text.replace(find, () => replace);
}
