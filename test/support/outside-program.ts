import { spawn } from "node:child_process";
import { agentAt } from "gangway-sandbox/demo/agent";
import { expect, onTestFinished } from "vitest";
import { until } from "./until.ts";

/** Runs a program until the test ends; resolves with what it says, once that has `word`. */
export async function runningProgram(
  program: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
  word: string,
): Promise<string> {
  const child = spawn(program, args, options);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const ended = new Promise((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  await until(word, () => said.includes(word) || child.exitCode !== null);
  expect(said).toContain(word);
  return said;
}

/** Waits in the inbox at `origin` until a customer has written, and answers there. */
export async function agentAnswers(origin: string, written: string, answer: string): Promise<void> {
  const agent = agentAt(origin);
  const chat = await until("the customer's message", async () => {
    for (const { id } of await agent.chats())
      if ((await agent.messages(id)).some(({ text }) => text === written)) return id;
    return undefined;
  });
  await agent.say(chat, { text: answer });
}
