import type { Interface } from "node:readline/promises";
import { runCommand } from "./run.ts";

let terminal: Interface | undefined;
async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  terminal ??= createInterface({ input: process.stdin, output: process.stdout });
  return terminal.question(question);
}

// `gangway dead list | head` closes the pipe early.
process.stdout.on("error", () => process.exit());
// systemClock's timers are unreferenced: keep the process alive while a command pauses between batches.
const keepAlive = setInterval(() => {}, 60_000);
process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  write: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  ...(process.stdin.isTTY && process.stdout.isTTY && { ask }),
});
clearInterval(keepAlive);
terminal?.close();
// A messenger's package may have timers, which would keep the process. What was written goes out first.
process.stdout.write("", () => process.exit());
