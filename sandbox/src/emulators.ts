import { existsSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Hono } from "hono";
import type { Clock } from "./clock.ts";

/** The emulated network of one more messenger, served under `/<kind>`; its page for people is at `/<kind>/phone`. */
export interface Emulator {
  site: Hono;
  /** A channel that a demo adds: its name, and the fields of the module's form. */
  channel(): { name: string; settings: Record<string, string> };
  stop(): void;
}
export interface EmulatorOptions {
  /** Its own base address; known once the sandbox listens. */
  origin(): string;
  clock: Pick<Clock, "now" | "after">;
  /** Sends a webhook to the module: `fetch`, or a test's own. */
  deliver(request: Request): Promise<Response>;
}
export type CreateEmulator = (options: EmulatorOptions) => Emulator;

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
