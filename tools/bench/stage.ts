import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import Sqlite from "better-sqlite3";
import { systemClock } from "gangway-messenger/clock";
import { newSecret } from "gangway-messenger/ids";
import type { ChannelAdapter } from "gangway-messenger/port";
import { freePort } from "gangway-sandbox";
import { pause } from "gangway-sandbox/demo/waiting";
import telegram from "gangway-telegram";
import webchat from "gangway-webchat";
import { createVisitors } from "gangway-webchat/visitor";
import { readConfig } from "#product/config";
import type { Account } from "#product/domain/account";
import type { GatewayChannelId } from "#product/domain/ids";
import { announcement } from "#product/gateway/channels";
import { openStore } from "#product/store/open";
import type { Store } from "#product/store/store";
import { ROOT } from "../root.ts";
import { built, type Child, startChild } from "./child.ts";
import { chatOf, type Target } from "./webhooks.ts";

export interface Fakes {
  origin: string;
  child: Child;
}
export interface Server {
  origin: string;
  child: Child;
  /** From process start to readiness, ms. */
  readyMs: number;
  startedAt: number;
}
/** Size of the seeded data; every account has the same customers. */
export interface Crowd {
  accounts: number;
  /** Per account. */
  channels: number;
  chats: number;
  /** Web chats instead of Telegram bots. */
  webchat?: boolean;
}

const READY_MS = 60_000;
/** Of a sandbox that makes or reads a large account. */
const FILLED_MS = 600_000;
const OWN = join(ROOT, "dist", "main.js");

/** Makes a data folder, on a real disk unless `parent` says otherwise. */
export function freshFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "gangway-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function startFakes(): Promise<Fakes> {
  const port = await freePort(0);
  const child = startChild([built("./fakes.js")], { PORT: String(port) });
  await child.ask("forget");
  return { origin: `http://127.0.0.1:${port}`, child };
}

export const startLoad = (): Child => startChild([built("./load.js")]);

type OpenStore = (folder: string, databaseUrl?: string) => Promise<Store>;
const opening =
  (openWith: typeof openStore): OpenStore =>
  (folder, databaseUrl) =>
    openWith({ folder, databaseUrl, keyRing: readConfig({ SANDBOX: "1" }, []).keyRing, clock: systemClock });
export const open = opening(openStore);

/** Fills an empty data folder with connected accounts. */
export async function seed(folder: string, fakes: Fakes, publicUrl: string, crowd: Crowd): Promise<Target[]> {
  const targets = await connect(folder, fakes, publicUrl, crowd);
  greet(folder, crowd.chats);
  return targets;
}

/** Connects accounts whose customers have not written yet. `main`: the build whose store it is. */
export async function connect(
  folder: string,
  fakes: Fakes,
  publicUrl: string,
  crowd: Crowd,
  main = OWN,
  databaseUrl?: string,
): Promise<Target[]> {
  const modules = [join(dirname(main), "modules"), dirname(main)].find((folder) => existsSync(join(folder, "store")));
  const build = await import(pathToFileURL(join(modules ?? dirname(main), "store", "open.js")).href);
  const store = await opening(build.openStore)(folder, databaseUrl);
  const numbers = Array.from({ length: crowd.accounts }, (_, n) => n);
  const targets = (await Promise.all(numbers.map((n) => seedAccount(store, fakes, n, crowd)))).flat();
  await store.close();
  const doors = targets.map(({ bot, door }) => [bot, `${publicUrl}/m/${door}`]);
  await fakes.child.ask("set", { doors: Object.fromEntries(doors) });
  return targets;
}

async function seedAccount(store: Store, fakes: Fakes, n: number, crowd: Crowd): Promise<Target[]> {
  const account = await store.accounts.bind({
    crmUrl: `http://127.0.0.1:9/${n}`,
    apiKey: newSecret(),
    clientId: newSecret(),
    webhookSecret: newSecret(),
    gatewayUrl: `${fakes.origin}/gateway`,
    gatewayToken: newSecret(),
  });
  const numbers = Array.from({ length: crowd.channels }, (_, c) => n * crowd.channels + c + 1);
  const seeded = crowd.webchat ? seedWebchat : seedBot;
  return Promise.all(numbers.map((number) => seeded(store, account, number, crowd.chats)));
}

const keysOf = ({ webhookSecret, clientId, gatewayToken }: Account) => ({ webhookSecret, clientId, gatewayToken });

async function seedBot(store: Store, account: Account, number: number): Promise<Target> {
  const bot = String(1_000_000_000 + number);
  const botToken = `${bot}:${newSecret().slice(0, 35)}`;
  const settings = telegram.settings.parse({ token: botToken });
  const { door } = await seedChannel(store, account, number, { adapter: telegram, settings });
  const hookSecret = (settings as { webhookSecret: string }).webhookSecret;
  return { ...keysOf(account), gatewayChannelId: String(number), door, hookSecret, bot, botToken };
}

async function seedWebchat(store: Store, account: Account, number: number, chats: number): Promise<Target> {
  const settings = webchat.settings.parse({});
  const { door } = await seedChannel(store, account, number, { adapter: webchat, settings });
  const tokens = createVisitors((settings as { visitorKey: string }).visitorKey, { now: Date.now });
  const visitors = Array.from({ length: chats }, () => tokens.newToken()).map((token) => ({
    ...{ token, id: tokens.verify(token) ?? "" },
  }));
  const none = { hookSecret: "", bot: "", botToken: "" };
  return { ...keysOf(account), gatewayChannelId: String(number), door, ...none, visitors };
}

interface Kind {
  adapter: ChannelAdapter;
  settings: unknown;
}
async function seedChannel(store: Store, account: Account, number: number, { adapter, settings }: Kind) {
  const { kind } = adapter;
  const channel = await store.channels.add(account.id, { kind, name: `Channel ${number}`, settings });
  const announced = announcement(channel.name, adapter.features(settings));
  await store.channels.setGateway(channel.id, { id: String(number) as GatewayChannelId, announced });
  return channel;
}

/** Writes the accounts of the relay in `ceiling.ts`, one channel each, into its folder. */
export function connectCeiling(folder: string, accounts: number): Target[] {
  const targets = Array.from({ length: accounts }, (_, n): Target => {
    const bot = String(1_000_000_001 + n);
    return {
      ...{ webhookSecret: newSecret(), clientId: newSecret(), door: newSecret(), hookSecret: newSecret() },
      ...{ bot, botToken: `${bot}:${newSecret().slice(0, 35)}`, gatewayToken: newSecret() },
      gatewayChannelId: String(n + 1),
    };
  });
  writeFileSync(join(folder, "accounts.json"), JSON.stringify(targets));
  return targets;
}

/** Records an earlier contact and picture check of each customer, so that agents may answer and no picture is fetched. */
function greet(folder: string, chats: number): void {
  const db = new Sqlite(join(folder, "gangway.db"));
  const note = db.prepare("INSERT INTO note SELECT id, ?, ?, 0 FROM channel");
  const met = db.prepare("INSERT INTO chat SELECT id, @chat, @chat, 0 FROM channel");
  db.transaction(() => {
    for (let n = 0; n < chats; n++) {
      note.run(`avatar:${chatOf(n)}`, JSON.stringify({ at: Date.now() }));
      met.run({ chat: String(chatOf(n)) });
    }
  })();
  db.close();
}

/** Node's default heap limit on a 2 GiB machine; with more memory it collects late and memory figures mean little. */
export const SMALL_MACHINE = ["--max-old-space-size=512"];

/** Starts the server with a small machine's heap limit. */
export const startSmall = (
  folder: string,
  fakes: Fakes,
  port: number,
  env: Record<string, string> = {},
): Promise<Server> => startServer(folder, fakes, port, OWN, SMALL_MACHINE, env);

/** Starts the built server with a probe inside. */
export async function startServer(
  folder: string,
  fakes: Fakes,
  port: number,
  main = OWN,
  flags: string[] = [],
  env: Record<string, string> = {},
): Promise<Server> {
  return started(port, main, flags, {
    SANDBOX: "1",
    HOST: "127.0.0.1",
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATA_FOLDER: folder,
    TELEGRAM_API_URL: `${fakes.origin}/telegram`,
    ...env,
  });
}

/** Starts the relay of `ceiling.ts`; without `deliver` it only stores. */
export const startCeiling = (folder: string, fakes: Fakes, port: number, deliver = true): Promise<Server> =>
  started(port, built("./ceiling.js"), [], { FOLDER: folder, FAKES: fakes.origin, DELIVER: deliver ? "1" : "0" });

/** Starts the peer of `peer.ts` as the bot of one target. */
export function startPeer([target]: Target[], fakes: Fakes, port: number): Promise<Server> {
  const { botToken = "", hookSecret = "" } = target ?? {};
  return started(port, built("./peer.js"), [], {
    BOT_TOKEN: botToken,
    HOOK_SECRET: hookSecret,
    FAKES: fakes.origin,
    NODE_ENV: "production",
  });
}

/** Starts the built sandbox. `flags` are Node's. */
export async function startSandbox(args: string[], flags: string[] = []): Promise<Server> {
  const port = await freePort(0);
  const main = [join(ROOT, "sandbox", "dist", "main.js"), "--port", String(port), ...args];
  return started(port, main, flags, {}, { path: "/api/system-info", withinMs: FILLED_MS });
}

interface Health {
  path: string;
  withinMs: number;
}
async function started(
  port: number,
  main: string | string[],
  flags: string[],
  env: Record<string, string>,
  health: Health = { path: "/health/ready", withinMs: READY_MS },
): Promise<Server> {
  const origin = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = startChild([...flags, "--import", built("./probe.js"), ...[main].flat()], {
    PORT: String(port),
    ...env,
  });
  await ready(`${origin}${health.path}`, health.withinMs);
  return { origin, child, readyMs: performance.now() - startedAt, startedAt };
}

/** Starts a server with only the gateway's door; see `doors.ts` for `mode`. */
export async function startDoor(
  mode: string,
  folder: string,
  fakes: Fakes,
  env: Record<string, string> = {},
): Promise<Server> {
  const port = await freePort(0);
  return started(port, built("./doors.js"), [], { ...env, MODE: mode, FOLDER: folder, FAKES: fakes.origin });
}

async function ready(url: string, withinMs: number): Promise<void> {
  const until = Date.now() + withinMs;
  while (Date.now() < until) {
    const answered = await fetch(url).catch(() => undefined);
    if (answered?.ok) return;
    await pause(20);
  }
  throw new Error("the server did not become ready");
}

const SLOW_DISK = join(ROOT, "tools", "bench", "slow-disk.c");

/** Environment that makes every sync of a process take `syncMs` longer. */
export function slowDisk(folder: string, syncMs: number): Record<string, string> {
  const library = join(folder, "slow-disk.so");
  const built = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SLOW_DISK, "-ldl"]);
  if (built.status !== 0) throw new Error(`a slow disk needs a C compiler: ${built.stderr ?? built.error}`);
  return { LD_PRELOAD: library, SYNC_MS: String(syncMs) };
}

/** Pauses delivery for all accounts, to measure acceptance alone. */
export function restForever(folder: string): void {
  const db = new Sqlite(join(folder, "gangway.db"));
  db.prepare("UPDATE account SET rest_until = ?").run(Date.now() + 3_600_000);
  db.close();
}
