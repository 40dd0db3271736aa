import { existsSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CreateEmulator } from "gangway-messenger/kit/emulator";

/** `createEmulator` of each folder with an `emulator.ts`, by the folder's name. */
export async function findEmulators(folder = import.meta.dirname): Promise<Record<string, CreateEmulator>> {
  const file = `emulator${extname(import.meta.filename)}`;
  const kinds = readdirSync(folder).filter((kind) => existsSync(join(folder, kind, file)));
  const found = kinds.map(async (kind): Promise<[string, CreateEmulator]> => {
    const { createEmulator } = await import(pathToFileURL(join(folder, kind, file)).href);
    return [kind, createEmulator];
  });
  return Object.fromEntries(await Promise.all(found));
}
