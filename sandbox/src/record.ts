import { appendFileSync, writeFileSync } from "node:fs";
import { type Exchange, masked } from "./calls.ts";
import type { Side } from "./documents.ts";

/** A trace's entry, one JSON line. */
export interface TraceLine extends Omit<Exchange, "at" | "ms"> {
  /** Ms since the recording began. */
  after: number;
  /** The caller: module or bot, or the sandbox. */
  from: "module" | "sandbox";
}
/** A trace's first line. */
export interface TraceHead {
  trace: 1;
  began: string;
  settings: unknown;
}

const FROM_SANDBOX: readonly Side[] = ["webhook", "callback", "socket"];

/** Appends every exchange to the file as a JSON line, secrets masked. */
export function recordTo(file: string, settings: unknown, now: number): (exchange: Exchange) => void {
  const head: TraceHead = { trace: 1, began: new Date(now).toISOString(), settings };
  writeFileSync(file, `${JSON.stringify(head)}\n`);
  return ({ at, ms: _, side, path, ...rest }) => {
    const from = FROM_SANDBOX.includes(side) ? "sandbox" : "module";
    // The webhook's path holds a secret.
    const shownPath = side === "webhook" ? "(the module's webhookUrl)" : path;
    const line: TraceLine = { after: at - now, from, side, ...rest, path: shownPath };
    try {
      appendFileSync(file, `${JSON.stringify(line, masking)}\n`);
    } catch {
      // A full disk ends the recording, not the sandbox.
    }
  };
}

const masking = (key: string, value: unknown): unknown => (value === undefined ? null : masked(key, value));
