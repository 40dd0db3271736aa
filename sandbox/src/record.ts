import { appendFileSync, writeFileSync } from "node:fs";
import { type Exchange, masked } from "./calls.ts";
import type { Side } from "./judge.ts";

/** One line of a trace, JSON. */
export interface TraceLine extends Omit<Exchange, "at" | "ms"> {
  /** Ms since the recording began. */
  after: number;
  /** Who called: the module or bot, or the sandbox. */
  from: "module" | "sandbox";
}
/** The first line of a trace. */
export interface TraceHead {
  trace: 1;
  began: string;
  settings: unknown;
}

const FROM_SANDBOX: readonly Side[] = ["webhook", "callback", "socket"];

/** Writes every exchange to a file as it happens, one a line, with the secrets masked. */
export function recordTo(file: string, settings: unknown, now: number): (exchange: Exchange) => void {
  const head: TraceHead = { trace: 1, began: new Date(now).toISOString(), settings };
  writeFileSync(file, `${JSON.stringify(head)}\n`);
  return ({ at, ms: _, side, path, ...rest }) => {
    const from = FROM_SANDBOX.includes(side) ? "sandbox" : "module";
    // Our own webhook door has its secret in the path.
    const place = side === "webhook" ? "(the module's webhookUrl)" : path;
    const line: TraceLine = { after: at - now, from, side, ...rest, path: place };
    try {
      appendFileSync(file, `${JSON.stringify(line, written)}\n`);
    } catch {
      // A full disk ends the recording, not the sandbox.
    }
  };
}

const written = (key: string, value: unknown): unknown => (value === undefined ? null : masked(key, value));
