import { type RunningSandbox, serveSandbox } from "../serve.ts";
import { SANDBOX_KEY } from "../world.ts";
import { agentAt } from "./agent.ts";
import { type Phones, phonesAt } from "./phone.ts";
import { freePort, type Server, startServer } from "./server.ts";
import { addBot, connectThroughForm, type Visit } from "./set-up.ts";

/** A crowd of customers and agents talking while calls fail and the server dies. */
export interface SoakOptions {
  /** In all, half each way. */
  messages: number;
  accounts: number;
  /** Of each account. */
  chats: number;
  /** Every so often the server is killed, ms. */
  killEveryMs: number;
  /** Shares of the messenger's calls that are answered with 429, and whose answer is lost. */
  floods: number;
  lost: number;
  policy: "resend" | "hold";
  folder: string;
  env: Record<string, string>;
  print(line: string): void;
}
export interface SoakResult {
  faults: string[];
  kills: number;
  duplicates: number;
  held: number;
}

interface Account {
  crm: RunningSandbox;
  bot: number;
  visit: Visit;
  chats: Chat[];
}
interface Chat {
  person: number;
  /** In the order in which they were said. */
  inbound: string[];
  outbound: string[];
}
interface Scene extends SoakOptions {
  server: Server;
  phones: Phones;
  crowd: Account[];
  kills: number;
}

/** Calls under way at once in the whole server (its setting CALLS). */
const CALLS = 64;
const PATIENCE_MS = 240_000;
const LOOK_MS = 250;

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const sandboxes = await Promise.all(Array.from({ length: options.accounts }, () => serveSandbox({ port: 0 })));
  const telegram = `${sandboxes[0]?.origin}/telegram`;
  const phones = phonesAt(telegram);
  const env = { ...options.env, TELEGRAM_API_URL: telegram, CALLS: String(CALLS), OUTBOUND_PATIENCE_SECONDS: "600" };
  const server = await startServer({ port: await freePort(0), dataFolder: options.folder, env });
  const scene: Scene = { ...options, server, phones, crowd: [], kills: 0 };
  try {
    for (const [n, crm] of sandboxes.entries()) scene.crowd.push(await settle(scene, crm, n));
    const [method, scope] = ["sendMessage", "chat"];
    await fault(scene, { method, type: "flood", scope, retryAfter: 1, probability: options.floods });
    await fault(scene, { method, type: "lost", probability: options.lost });
    const chaos = killing(scene);
    await Promise.all(scene.crowd.flatMap((account) => [customersTalk(scene, account), agentsTalk(scene, account)]));
    await until("everything to end", () => scene.crowd.every(ended)).catch((error) => scene.print(String(error)));
    await chaos.stop();
    return await judge(scene);
  } finally {
    await server.kill("SIGKILL");
    for (const each of sandboxes) await each.close();
  }
}

const fault = ({ phones }: Scene, plan: object) => phones.ask("POST", "/control/faults", plan);

/** One account with one bot: every other polls. */
async function settle({ server, phones, policy, chats }: Scene, crm: RunningSandbox, n: number): Promise<Account> {
  const bot = await phones.newBot(`soak_${n}_bot`, `Soak ${n}`);
  const visit = await connectThroughForm(server.origin, crm.origin, SANDBOX_KEY);
  const updates = n % 2 === 0 ? "webhook" : "polling";
  await addBot(visit, { name: bot.username, token: bot.token, updates, unsure: policy });
  const people = await Promise.all(
    Array.from({ length: chats }, (_, c) => phones.newPerson({ firstName: `Customer ${n}-${c}`, language: "en" })),
  );
  return { crm, bot: bot.id, visit, chats: people.map(({ id }) => ({ person: id, inbound: [], outbound: [] })) };
}

/** Said in every chat: half of all messages by customers, half by agents. */
const perChat = ({ messages, accounts, chats }: SoakOptions) => Math.ceil(messages / 2 / (accounts * chats));

async function customersTalk(scene: Scene, { bot, chats }: Account): Promise<void> {
  for (let n = 0; n < perChat(scene); n++)
    for (const chat of chats) {
      const text = `in ${n}`;
      chat.inbound.push(text);
      await scene.phones.say(chat.person, bot, { text });
    }
}

async function agentsTalk(scene: Scene, account: Account): Promise<void> {
  const agent = agentAt(account.crm.origin);
  const known = () => new Map([...account.crm.sandbox.world.chats.values()].map((chat) => [chat.externalId, chat.id]));
  await until("every chat at the gateway", () => known().size >= account.chats.length);
  const ids = known();
  for (let n = 0; n < perChat(scene); n++)
    for (const chat of account.chats) {
      const text = `out ${n}`;
      chat.outbound.push(text);
      await agent.say(ids.get(String(chat.person)) ?? 0, { text });
    }
}

async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function killing(scene: Scene) {
  let going = true;
  const run = async () => {
    let next = Date.now() + scene.killEveryMs;
    while (going) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (!going || Date.now() < next) continue;
      await scene.server.kill("SIGKILL");
      scene.kills += 1;
      await scene.server.start();
      next = Date.now() + scene.killEveryMs;
    }
  };
  const done = run();
  return {
    stop: () => {
      going = false;
      return done;
    },
  };
}

async function judge(scene: Scene): Promise<SoakResult> {
  const faults: string[] = [];
  // A message that a kill has left in the middle ends after the next start.
  await until("the rest to end", () => scene.crowd.every(ended)).catch((error) => faults.push(String(error)));
  let duplicates = 0;
  let held = 0;
  for (const account of scene.crowd) {
    held += heldOn(await account.visit.look());
    for (const chat of account.chats) {
      faults.push(...inboxFaults(account, chat));
      const shown = (await scene.phones.messages(chat.person, account.bot)).filter(({ from }) => from === "bot");
      const texts = shown.map(({ text }) => text);
      duplicates += texts.length - new Set(texts).size;
      faults.push(...chatFaults(scene, account, chat, texts));
    }
  }
  const lost = await injected(scene);
  const bound = scene.policy === "hold" ? 0 : lost + scene.kills * CALLS;
  if (duplicates > bound) faults.push(`${duplicates} duplicates in the chats, at most ${bound} can be explained`);
  const floods = await scene.phones.ask<Record<string, number>>("GET", "/control/floods");
  for (const [limit, count] of Object.entries(floods))
    if (count > 0) faults.push(`the messenger's own limit was passed ${count} times (${limit})`);
  scene.print(
    `${scene.messages} messages, ${scene.accounts} accounts, ${scene.kills} kills, ${lost} answers lost: ` +
      `${duplicates} duplicates (bound ${bound}), ${held} held, ${faults.length} faults`,
  );
  return { faults, kills: scene.kills, duplicates, held };
}

const said = ({ crm }: Account, from: string) =>
  crm.sandbox.world.messages.filter((message) => message.from.type === from);

function ended(account: Account): boolean {
  const wanted = account.chats.reduce((sum, { inbound }) => sum + inbound.length, 0);
  const open = said(account, "user").filter(({ status }) => status === "sending" || status === "sent");
  return said(account, "customer").length >= wanted && open.length === 0;
}

const chatOf = ({ crm }: Account, { person }: Chat) =>
  [...crm.sandbox.world.chats.values()].find(({ externalId }) => externalId === String(person));

/** At the gateway every message is there once, in order. */
function inboxFaults(account: Account, chat: Chat): string[] {
  const id = chatOf(account, chat)?.id;
  const texts = said(account, "customer").flatMap((message) => (message.chatId === id ? [message.text] : []));
  if (JSON.stringify(texts) === JSON.stringify(chat.inbound)) return [];
  return [`chat ${chat.person}: the gateway has ${texts.length} of ${chat.inbound.length}, or another order: ${texts}`];
}

/** In the chat every message is there, in order; what is not was told to the agent. */
function chatFaults({ policy }: Scene, account: Account, chat: Chat, texts: string[]): string[] {
  const id = chatOf(account, chat)?.id;
  const failed = said(account, "user").flatMap((m) => (m.chatId === id && m.status === "failed" ? [m.text] : []));
  const once = texts.filter((text, n) => texts.indexOf(text) === n);
  const missing = chat.outbound.filter((text) => !once.includes(text) && !failed.includes(text));
  const faults = missing.length > 0 ? [`chat ${chat.person}: lost ${missing}`] : [];
  const inOrder = chat.outbound.filter((text) => once.includes(text));
  if (JSON.stringify(once) !== JSON.stringify(inOrder)) faults.push(`chat ${chat.person}: another order: ${once}`);
  // A message of which nothing is known for sure is told as failed; one that was surely sent never is, unless it is held.
  const unheld = policy === "resend" ? failed.filter((text) => !once.includes(text)) : [];
  if (unheld.length > 0) faults.push(`chat ${chat.person}: never arrived: ${unheld}`);
  return faults;
}

const heldOn = (page: string): number =>
  Number(/<strong>([\d,]+)<\/strong> waiting for you/.exec(page)?.[1]?.replaceAll(",", "") ?? 0);

const injected = async ({ phones }: Scene): Promise<number> =>
  (await phones.ask<Record<string, number>>("GET", "/control/faults/happened")).lost ?? 0;
