import type { Hono } from "hono";
import type { Clock } from "../clock.ts";

/** An emulated network, served under `/<kind>` of the sandbox; its page for people is at `/<kind>/phone`. */
export interface Emulator {
  site: Hono;
  /** A channel that a demo adds: its name, and the fields of the module's form. */
  channel(): { name: string; settings: Record<string, string> };
  /** The accounts at the messenger, as its own site shows them to whoever connects one. Absent: nothing is copied from there. */
  logins?(): EmulatedLogin[];
  /** Server settings of a module that should reach this network instead of the real one. */
  env?(): Record<string, string>;
  /**
   * Enters the app's addresses, below `<server>/apps/`, as an operator does in the messenger's console. Rejects with
   * the network's error text.
   */
  register?(server: string): Promise<void>;
  /** Writers for the time while the server is being killed (`gangway-sandbox torture`). */
  customer?: EmulatedCustomer;
  /** What a planned fault can hit, by its name in this network; planned as `<kind>:<name>`. */
  faults?: EmulatorFaults;
  stop(): void;
}
export interface EmulatedLogin {
  name: string;
  /** A value to copy into the module's form, by the messenger's name for it. */
  values: Record<string, string>;
}
/** A customer of the demo's channel. */
export interface EmulatedCustomer {
  /** Resolves when the module has answered the webhook, or not; the network repeats it by itself. */
  says(text: string): Promise<unknown>;
  /** Texts of the shop in the customer's chat, oldest first; without those that were deleted. */
  sees(): string[] | Promise<string[]>;
}
export interface EmulatorFaults {
  targets: readonly string[];
  /** Throws an Error that names each bad field. */
  plan(fault: { operation: string }): void;
  list(): { operation: string }[];
  clear(): void;
}
export interface EmulatorOptions {
  /** The sandbox's settings for behaviour that no documentation states. */
  unknowns?(): { webhookSignature: "raw" | "escaped" };
  /** Its own base address; known once the sandbox listens. */
  origin(): string;
  clock: Pick<Clock, "now" | "after">;
  /** Sends a webhook to the module: `fetch`, or a test's own. */
  deliver(request: Request): Promise<Response>;
  /** Source of randomness; default: Math.random. */
  random?(): number;
}
export type CreateEmulator = (options: EmulatorOptions) => Emulator;
