import type { Interface } from "node:readline/promises";
import { runCommand } from "./run.ts";

let terminal: Interface | undefined;
/** Resolves at end of input (Ctrl-D). */
let ended: Promise<undefined> = Promise.resolve(undefined);
async function ask(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  if (!terminal) {
    terminal = createInterface({ input: process.stdin, output: process.stdout });
    // If the terminal is gone, pending questions resolve without an answer.
    process.stdin.on("error", () => terminal?.close());
    // readline intercepts Ctrl-C: pass it on to the process.
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    ended = new Promise((resolve) => terminal?.once("close", () => resolve(undefined)));
  }
  return Promise.race([terminal.question(question, { signal }), ended]);
}

const stop = new AbortController();
function interrupted(): AbortSignal {
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  // A closing terminal may send SIGHUP more than once.
  process.on("SIGHUP", () => stop.abort());
  return stop.signal;
}

// `gangway dead list | head` closes the pipe early. An interrupted command still completes its cleanup.
process.stdout.on("error", () => stop.signal.aborted || process.exit());
process.stderr.on("error", () => {});
// systemClock's timers are unreferenced: keep the process alive while a command pauses between batches.
const keepAlive = setInterval(() => {}, 60_000);
process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  write: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  interrupted,
  ...(process.stdin.isTTY && process.stdout.isTTY && { ask }),
});
clearInterval(keepAlive);
terminal?.close();
// Exit explicitly, once output is flushed: timers in a messenger's package would keep the process alive.
process.stdout.write("", () => process.exit());
