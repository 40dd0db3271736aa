import { agentAt } from "../demo/agent.ts";
import { ask } from "../demo/ask.ts";
import { type Phones, phonesAt } from "../demo/phone.ts";
import { freePort, type Server, startServer } from "../demo/server.ts";
import { addBot, connectThroughForm, type Visit } from "../demo/set-up.ts";
import { serveSandbox } from "../serve.ts";
import { SANDBOX_KEY } from "../world.ts";
import { judge, type Verdict } from "./judge.ts";
import { createTcpProxy, NETWORK_FAULTS, type NetworkFault, type TcpProxy } from "./tcp-proxy.ts";
import type { LedgerSums } from "./trial.ts";

/** A crowd of customers and agents talking while calls fail and the server dies. */
export interface CrowdOptions {
  /** In all, half each way. */
  messages: number;
  accounts: number;
  /** Of each account. */
  chats: number;
  /** Shares of the messenger's calls that are answered with 429, and whose answer is lost. */
  floods: number;
  lost: number;
  /** Share of all exchanges, both ways and on both sides, that the network breaks, and how (in every way). */
  broken?: number;
  breaks?: NetworkFault[];
  policy: "resend" | "hold";
  chaos?: Chaos;
  /** Runs while they talk. */
  during?(scene: Scene): Promise<void>;
  folder: string;
  env: Record<string, string>;
  /** The server's program, when it is not the one beside this. */
  main?: string;
  /** Calls under way at once in the whole server. */
  calls?: number;
  /** Between two messages of one side in a chat, ms; else agents say all at once, and customers what an agent's side may take. */
  roundMs?: number;
  /** When nothing has moved for so long, nothing will, ms. */
  stillMs?: number;
  /** In [0, 1). */
  random(): number;
  print(line: string): void;
}
/** How the server dies. */
export interface Chaos {
  signal: "SIGKILL" | "SIGTERM";
  /** One death after another, ms: after its launch, or after it became ready. Then it is left alone. */
  ages: number[];
  from: "launch" | "ready";
  /** Runs when it is dead, before it starts again. */
  dead?(): void;
}
export interface CrowdResult extends Verdict {
  deaths: number;
  /** Longest that an end by SIGTERM took, ms. */
  slowestEnd: number;
  /** Answers that were lost on their way to the server. */
  lostAnswers: number;
  networkFaults: number;
  ledger: LedgerSums;
  /** Webhooks of the gateway that the server answered with 503. */
  unavailable: number;
}

export interface CrowdAccount {
  crm: Awaited<ReturnType<typeof serveSandbox>>;
  /** How the driver reaches the sandbox, whatever the network does. */
  origin: string;
  bot: number;
  visit: Visit;
  chats: CrowdChat[];
}
export interface CrowdChat {
  person: number;
  /** In the order in which they were said. */
  inbound: string[];
  outbound: string[];
}
export interface Scene extends CrowdOptions {
  server: Server;
  phones: Phones;
  metricsPort: number;
  crowd: CrowdAccount[];
  deaths: number;
  slowestEnd: number;
  proxies: TcpProxy[];
}

const STILL_MS = 45_000;
/** Of what did not move before the server died for the last time. */
const STILL_AGAIN_MS = 10_000;
const PATIENCE_MS = 60_000;
const LOOK_MS = 250;
/** Between a customer's messages: about what the messenger lets an agent do. */
const ROUND_MS = 800;
const DEFAULT_CALLS = 64;
/** A gateway that gives a slow webhook up lets the agent say it anew: nobody could tell that from another message. */
const PATIENT = { webhookRetryForMs: 3_600_000 };

export async function crowd(options: CrowdOptions): Promise<CrowdResult> {
  const proxies: TcpProxy[] = [];
  const between = async () => {
    const proxy = await createTcpProxy();
    proxies.push(proxy);
    return proxy;
  };
  const sandboxes = await Promise.all(Array.from({ length: options.accounts }, () => standing(options, between)));
  const [first] = sandboxes;
  if (!first) throw new Error("a crowd needs an account");
  const phones = phonesAt(`${first.origin}/telegram`);
  const env = {
    ...options.env,
    TELEGRAM_API_URL: `${first.crm.origin}/telegram`,
    CALLS: String(options.calls ?? DEFAULT_CALLS),
    OUTBOUND_PATIENCE_SECONDS: "600",
  };
  const port = await freePort(0);
  const door = options.broken ? await between() : undefined;
  door?.lead(port);
  const metricsPort = await freePort(0);
  const own = { METRICS_PORT: String(metricsPort) };
  const start = {
    port,
    dataFolder: options.folder,
    env: { ...env, ...own },
    main: options.main,
    publicUrl: door?.origin,
  };
  const server = await startServer(start);
  const scene: Scene = { ...options, server, phones, metricsPort, crowd: [], deaths: 0, slowestEnd: 0, proxies };
  try {
    for (const [n, each] of sandboxes.entries()) scene.crowd.push(await settle(scene, each, n));
    await breakThings(scene);
    const chaos = dying(scene);
    const talks = scene.crowd.flatMap((account) => [customersTalk(scene, account), agentsTalk(scene, account)]);
    await Promise.all([...talks, options.during?.(scene)]);
    const left = await allEnded(scene, options.stillMs);
    await chaos.stop();
    // A message that a death has left in the middle ends after the next start.
    if (options.chaos) await allEnded(scene, left > 0 ? STILL_AGAIN_MS : options.stillMs);
    return await resultOf(scene);
  } finally {
    await server.kill("SIGKILL");
    for (const { crm } of sandboxes) await crm.close();
    for (const proxy of proxies) await proxy.close();
  }
}

/** A sandbox, behind a proxy where the network is to be broken. */
async function standing(options: CrowdOptions, between: () => Promise<TcpProxy>) {
  const proxy = options.broken ? await between() : undefined;
  const port = await freePort(0);
  proxy?.lead(port);
  const crm = await serveSandbox({ port, url: proxy?.origin, settings: options.broken ? PATIENT : undefined });
  return { crm, origin: `http://127.0.0.1:${port}` };
}

async function breakThings({
  phones,
  floods,
  lost,
  broken = 0,
  breaks = NETWORK_FAULTS,
  proxies,
  random,
}: Scene): Promise<void> {
  const [method, scope] = ["sendMessage", "chat"];
  const fault = (plan: object) => phones.ask("POST", "/control/faults", plan);
  if (floods > 0) await fault({ method, type: "flood", scope, retryAfter: 1, probability: floods });
  if (lost > 0) await fault({ method, type: "lost", probability: lost });
  const one = () => (random() < broken ? breaks[Math.floor(random() * breaks.length)] : undefined);
  for (const proxy of proxies) proxy.plan(one);
}

/** One account with one bot: every other polls. */
async function settle(
  { server, phones, policy, chats }: Scene,
  { crm, origin }: Pick<CrowdAccount, "crm" | "origin">,
  n: number,
): Promise<CrowdAccount> {
  const bot = await phones.newBot(`soak_${n}_bot`, `Soak ${n}`);
  const visit = await connectThroughForm(server.origin, crm.origin, SANDBOX_KEY);
  const updates = n % 2 === 0 ? "webhook" : "polling";
  await addBot(visit, { name: bot.username, token: bot.token, updates, unsure: policy });
  const people = await Promise.all(
    Array.from({ length: chats }, (_, c) => phones.newPerson({ firstName: `Customer ${n}-${c}`, language: "en" })),
  );
  const silent = people.map(({ id }) => ({ person: id, inbound: [], outbound: [] }));
  return { crm, origin, bot: bot.id, visit, chats: silent };
}

/** Said in every chat: half of all messages by customers, half by agents. */
const perChat = ({ messages, accounts, chats }: CrowdOptions) => Math.ceil(messages / 2 / (accounts * chats));

async function customersTalk(scene: Scene, { bot, chats }: CrowdAccount): Promise<void> {
  for (let n = 0; n < perChat(scene); n++)
    for (const chat of chats) {
      const text = `in ${n}`;
      chat.inbound.push(text);
      await scene.phones.say(chat.person, bot, { text });
      // So that customers write as long as agents do.
      if (chat === chats.at(-1)) await pause(scene.roundMs ?? ROUND_MS);
    }
}

async function agentsTalk(scene: Scene, account: CrowdAccount): Promise<void> {
  const agent = agentAt(account.origin);
  await until("every chat at the gateway", () => known(account));
  const ids = new Map([...account.crm.sandbox.world.chats.values()].map((chat) => [chat.externalId, chat.id]));
  for (let n = 0; n < perChat(scene); n++)
    for (const chat of account.chats) {
      const text = `out ${n}`;
      chat.outbound.push(text);
      await agent.say(ids.get(String(chat.person)) ?? 0, { text });
      if (scene.roundMs && chat === account.chats.at(-1)) await pause(scene.roundMs);
    }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Every chat of the account is at the gateway: from then on both sides talk. */
const known = ({ crm, chats }: CrowdAccount) => crm.sandbox.world.chats.size >= chats.length;

async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await pause(LOOK_MS);
  }
}

/** Until every message has ended, or nothing moves any more; gives how many are left. */
async function allEnded({ crowd: accounts, print }: Scene, stillMs = STILL_MS): Promise<number> {
  let left = Number.POSITIVE_INFINITY;
  let moved = Date.now();
  while (left > 0) {
    const now = accounts.reduce((sum, account) => sum + open(account), 0);
    if (now !== left) moved = Date.now();
    left = now;
    if (Date.now() > moved + stillMs) {
      print(`${left} messages do not move any more`);
      return left;
    }
    if (left > 0) await pause(LOOK_MS);
  }
  return left;
}

function dying(scene: Scene) {
  const { chaos, server } = scene;
  let going = chaos !== undefined;
  const live = async (ms: number) => {
    const end = Date.now() + ms;
    while (going && Date.now() < end) await pause(10);
  };
  const run = async ({ ages, from, signal, dead }: Chaos) => {
    await until("every chat at the gateway", () => !going || scene.crowd.every(known));
    for (const age of ages) {
      if (from === "ready") await server.ready();
      await live(age);
      if (!going) break;
      const began = Date.now();
      await server.kill(signal);
      if (signal === "SIGTERM") scene.slowestEnd = Math.max(scene.slowestEnd, Date.now() - began);
      scene.deaths += 1;
      dead?.();
      server.launch();
    }
    await server.ready();
  };
  const done = chaos && run(chaos);
  return {
    stop: () => {
      going = false;
      return done;
    },
  };
}

async function sumsAt(port: number): Promise<LedgerSums> {
  const { lines } = (await (await ask(`http://127.0.0.1:${port}/ledger`)).json()) as { lines: LedgerSums[] };
  const sum = (of: keyof LedgerSums) => lines.reduce((total, line) => total + Math.abs(line[of]), 0);
  return {
    accepted: sum("accepted"),
    delivered: sum("delivered"),
    refused: sum("refused"),
    waiting: sum("waiting"),
    hole: sum("hole"),
  };
}

async function resultOf(scene: Scene): Promise<CrowdResult> {
  const told = await scene.phones.ask<Record<string, number>>("GET", "/control/faults/happened");
  const perhaps = scene.proxies.reduce((sum, proxy) => sum + proxy.perhaps(), 0);
  const happened = scene.proxies.flatMap((proxy) => Object.values(proxy.happened()));
  return {
    ...(await judge(scene)),
    ledger: await sumsAt(scene.metricsPort),
    deaths: scene.deaths,
    slowestEnd: scene.slowestEnd,
    lostAnswers: (told.lost ?? 0) + perhaps,
    networkFaults: happened.reduce((sum, count) => sum + count, 0),
    unavailable: unavailable(scene),
  };
}

/** The gateway's webhooks that were answered with 503 so far. */
export const unavailable = ({ crowd: accounts }: Scene) =>
  accounts.reduce((sum, { crm }) => sum + crm.sandbox.calls.answered("webhook", 503), 0);

const said = ({ crm }: CrowdAccount, from: string) =>
  crm.sandbox.world.messages.filter((message) => message.from.type === from);

/** How many have not ended yet. */
function open(account: CrowdAccount): number {
  const wanted = account.chats.reduce((sum, { inbound }) => sum + inbound.length, 0);
  const outbound = said(account, "user").filter(({ status }) => status === "sending" || status === "sent");
  return Math.max(0, wanted - said(account, "customer").length) + outbound.length;
}
