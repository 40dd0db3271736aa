import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { telegram } from "#product/channels/telegram/index";
import { readConfig } from "#product/config";
import type { Account } from "#product/domain/account";
import { systemClock } from "#product/domain/clock";
import { type GatewayChannelId, newSecret } from "#product/domain/ids";
import { announcement } from "#product/gateway/translate";
import { openStore } from "#product/store/open";
import type { Store } from "#product/store/store";
import { ROOT } from "../root.ts";
import { pause } from "../waiting.ts";
import { built, type Child, freePort, startChild } from "./child.ts";
import { chatOf, type Target } from "./webhooks.ts";

export interface Fakes {
  origin: string;
  child: Child;
}
export interface Server {
  origin: string;
  child: Child;
  /** From the start of the process until it said that it is ready, ms. */
  readyMs: number;
  startedAt: number;
}
/** What every process has known for a while: the same people in each account. */
export interface Crowd {
  accounts: number;
  /** Of each account. */
  channels: number;
  chats: number;
}

const READY_MS = 60_000;
const OWN = join(ROOT, "dist", "main.js");

/** Where the data lies: a disk that keeps what is synced, not memory, where nothing else is asked for. */
export function freshFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "gangway-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function startFakes(): Promise<Fakes> {
  const port = await freePort();
  const child = startChild([built("./fakes.js")], { PORT: String(port) });
  await child.ask("forget");
  return { origin: `http://127.0.0.1:${port}`, child };
}

export const startLoad = (): Child => startChild([built("./load.js")]);

export const open = (folder: string): Promise<Store> =>
  openStore({ folder, keyRing: readConfig({ SANDBOX: "1" }).keyRing, clock: systemClock });

/** Fills an empty data folder with accounts that have long been connected. */
export async function seed(folder: string, fakes: Fakes, publicUrl: string, crowd: Crowd): Promise<Target[]> {
  const store = await open(folder);
  const numbers = Array.from({ length: crowd.accounts }, (_, n) => n);
  const targets = (await Promise.all(numbers.map((n) => seedAccount(store, fakes, n, crowd.channels)))).flat();
  store.close();
  greet(folder, crowd.chats);
  const doors = targets.map(({ bot, door }) => [bot, `${publicUrl}/m/${door}`]);
  await fakes.child.ask("set", { doors: Object.fromEntries(doors) });
  return targets;
}

async function seedAccount(store: Store, fakes: Fakes, n: number, channels: number): Promise<Target[]> {
  const account = await store.accounts.bind({
    crmUrl: `http://127.0.0.1:9/${n}`,
    apiKey: newSecret(),
    clientId: newSecret(),
    webhookSecret: newSecret(),
    gatewayUrl: `${fakes.origin}/gateway`,
    gatewayToken: newSecret(),
  });
  const numbers = Array.from({ length: channels }, (_, c) => n * channels + c + 1);
  return Promise.all(numbers.map((number) => seedChannel(store, account, number)));
}

async function seedChannel(store: Store, account: Account, number: number): Promise<Target> {
  const bot = String(1_000_000_000 + number);
  const settings = telegram.settings.parse({ token: `${bot}:${newSecret().slice(0, 35)}` });
  const channel = await store.channels.add(account.id, { kind: "telegram", name: `Bot ${number}`, settings });
  const announced = announcement(channel.name, telegram.features(settings));
  await store.channels.setGateway(channel.id, { id: String(number) as GatewayChannelId, announced });
  const { webhookSecret, clientId } = account;
  const hookSecret = (settings as { webhookSecret: string }).webhookSecret;
  return { webhookSecret, clientId, gatewayChannelId: String(number), door: channel.door, hookSecret, bot };
}

/** Everybody has written before, so that they may be answered, and nobody's picture has to be asked for. */
function greet(folder: string, chats: number): void {
  const db = new Sqlite(join(folder, "gangway.db"));
  const note = db.prepare("INSERT INTO note SELECT id, ?, ?, 0 FROM channel");
  const message = db.prepare(`INSERT INTO message
    (channel_id, direction, chat, gateway_chat, messenger_message_id, part, created_at)
    SELECT id, 'inbound', @chat, @chat, 'greeting:' || @chat, 0, 0 FROM channel`);
  db.transaction(() => {
    for (let n = 0; n < chats; n++) {
      note.run(`avatar:${chatOf(n)}`, JSON.stringify({ at: Date.now() }));
      message.run({ chat: String(chatOf(n)) });
    }
  })();
  db.close();
}

/** The heap that Node gives itself on a machine of 2 GiB: with much memory it collects late, and memory tells nothing. */
const SMALL_MACHINE = ["--max-old-space-size=512"];

/** The same as on a small machine. */
export const startSmall = (folder: string, fakes: Fakes, port: number): Promise<Server> =>
  startServer(folder, fakes, port, OWN, SMALL_MACHINE);

/** The built server as its users start it, with a probe beside it. */
export async function startServer(
  folder: string,
  fakes: Fakes,
  port: number,
  main = OWN,
  flags: string[] = [],
): Promise<Server> {
  const origin = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = startChild([...flags, "--import", built("./probe.js"), main], {
    SANDBOX: "1",
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: origin,
    DATA_FOLDER: folder,
    TELEGRAM_API_URL: `${fakes.origin}/telegram`,
  });
  await ready(origin);
  return { origin, child, readyMs: performance.now() - startedAt, startedAt };
}

/** A server that only has the gateway's door; `keeping` as `doors.ts` tells, `env` beside it. */
export async function startDoor(
  keeping: string,
  folder: string,
  fakes: Fakes,
  env: Record<string, string> = {},
): Promise<Server> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = startChild(["--import", built("./probe.js"), built("./doors.js")], {
    PORT: String(port),
    ...env,
    KEEPING: keeping,
    FOLDER: folder,
    FAKES: fakes.origin,
  });
  await ready(origin);
  return { origin, child, readyMs: performance.now() - startedAt, startedAt };
}

async function ready(origin: string): Promise<void> {
  const until = Date.now() + READY_MS;
  while (Date.now() < until) {
    const answered = await fetch(`${origin}/health/ready`).catch(() => undefined);
    if (answered?.ok) return;
    await pause(20);
  }
  throw new Error("the server did not become ready");
}

const SLOW_DISK = join(ROOT, "tools", "bench", "slow-disk.c");

/** What makes every sync of a process take so much longer, ms. */
export function slowDisk(folder: string, syncMs: number): Record<string, string> {
  const library = join(folder, "slow-disk.so");
  const built = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SLOW_DISK, "-ldl"]);
  if (built.status !== 0) throw new Error(`a slow disk needs a C compiler: ${built.stderr ?? built.error}`);
  return { LD_PRELOAD: library, SYNC_MS: String(syncMs) };
}

/** Nothing of the accounts is delivered until they are woken: what is measured is the taking alone. */
export function restForever(folder: string): void {
  const db = new Sqlite(join(folder, "gangway.db"));
  db.prepare("UPDATE account SET rest_until = ?").run(Date.now() + 3_600_000);
  db.close();
}
