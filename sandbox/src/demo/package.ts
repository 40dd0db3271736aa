import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { CreateEmulator } from "gangway-messenger/kit/emulator";
import { builtServer } from "./server.ts";

/** A messenger's package that is being written, as a server beside it finds it. */
export interface Package {
  kind: string;
  /** As its adapter says it. */
  sendIdempotency: string;
  createEmulator: CreateEmulator;
  /** Entry file of the server that it is tried with. */
  main: string;
  /** Settings of the server that loads it. */
  env: { MESSENGERS: string };
}

/** Where its build has the adapter and the emulator. */
const ADAPTER = "dist/src/index.js";
const EMULATOR = "dist/emulator/emulator.js";

/** Reads a built package. Throws an Error in words when it is none. */
export async function packageIn(given: string): Promise<Package> {
  const folder = resolve(given);
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) throw new Error(`${given} has no package.json`);
  const { name, gangway } = JSON.parse(readFileSync(manifest, "utf8"));
  if (typeof name !== "string" || gangway?.port === undefined)
    throw new Error(`${given}/package.json has no "gangway": {"port": …}, so it is no messenger`);
  for (const file of [ADAPTER, EMULATOR])
    if (!existsSync(join(folder, file))) throw new Error(`${given} has no ${file}: build it first (npm run build)`);
  const load = (file: string) => import(pathToFileURL(join(folder, file)).href);
  const { default: adapter } = await load(ADAPTER);
  const { createEmulator } = await load(EMULATOR);
  if (typeof adapter?.kind !== "string") throw new Error(`${ADAPTER} has no adapter as its default export`);
  if (typeof createEmulator !== "function") throw new Error(`${EMULATOR} exports no createEmulator`);
  const main = builtServer(folder);
  linkBeside(main, folder, name);
  const { kind, sendIdempotency } = adapter;
  return { kind, sendIdempotency, createEmulator, main, env: { MESSENGERS: name } };
}

/** The server looks for it there. In a checkout it may be a workspace, which is linked already. */
function linkBeside(main: string, folder: string, name: string): void {
  const link = join(dirname(main), "..", "node_modules", name);
  if (existsSync(link) && realpathSync(link) === realpathSync(folder)) return;
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(link);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(folder, link, "dir");
}
