import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CreateEmulator, EmulatedCustomer } from "gangway-messenger/kit/emulator";
import { seeded } from "gangway-messenger/kit/emulator/random";
import { command, TEXT, UsageError, untilStopped } from "../command-line.ts";
import { SANDBOX_KEY } from "../crm/rights.ts";
import { freePort } from "../ports.ts";
import { type RunningSandbox, serveSandbox } from "../serve.ts";
import { type Agent, agentAt, type InboxMessage } from "./agent.ts";
import { type Package, packageIn } from "./package.ts";
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
/** How long a copy may be under way then, ms. */
const COPIES_MS = 5_000;
/** How the server tells an agent that nobody knows. */
const UNKNOWN = "not known whether";

export const torture = command(HELP, OPTIONS, async ({ messenger, seconds = "45", seed: given, log }) => {
  if (messenger === undefined) throw new UsageError("--messenger <folder> is required");
  if (!(Number(seconds) > 0)) throw new UsageError(`--seconds ${seconds} is no number of seconds`);
  const seed = Number(given ?? Date.now() % 1_000_000);
  if (!Number.isInteger(seed)) throw new UsageError(`--seed ${given} is no whole number`);
  print(`seed ${seed}`);
  const stopped = untilStopped().then(() => 1);
  const own = await packageIn(messenger);
  const scene = await begin(own, seeded(seed), log);
  try {
    return await Promise.race([stopped, play(scene, own.sendIdempotency, Number(seconds) * 1_000)]);
  } finally {
    await scene.end();
  }
});

async function play(scene: Scene, sendIdempotency: string, ms: number): Promise<number> {
  await talk(scene, ms);
  const faults = await judge(scene, sendIdempotency);
  for (const fault of faults) print(`FAULT  ${fault}`);
  print(faults.length === 0 ? "Everything arrived." : `${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}

interface Scene {
  server: Server;
  sandbox: RunningSandbox;
  weather: Weather;
  customer: EmulatedCustomer;
  agent: Agent;
  chat: number;
  random(): number;
  kills: number;
  /** Nobody writes or kills any more. */
  isOver: boolean;
  /** What the customer wrote, oldest first. */
  said: string[];
  /** What the agent wrote, oldest first. */
  answered: string[];
  end(): Promise<void>;
}

/** Server and sandbox, with one channel, in which the customer has written. */
async function begin(own: Package, random: () => number, log: string | undefined): Promise<Scene> {
  const weather: Weather = { isBad: false, random, disturbed: 0 };
  const emulators: Record<string, CreateEmulator> = { [own.kind]: inWeather(own.createEmulator, weather) };
  const sandbox = await serveSandbox({ port: 0, emulators });
  const folder = mkdtempSync(join(tmpdir(), "gangway-torture-"));
  let server: Server | undefined;
  let scene: Scene | undefined;
  const end = async () => {
    if (scene) scene.isOver = true;
    await server?.kill("SIGKILL");
    if (log && server) writeFileSync(log, `${server.lines.join("\n")}\n`);
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
    server = await startServer({ port: await freePort(0), dataFolder: folder, env, main: own.main });
    const visit = await connectThroughForm(server.origin, sandbox.origin, SANDBOX_KEY);
    await emulator.register?.(server.origin);
    const { name, settings } = emulator.channel();
    await visit.add(own.kind, name, settings, "resend");
    const agent = agentAt(sandbox.origin);
    await customer.says("c0");
    await until("the customer's first message in the CRM", async () => (await agent.chats()).length > 0);
    const [chat] = await agent.chats();
    const talk = { chat: chat?.id ?? 0, kills: 0, isOver: false, said: ["c0"], answered: [] };
    scene = { server, sandbox, weather, customer, agent, random, ...talk, end };
    return scene;
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
  const goesOn = () => Date.now() < ends && !scene.isOver;
  const writing = async (wait: number, write: () => Promise<void>) => {
    while (goesOn()) {
      await write();
      await pause(wait * (0.5 + random()));
    }
  };
  const killing = async () => {
    while (goesOn()) {
      await pause(2_000 + 4_000 * random());
      await server.kill("SIGKILL");
      scene.kills += 1;
      if (!scene.isOver) await server.start();
    }
  };
  await Promise.all([
    writing(400, async () => {
      const text = `c${scene.said.length}`;
      scene.said.push(text);
      // The network repeats a webhook that was not taken.
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
    const { inCrm, byAgent, onPhone } = await seen();
    const ended = (text: string) => onPhone.includes(text) || stateOf(byAgent, text).startsWith("failed");
    return scene.isOver || (said.every((text) => inCrm.includes(text)) && answered.every(ended));
  }, SETTLE_MS);
  // A copy may come after the last message.
  await pause(COPIES_MS);
  const { inCrm, byAgent, onPhone } = await seen();
  const lost = said.filter((text) => !inCrm.includes(text));
  // Without keys nobody can find out whether a message arrived: the agent is asked to look.
  const isReported = (text: string) => sendIdempotency === "none" && stateOf(byAgent, text).includes(UNKNOWN);
  const unseen = answered.filter((text) => !onPhone.includes(text) && !isReported(text));
  const twiceIn = said.filter((text) => countOf(inCrm, text) > 1);
  const twiceOut = answered.filter((text) => countOf(onPhone, text) > 1);
  const order = byAgent.map(({ text }) => text).filter((text) => onPhone.includes(text));
  const firsts = [...new Set(onPhone.filter((text) => answered.includes(text)))];
  const strays = firsts.filter((text, n) => text !== order[n]);
  const disturbed = `${kills} kills, ${weather.disturbed} calls and webhooks disturbed`;
  print(`${said.length} messages of the customer, ${answered.length} of the agent; ${disturbed}`);
  print(`${twiceOut.length} of the agent's came twice; the messenger recognises a repeat: ${sendIdempotency}`);
  return [
    ...lost.map((text) => `the customer's ${text} is not in the CRM`),
    ...twiceIn.map((text) => `the customer's ${text} is in the CRM more than once`),
    ...unseen.map((text) => `the agent's ${text} has not reached the customer: ${stateOf(byAgent, text)}`),
    ...copiesOf(twiceOut, (text) => countOf(onPhone, text), sendIdempotency === "none" ? kills + weather.disturbed : 0),
    ...(strays.length > 0 ? [`the customer saw the agent's messages out of order, from ${strays[0]} on`] : []),
  ];
}

/** A messenger without keys shows one copy of a message whose call was cut short, and no more. */
function copiesOf(texts: string[], count: (text: string) => number, allowed: number): string[] {
  if (texts.length <= allowed && texts.every((text) => count(text) === 2)) return [];
  return texts.map((text) => `the agent's ${text} reached the customer ${count(text)} times`);
}

/** What the agent sees of it. */
function stateOf(byAgent: InboxMessage[], text: string): string {
  const { status = "not at the gateway", error } = byAgent.findLast((each) => each.text === text) ?? {};
  return error ? `${status} (${error.message ?? error.code})` : status;
}
