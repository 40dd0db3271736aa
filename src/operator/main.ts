import type { Interface } from "node:readline/promises";
import { runCommand } from "./run.ts";

let terminal: Interface | undefined;
/** Ctrl-D ends the answers. */
let ended: Promise<undefined> = Promise.resolve(undefined);
async function ask(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  if (!terminal) {
    terminal = createInterface({ input: process.stdin, output: process.stdout });
    // The terminal is gone: whoever asks gets no answer.
    process.stdin.on("error", () => terminal?.close());
    // It takes Ctrl-C away from the process.
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    ended = new Promise((resolve) => terminal?.once("close", () => resolve(undefined)));
  }
  return Promise.race([terminal.question(question, { signal }), ended]);
}

const stop = new AbortController();
function interrupted(): AbortSignal {
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  // A closed terminal sends it more than once.
  process.on("SIGHUP", () => stop.abort());
  return stop.signal;
}

// `gangway dead list | head` closes the pipe early. A command that was interrupted ends its work all the same.
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
// A messenger's package may have timers, which would keep the process. What was written goes out first.
process.stdout.write("", () => process.exit());
