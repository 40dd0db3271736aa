import { freePort, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { agentAt } from "gangway-sandbox/demo/agent";
import { ask } from "gangway-sandbox/demo/ask";
import { startServer } from "gangway-sandbox/demo/server";
import { connectThroughForm } from "gangway-sandbox/demo/set-up";
import { becomes, pause, until } from "gangway-sandbox/demo/waiting";
import { botsAt } from "./bots.ts";
import { judge, type Verdict } from "./judge.ts";
import type { CrowdAccount, CrowdChat, CrowdOptions, Outcomes, Scene } from "./scene.ts";
import { createTcpProxy, NETWORK_FAULTS, type TcpProxy } from "./tcp-proxy.ts";
import type { LedgerSums } from "./trial.ts";

export interface CrowdResult extends Verdict {
  /** Calls beyond the messenger's limits. */
  floods: number;
  deaths: number;
  /** Longest shutdown after SIGTERM, ms. */
  slowestEnd: number;
  lostAnswers: number;
  networkFaults: number;
  ledger: LedgerSums;
  unavailable: number;
  outcomes?: Outcomes;
}

/** Longer than a sender waits for an answer and then pauses: a message without progress for so long is lost. */
const STILL_MS = 150_000;
const LOOK_MS = 250;
/** Hundreds of chats begin at once, ms. */
export const KNOWN_MS = 180_000;
/** Pause between a customer's messages: about the rate the messenger allows an agent. */
const ROUND_MS = 800;
/** Messages in a row, so that a kill finds some queued behind others of their chat. */
const BURST = 3;
const DEFAULT_CALLS = 64;
/** For each chat, how many messages may be under way, and how long to wait for less, ms: on a slow machine none goes overdue. */
const [MOST_UNDER_WAY, WAITS_MS] = [3, 60_000];
/** If the gateway gave up on a slow webhook, the agent would resend, and the copy would look like a new message. */
const PATIENT = { webhookRetryForMs: 3_600_000 };

export async function crowd(options: CrowdOptions): Promise<CrowdResult> {
  const proxies: TcpProxy[] = [];
  const openProxy = async () => {
    const proxy = await createTcpProxy();
    proxies.push(proxy);
    return proxy;
  };
  const sandboxes = await Promise.all(Array.from({ length: options.accounts }, () => openSandbox(options, openProxy)));
  const [first] = sandboxes;
  if (!first) throw new Error("a crowd needs an account");
  const network = (options.messenger ?? botsAt)(first, options);
  const env = {
    ...options.env,
    ...network.env,
    CALLS: String(options.calls ?? DEFAULT_CALLS),
    OUTBOUND_PATIENCE_SECONDS: "600",
  };
  const port = await freePort(0);
  const door = options.broken ? await openProxy() : undefined;
  door?.target(port);
  const metricsPort = await freePort(0);
  const own = { METRICS_PORT: String(metricsPort) };
  const start = {
    port,
    dataFolder: options.folder,
    env: { ...env, ...own },
    main: options.main,
    publicUrl: door?.origin,
  };
  const server = await (options.serve ?? startServer)(start);
  const world = { server, network, metricsPort, proxies, crowd: [] };
  const scene: Scene = { ...options, ...world, dying: options.chaos !== undefined, deaths: 0, slowestEnd: 0 };
  try {
    for (const [n, each] of sandboxes.entries()) scene.crowd.push(await setUp(scene, each, n));
    await planFaults(scene);
    const talks = scene.crowd.flatMap((account) => [customersTalk(scene, account), agentsTalk(scene, account)]);
    await Promise.all([...talks, killRepeatedly(scene), options.during?.(scene)]);
    await allSettled(scene, options.stillMs);
    return await resultOf(scene);
  } finally {
    scene.dying = false;
    await server.kill("SIGKILL");
    for (const { crm } of sandboxes) await crm.close();
    for (const proxy of proxies) await proxy.close();
  }
}

async function openSandbox(options: CrowdOptions, openProxy: () => Promise<TcpProxy>) {
  const proxy = options.broken ? await openProxy() : undefined;
  const port = await freePort(0);
  proxy?.target(port);
  const crm = await serveSandbox({ port, url: proxy?.origin, settings: options.broken ? PATIENT : undefined });
  return { crm, origin: `http://127.0.0.1:${port}` };
}

async function planFaults({ network, broken = 0, breaks = NETWORK_FAULTS, proxies, random }: Scene): Promise<void> {
  await network.plan();
  const one = () => (random() < broken ? breaks[Math.floor(random() * breaks.length)] : undefined);
  for (const proxy of proxies) proxy.plan(one);
}

/** Sets up one account with one channel. */
async function setUp(
  { server, network }: Scene,
  { crm, origin }: Pick<CrowdAccount, "crm" | "origin">,
  n: number,
): Promise<CrowdAccount> {
  const visit = await connectThroughForm(server.origin, crm.origin, SANDBOX_KEY);
  const customers = await network.join(visit, n);
  return { crm, origin, visit, chats: customers.map((customer) => ({ customer, inbound: [], outbound: [] })) };
}

/** Messages of each side in every chat: half of all by customers, half by agents. */
const perChat = ({ messages, accounts, chats }: CrowdOptions) => Math.ceil(messages / 2 / (accounts * chats));

async function customersTalk(scene: Scene, account: CrowdAccount): Promise<void> {
  const { chats } = account;
  const say = async (chat: CrowdChat) => {
    const text = `in ${chat.inbound.length}`;
    chat.inbound.push(text);
    await chat.customer.say(text);
  };
  for (const chat of chats) await say(chat);
  await talk(scene, account, scene.turnMs ?? (ROUND_MS * BURST) / chats.length, say);
}

async function agentsTalk(scene: Scene, account: CrowdAccount): Promise<void> {
  const agent = agentAt(account.origin);
  await until("every chat at the gateway", () => known(account), KNOWN_MS);
  const ids = new Map([...account.crm.sandbox.world.chats.values()].map((chat) => [chat.externalId, chat.id]));
  await talk(scene, account, scene.turnMs, async (chat) => {
    const text = `out ${chat.outbound.length}`;
    chat.outbound.push(text);
    await agent.say(ids.get(chat.customer.chat) ?? 0, { text });
  });
}

/** Round robin over the chats, until enough is said and the last kill is over. */
async function talk(
  scene: Scene,
  account: CrowdAccount,
  turnMs: number | undefined,
  say: (chat: CrowdChat) => Promise<void>,
): Promise<void> {
  const { chats } = account;
  const most = chats.length * MOST_UNDER_WAY;
  for (let said = 0; said < perChat(scene) || scene.dying; said += BURST)
    for (const chat of chats) {
      for (let n = 0; n < BURST; n++) await say(chat);
      if (turnMs) await pause(turnMs);
      await becomes(() => unsettled(account) <= most, WAITS_MS);
    }
}

/** Whether the gateway knows every chat of the account; agents can write from then on. */
const known = ({ crm, chats }: CrowdAccount) => crm.sandbox.world.chats.size >= chats.length;

/** Waits until every message has settled, or until there is no progress for `stillMs`. */
async function allSettled({ crowd: accounts, network, print }: Scene, stillMs = STILL_MS): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  let moved = Date.now();
  while (left > 0) {
    const { untold = 0, unseen = 0, pending = 0 } = network.outcomes?.(accounts) ?? {};
    const now = accounts.reduce((sum, account) => sum + unsettled(account), untold + unseen + pending);
    if (now !== left) moved = Date.now();
    left = now;
    if (Date.now() > moved + stillMs) return print(`${left} messages are stuck`);
    if (left > 0) await pause(LOOK_MS);
  }
}

async function killRepeatedly(scene: Scene): Promise<void> {
  const { chaos, server } = scene;
  if (!chaos) return;
  const live = async (ms: number) => {
    const end = Date.now() + ms;
    while (scene.dying && Date.now() < end) await pause(10);
  };
  await until("every chat at the gateway", () => scene.crowd.every(known), KNOWN_MS);
  for (const age of chaos.ages) {
    if (chaos.from === "ready") await server.ready();
    await live(age);
    if (!scene.dying) return;
    const began = Date.now();
    await server.kill(chaos.signal);
    if (chaos.signal === "SIGTERM") scene.slowestEnd = Math.max(scene.slowestEnd, Date.now() - began);
    scene.deaths += 1;
    chaos.dead?.();
    server.launch();
  }
  await server.ready();
  scene.dying = false;
}

export async function sumsAt(port: number): Promise<LedgerSums> {
  const { lines } = (await (await ask(`http://127.0.0.1:${port}/ledger`)).json()) as { lines: LedgerSums[] };
  const sum = (of: keyof LedgerSums) => lines.reduce((total, row) => total + Math.abs(row[of]), 0);
  return {
    accepted: sum("accepted"),
    delivered: sum("delivered"),
    refused: sum("refused"),
    waiting: sum("waiting"),
    hole: sum("hole"),
  };
}

async function resultOf(scene: Scene): Promise<CrowdResult> {
  // A call's end is recorded after its answer. What is held waits for a person.
  if (scene.policy !== "hold") await becomes(async () => (await sumsAt(scene.metricsPort)).waiting === 0);
  const { lostAnswers, floods } = await scene.network.counts();
  const perhaps = scene.proxies.reduce((sum, proxy) => sum + proxy.perhaps(), 0);
  const happened = scene.proxies.flatMap((proxy) => Object.values(proxy.happened()));
  return {
    ...(await judge(scene)),
    floods,
    outcomes: scene.network.outcomes?.(scene.crowd),
    ledger: await sumsAt(scene.metricsPort),
    deaths: scene.deaths,
    slowestEnd: scene.slowestEnd,
    lostAnswers: lostAnswers + perhaps,
    networkFaults: happened.reduce((sum, count) => sum + count, 0),
    unavailable: unavailable(scene),
  };
}

export const unavailable = ({ crowd: accounts }: Scene) =>
  accounts.reduce((sum, { crm }) => sum + crm.sandbox.calls.answered("webhook", 503), 0);

const said = ({ crm }: CrowdAccount, from: string) =>
  crm.sandbox.world.messages.filter((message) => message.from.type === from);

function unsettled(account: CrowdAccount): number {
  const wanted = account.chats.reduce((sum, { inbound }) => sum + inbound.length, 0);
  const outbound = said(account, "user").filter(({ status }) => status === "sending" || status === "sent");
  return Math.max(0, wanted - said(account, "customer").length) + outbound.length;
}
