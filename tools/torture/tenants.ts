import { freePort, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { agentAt } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { startServer } from "gangway-sandbox/demo/server";
import { addBot, connectThroughForm } from "gangway-sandbox/demo/set-up";
import { becomes } from "gangway-sandbox/demo/waiting";
import { atLeast, atMost, type Figure, none } from "./figure.ts";
import { createTcpProxy } from "./tcp-proxy.ts";
import type { Trial, TrialContext } from "./trial.ts";

interface Tenant {
  crm: Awaited<ReturnType<typeof serveSandbox>>;
  token: string;
  bot: number;
  people: number[];
}
interface Pair {
  loud: Tenant;
  quiet: Tenant;
  phones: ReturnType<typeof phonesAt>;
  /** Makes this bot's calls hang for ever. */
  silence(token: string): void;
  close(): Promise<void>;
}

const PEOPLE = 12;
/** The messenger accepts one message per chat and second. */
const PACE_MS = 1_200;
/** Far beyond the limit. */
const GIVE_UP_MS = 15_000;
const ROUND_MS = 40_000;
const UNDISTURBED_MS = 2_000;
/** A slow gateway has the flooding account's calls last so long that it would use every slot, were it not held to its share, ms. */
const SLOW_MS = 1_000;
/** As many concurrent calls as one account has chats, so that it could use them all. */
const CALLS = { CALLS: String(PEOPLE), CALLS_PER_ACCOUNT: String(PEOPLE / 2) };

async function openPair(context: TrialContext): Promise<Pair> {
  const sandboxes = await Promise.all([serveSandbox({ port: 0 }), serveSandbox({ port: 0 })]);
  const [first, second] = sandboxes as [Tenant["crm"], Tenant["crm"]];
  const proxy = await createTcpProxy();
  proxy.target(Number(new URL(first.origin).port));
  const phones = phonesAt(`${first.origin}/telegram`);
  const env = {
    ...context.env,
    TELEGRAM_API_URL: `${proxy.origin}/telegram`,
    OUTBOUND_PATIENCE_SECONDS: "600",
    ...CALLS,
  };
  const start = { port: await freePort(0), dataFolder: context.folder(), env, main: context.program() };
  const server = await startServer(start);
  const setUp = async (crm: Tenant["crm"], name: string): Promise<Tenant> => {
    const bot = await phones.newBot(`${name}_bot`, name);
    const visit = await connectThroughForm(server.origin, crm.origin, SANDBOX_KEY);
    await addBot(visit, { name: bot.username, token: bot.token, updates: "webhook" });
    const people = await Promise.all(
      Array.from({ length: PEOPLE }, (_, n) => phones.newPerson({ firstName: `${name} ${n}`, language: "en" })),
    );
    return { crm, token: bot.token, bot: bot.id, people: people.map(({ id }) => id) };
  };
  const close = async () => {
    await server.kill("SIGKILL");
    await Promise.all([first.close(), second.close(), proxy.close()]);
  };
  const silence = (token: string) => proxy.plan((head) => (head.includes(`${token}/sendMessage`) ? "hang" : undefined));
  try {
    const loud = await setUp(first, "loud");
    const quiet = await setUp(second, "quiet");
    return { loud, quiet, phones, silence, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const said = ({ crm }: Tenant, text: string) => crm.sandbox.world.messages.find((message) => message.text === text);
const chatsOf = ({ crm }: Tenant) => [...crm.sandbox.world.chats.values()];

/** One account has minutes of backlog; another's messages are not delayed. */
export const floodingTenant: Trial = {
  name: "a flooding tenant",
  async run(context): Promise<Figure[]> {
    const pair = await openPair(context);
    const { loud, quiet, phones } = pair;
    try {
      const flood = context.short ? 500 : 5_000;
      const looks = context.short ? 15 : 100;
      let given = 0;
      const flooding = Promise.all(
        loud.people.map(async (person) => {
          while (given < flood) await phones.say(person, loud.bot, { text: `flood ${given++}` });
        }),
      );
      const backlog = () =>
        given - loud.crm.sandbox.world.messages.filter(({ text }) => text?.startsWith("flood")).length;
      // Before that, the account does not need every slot.
      await becomes(() => backlog() > 3 * PEOPLE);
      loud.crm.sandbox.faults.plan({ operation: "sendMessage", delayMs: SLOW_MS, times: 1_000_000 });
      const waits: number[] = [];
      for (let n = 0; n < looks; n++) {
        const began = Date.now();
        await phones.say(quiet.people[n % PEOPLE] ?? 0, quiet.bot, { text: `quiet ${n}` });
        const came = await becomes(() => said(quiet, `quiet ${n}`) !== undefined, GIVE_UP_MS * context.slack);
        waits.push(came ? Date.now() - began : Number.POSITIVE_INFINITY);
        if (!came) break;
      }
      await flooding;
      const left = backlog();
      loud.crm.sandbox.faults.clear();
      // With intake over, calls leave at the full rate.
      await new Promise((resolve) => setTimeout(resolve, UNDISTURBED_MS));
      waits.sort((a, b) => a - b);
      const p99 = waits[Math.ceil(waits.length * 0.99) - 1] ?? 0;
      return [
        atLeast("P10", "the flooding account's backlog", left, 1),
        atMost("P10", "delay of another account's message, p99", p99 / 1000, 2 * context.slack, " s"),
        none("P12", "calls the gateway refused with 429", loud.crm.sandbox.calls.answered("gateway", 429)),
      ];
    } finally {
      await pair.close();
    }
  },
};

/** Every call to one account's messenger hangs; the other account must not notice. */
export const deadMessenger: Trial = {
  name: "a dead messenger",
  async run(context): Promise<Figure[]> {
    const pair = await openPair(context);
    const { loud, quiet, phones } = pair;
    try {
      for (const tenant of [loud, quiet])
        for (const person of tenant.people) await phones.say(person, tenant.bot, { text: `hello ${person}` });
      await becomes(() => chatsOf(loud).length === PEOPLE && chatsOf(quiet).length === PEOPLE);
      const rounds = context.short ? 4 : 20;
      const alone = await round(pair, "alone", rounds, context);
      pair.silence(loud.token);
      const agent = agentAt(loud.crm.origin);
      for (let n = 0; n < rounds; n++)
        for (const chat of chatsOf(loud)) await agent.say(chat.id, { text: `into the void ${n}` });
      const beside = await round(pair, "beside", rounds, context);
      return [
        atLeast(
          "P11",
          "an account's rate beside one whose messenger hangs, relative to alone",
          Number.isFinite(alone) ? alone / beside : 0,
          0.95 / context.slack,
        ),
      ];
    } finally {
      await pair.close();
    }
  },
};

/** Time until all messages of the quiet account's agents arrive, ms; infinite if some do not. */
async function round({ quiet, phones }: Pair, name: string, rounds: number, { slack }: TrialContext): Promise<number> {
  const agent = agentAt(quiet.crm.origin);
  // Earlier messages have used up each chat's second.
  await new Promise((resolve) => setTimeout(resolve, PACE_MS));
  const began = Date.now();
  for (let n = 0; n < rounds; n++)
    for (const chat of chatsOf(quiet)) await agent.say(chat.id, { text: `${name} ${n}` });
  const last = `${name} ${rounds - 1}`;
  const arrived = async (person: number) =>
    (await phones.messages(person, quiet.bot)).some(({ text }) => text === last);
  const came = await becomes(
    async () => (await Promise.all(quiet.people.map(arrived))).every(Boolean),
    ROUND_MS * slack,
  );
  return came ? Date.now() - began : Number.POSITIVE_INFINITY;
}
