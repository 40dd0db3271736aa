import { existsSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CreateEmulator } from "gangway-messenger/kit/emulator";

/** From sources: the packages themselves. Built: what bundle.mjs made of them. */
const [FOLDER, FILE] =
  extname(import.meta.filename) === ".ts"
    ? [join(import.meta.dirname, "../../messengers"), "emulator/emulator.ts"]
    : [import.meta.dirname, "emulator.js"];

/** `createEmulator` of each messenger's package that has an `emulator/emulator.ts`, by the package's folder. */
export async function findEmulators(folder = FOLDER): Promise<Record<string, CreateEmulator>> {
  const kinds = readdirSync(folder).filter((kind) => existsSync(join(folder, kind, FILE)));
  const found = kinds.map(async (kind): Promise<[string, CreateEmulator]> => {
    const { createEmulator } = await import(pathToFileURL(join(folder, kind, FILE)).href);
    return [kind, createEmulator];
  });
  return Object.fromEntries(await Promise.all(found));
}
