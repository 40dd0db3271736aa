import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CreateEmulator, EmulatedCustomer } from "gangway-messenger/kit/emulator";
import { seeded } from "gangway-messenger/kit/emulator/random";
import { command, TEXT, UsageError } from "../command-line.ts";
import { SANDBOX_KEY } from "../crm/rights.ts";
import { freePort } from "../ports.ts";
import { type RunningSandbox, serveSandbox } from "../serve.ts";
import { type Agent, agentAt, type InboxMessage } from "./agent.ts";
import { packageIn } from "./package.ts";
import { type Server, startServer } from "./server.ts";
import { connectThroughForm } from "./set-up.ts";
import { becomes, pause, until } from "./waiting.ts";
import { inWeather, type Weather } from "./weather.ts";

const HELP = `gangway-sandbox torture --messenger <folder> [options]
                        a messenger's built package beside the server: its emulated customer and an agent write while calls
                        and webhooks fail and the server is killed; then every message must have arrived
  --seconds <number>    how long they write (default 45)
  --seed <number>       seed of the random moments
  --log <file>          write the server's log
`;

const OPTIONS = { messenger: TEXT, seconds: TEXT, seed: TEXT, log: TEXT } as const;
const print = (line: string) => process.stdout.write(`${line}\n`);

/** How long everything may take to arrive once nothing fails any more, ms. */
const SETTLE_MS = 600_000;

export const torture = command(HELP, OPTIONS, async ({ messenger, seconds = "45", seed: given, log }) => {
  if (messenger === undefined) throw new UsageError("--messenger <folder> says whose messenger");
  if (!(Number(seconds) > 0)) throw new UsageError(`--seconds ${seconds} is no number of seconds`);
  const seed = Number(given ?? Date.now() % 1_000_000);
  print(`seed ${seed}`);
  const own = await packageIn(messenger);
  const scene = await begin(own, seeded(seed));
  try {
    await talk(scene, Number(seconds) * 1_000);
    const faults = await judge(scene, own.sendIdempotency);
    for (const fault of faults) print(`FAULT  ${fault}`);
    print(faults.length === 0 ? "Everything arrived." : `${faults.length} faults`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await scene.end();
    if (log) writeFileSync(log, `${scene.server.lines.join("\n")}\n`);
  }
});

interface Scene {
  server: Server;
  sandbox: RunningSandbox;
  weather: Weather;
  customer: EmulatedCustomer;
  agent: Agent;
  chat: number;
  random(): number;
  kills: number;
  /** What the customer wrote, oldest first. */
  said: string[];
  /** What the agent wrote, oldest first. */
  answered: string[];
  end(): Promise<void>;
}

/** Server and sandbox, with one channel, in which the customer has written. */
async function begin(own: Awaited<ReturnType<typeof packageIn>>, random: () => number): Promise<Scene> {
  const weather: Weather = { isBad: false, random, faults: 0 };
  const emulators: Record<string, CreateEmulator> = { [own.kind]: inWeather(own.createEmulator, weather) };
  const sandbox = await serveSandbox({ port: 0, emulators });
  const folder = mkdtempSync(join(tmpdir(), "gangway-torture-"));
  let server: Server | undefined;
  const end = async () => {
    await server?.kill("SIGKILL");
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const emulator = sandbox.sandbox.emulators[own.kind];
    const { customer } = emulator ?? {};
    if (!emulator || !customer) throw new Error("the emulator has no customer, so nobody can write");
    const env = {
      ...(process.env as Record<string, string>),
      ...sandbox.sandbox.env(),
      ...own.env,
      LOG_LEVEL: "info",
      OUTBOUND_PATIENCE_SECONDS: String(SETTLE_MS / 1_000),
    };
    server = await startServer({ port: await freePort(0), dataFolder: folder, env });
    const visit = await connectThroughForm(server.origin, sandbox.origin, SANDBOX_KEY);
    await emulator.register?.(server.origin);
    const { name, settings } = emulator.channel();
    await visit.add(own.kind, name, settings, "resend");
    const agent = agentAt(sandbox.origin);
    await customer.says("c0");
    await until("the customer's first message in the CRM", async () => (await agent.chats()).length > 0);
    const [chat] = await agent.chats();
    const talk = { chat: chat?.id ?? 0, kills: 0, said: ["c0"], answered: [] };
    return { server, sandbox, weather, customer, agent, random, ...talk, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Customer and agent write; calls fail, webhooks repeat, and the server dies. */
async function talk(scene: Scene, ms: number): Promise<void> {
  const { server, sandbox, weather, customer, agent, random } = scene;
  const ends = Date.now() + ms;
  const { faults } = sandbox.sandbox;
  for (const fault of [{ status: 503 }, { drop: "after" as const }])
    faults.plan({ operation: "*", probability: 0.04, ...fault });
  weather.isBad = true;
  const writing = async (wait: number, write: () => Promise<void>) => {
    while (Date.now() < ends) {
      await write();
      await pause(wait * (0.5 + random()));
    }
  };
  const killing = async () => {
    while (Date.now() < ends) {
      await pause(2_000 + 4_000 * random());
      await server.kill("SIGKILL");
      scene.kills += 1;
      await server.start();
    }
  };
  await Promise.all([
    writing(400, async () => {
      const text = `c${scene.said.length}`;
      scene.said.push(text);
      // It comes again, as the network repeats it.
      void customer.says(text).catch(() => {});
    }),
    writing(500, async () => {
      const text = `a${scene.answered.length}`;
      scene.answered.push(text);
      await agent.say(scene.chat, { text });
    }),
    killing(),
  ]);
  weather.isBad = false;
  faults.clear();
}

/** Waits until all has arrived; gives what is wrong, in words. */
async function judge(scene: Scene, sendIdempotency: string): Promise<string[]> {
  const { agent, chat, customer, said, answered, kills, weather } = scene;
  const countOf = (texts: string[], text: string) => texts.filter((each) => each === text).length;
  const seen = async () => {
    const messages = await agent.messages(chat);
    const inCrm = messages.filter(({ from }) => from === "customer").map(({ text }) => text);
    const byAgent = messages.filter(({ from }) => from === "user");
    return { inCrm, byAgent, onPhone: await customer.sees() };
  };
  await becomes(async () => {
    const { inCrm, onPhone } = await seen();
    return said.every((text) => inCrm.includes(text)) && answered.every((text) => onPhone.includes(text));
  }, SETTLE_MS);
  const { inCrm, byAgent, onPhone } = await seen();
  const lost = said.filter((text) => !inCrm.includes(text));
  const unseen = answered.filter((text) => !onPhone.includes(text));
  const twiceIn = said.filter((text) => countOf(inCrm, text) > 1);
  const twiceOut = answered.filter((text) => countOf(onPhone, text) > 1);
  const order = byAgent.map(({ text }) => text).filter((text) => onPhone.includes(text));
  const firsts = [...new Set(onPhone.filter((text) => answered.includes(text)))];
  const strays = firsts.filter((text, n) => text !== order[n]);
  print(
    `${said.length} messages of the customer, ${answered.length} of the agent; ${kills} kills, ${weather.faults} faults`,
  );
  print(`${twiceOut.length} of the agent's came twice; the messenger recognises a repeat: ${sendIdempotency}`);
  return [
    ...lost.map((text) => `the customer's ${text} is not in the CRM`),
    ...twiceIn.map((text) => `the customer's ${text} is in the CRM more than once`),
    ...unseen.map((text) => `the agent's ${text} has not reached the customer: ${stateOf(byAgent, text)}`),
    ...(sendIdempotency === "none" ? [] : twiceOut.map((text) => `the agent's ${text} reached the customer twice`)),
    ...(strays.length > 0 ? [`the customer saw the agent's messages out of order, from ${strays[0]} on`] : []),
  ];
}

/** What the agent sees of it. */
function stateOf(byAgent: InboxMessage[], text: string): string {
  const { status = "not at the gateway", error } = byAgent.findLast((each) => each.text === text) ?? {};
  return error ? `${status} (${error.message ?? error.code})` : status;
}
