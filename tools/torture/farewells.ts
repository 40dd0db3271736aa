import { freePort, type Message, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { agentAt } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { startServer } from "gangway-sandbox/demo/server";
import { addBot, connectThroughForm } from "gangway-sandbox/demo/set-up";
import { becomes, pause, until } from "gangway-sandbox/demo/waiting";
import { KNOWN_MS, sumsAt } from "./crowd.ts";
import { atLeast, type Figure, none } from "./figure.ts";
import { isUnknown } from "./judge.ts";
import type { Trial, TrialContext } from "./trial.ts";

const CHATS = 4;
const SIZE = { short: { accounts: 2, rounds: 1 }, long: { accounts: 6, rounds: 5 } };
const MESSAGES = 12;
/** Of a chat's message: all of them take longer than a slow machine needs to write them and to say farewell. */
const ARRIVAL_MS = 3_000;
const FAREWELL_MS = { least: 500, more: 3_000 };
const SETTLED_MS = 60_000;

/** Messengers are removed, and accounts disconnected, while agents' messages wait for them. */
export const farewells: Trial = {
  name: "farewells",
  async run(context): Promise<Figure[]> {
    const { accounts, rounds } = SIZE[context.short ? "short" : "long"];
    const seen: Seen[] = [];
    for (let round = 0; round < rounds; round++) seen.push(await part(context, accounts));
    const sum = (of: keyof Seen) => seen.reduce((total, each) => total + each[of], 0);
    context.injected("messengers removed under load", rounds * accounts);
    return [
      atLeast("P1", `agents' messages that waited at a farewell, of ${sum("written")}`, sum("waited"), 1),
      atLeast("P1", "agents' messages that failed in words", sum("told"), 1),
      none("P1", "agents' messages that were accepted, and neither arrived nor failed in words", sum("silent")),
      none("P1", "agents' messages that failed in words, and had arrived", sum("untrue")),
      none("P1", "holes in the ledger", sum("hole")),
    ];
  },
};

interface Seen {
  written: number;
  waited: number;
  told: number;
  silent: number;
  untrue: number;
  hole: number;
}

async function part(context: TrialContext, accounts: number): Promise<Seen> {
  const sandboxes = await Promise.all(Array.from({ length: accounts }, () => serveSandbox({ port: 0 })));
  const [first] = sandboxes;
  if (!first) throw new Error("a farewell needs an account");
  const phones = phonesAt(`${first.origin}/telegram`);
  const metricsPort = await freePort(0);
  const env = { ...context.env, TELEGRAM_API_URL: `${first.origin}/telegram`, METRICS_PORT: String(metricsPort) };
  const server = await startServer({
    ...{ port: await freePort(0), dataFolder: context.folder(), env, main: context.program() },
  });
  try {
    const seen = await Promise.all(sandboxes.map((crm, n) => farewell({ crm, server, phones, n }, context)));
    const all = seen.reduce((one, other) => {
      for (const of of Object.keys(one) as (keyof Seen)[]) one[of] += other[of];
      return one;
    });
    const ledger = await sumsAt(metricsPort);
    context.balance(ledger);
    context.print(JSON.stringify({ ...all, ledger }));
    return { ...all, hole: ledger.hole };
  } finally {
    await server.kill("SIGKILL");
    for (const crm of sandboxes) await crm.close();
  }
}

interface At {
  crm: Awaited<ReturnType<typeof serveSandbox>>;
  server: Awaited<ReturnType<typeof startServer>>;
  phones: ReturnType<typeof phonesAt>;
  n: number;
}

async function farewell({ crm, server, phones, n }: At, { random }: TrialContext): Promise<Seen> {
  const bot = await phones.newBot(`farewell_${n}_bot`, `Farewell ${n}`);
  const visit = await connectThroughForm(server.origin, crm.origin, SANDBOX_KEY);
  await addBot(visit, { name: bot.username, token: bot.token, updates: n % 2 === 0 ? "webhook" : "polling" });
  const people = await Promise.all(
    Array.from({ length: CHATS }, (_, c) => phones.newPerson({ firstName: `Customer ${n}-${c}`, language: "en" })),
  );
  for (const { id } of people) await phones.say(id, bot.id, { text: "hello" });
  const { world } = crm.sandbox;
  await until("every chat at the gateway", () => world.chats.size >= CHATS, KNOWN_MS);
  const slow = { method: "sendMessage", bot: bot.id, delayMs: ARRIVAL_MS, forMs: 2 * SETTLED_MS };
  await phones.ask("POST", "/control/faults", slow);
  const agent = agentAt(crm.origin);
  await Promise.all(
    [...world.chats.values()].map(async ({ id, externalId }) => {
      for (let message = 0; message < MESSAGES; message++)
        await agent.say(id, { text: `out ${message} of ${externalId}` });
    }),
  );
  await pause(FAREWELL_MS.least + random() * FAREWELL_MS.more);
  const said = () => world.messages.filter(({ from }) => from.type === "user");
  const isOpen = ({ status }: Message) => status === "sending" || status === "sent";
  const waited = said().filter(isOpen).length;
  await (n % 2 === 0 ? visit.removeAll() : visit.disconnect());
  await becomes(() => !said().some(isOpen), SETTLED_MS);
  const arrived = new Set<string>();
  for (const { id } of people)
    for (const { from, text = "" } of await phones.messages(id, bot.id)) if (from === "bot") arrived.add(text);
  const hasArrived = ({ text = "" }: Message) => arrived.has(text);
  const hasFailed = ({ status, error }: Message) => status === "failed" && Boolean(error?.message);
  const count = (is: (message: Message) => boolean) => said().filter(is).length;
  return {
    ...{ written: said().length, waited, hole: 0, told: count(hasFailed) },
    silent: count((message) => isOpen(message) || !(hasArrived(message) || hasFailed(message))),
    untrue: count((message) => hasFailed(message) && hasArrived(message) && !isUnknown(message)),
  };
}
