import { existsSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Hono } from "hono";
import type { Clock } from "./clock.ts";
import type { Unknowns } from "./unknowns.ts";

/** The emulated network of one more messenger, served under `/<kind>`; its page for people is at `/<kind>/phone`. */
export interface Emulator {
  site: Hono;
  /** A channel that a demo adds: its name, and the fields of the module's form. */
  channel(): { name: string; settings: Record<string, string> };
  /** Server settings of a module that should reach this network instead of the real one. */
  env?(): Record<string, string>;
  /**
   * What a server's operator types in the messenger's console: the app's addresses there, below `<server>/apps/`.
   * Rejects with the network's words.
   */
  register?(server: string): Promise<void>;
  /** What a planned fault can hit, by its name in this network; planned as `<kind>:<name>`. */
  faults?: EmulatorFaults;
  stop(): void;
}
export interface EmulatorFaults {
  targets: readonly string[];
  /** Throws an Error that names each bad field. */
  plan(fault: { operation: string }): void;
  list(): { operation: string }[];
  clear(): void;
}
export interface EmulatorOptions {
  /** The sandbox's settings for what is not published. */
  unknowns?(): Pick<Unknowns, "webhookSignature">;
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
