import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { serve } from "@hono/node-server";
import { agentAt } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { startServer } from "gangway-sandbox/demo/server";
import { expect, it, onTestFinished } from "vitest";
import { SANDBOX_KEY } from "../../sandbox/src/crm/rights.ts";
import { contractJudge, type Judge } from "../../sandbox/src/judge.ts";
import { freePort } from "../../sandbox/src/ports.ts";
import { createSandbox, type Sandbox } from "../../sandbox/src/sandbox.ts";
import { serveSandbox } from "../../sandbox/src/serve.ts";
import { recordOutput } from "../support/canaries.ts";
import { databaseEnv } from "../support/engine.ts";
import { CODE, setUpFormer } from "../support/former.ts";
import { FORMER_TABLES, type FormerRow, fillFormer } from "../support/former-database.ts";
import { builtGangway, gangwayProcess, KEYS } from "../support/gangway.ts";
import { putNewDatabase } from "../support/new-database.ts";
import { command, temporaryDatabase } from "../support/postgres.ts";
import { rowsOf } from "../support/rows.ts";
import { temporaryFolder } from "../support/store.ts";
import { SETTINGS } from "../support/unknowns.ts";
import { until } from "../support/until.ts";

const ACCOUNTS = 500;
/** Of each fate but `well`. */
const EACH = ACCOUNTS / 100;
/** Of two fates: an account with a bot that cannot move stays whole. */
const REFUSED = 2 * EACH;
/** How many accounts are done when a command is killed. */
const KILLED_AFTER = 60;
const FORMER = "mg-transport-telegram";

type Fate = "well" | "wrong-key" | "off" | "dead-token" | "overflow" | "no-bot";
const FATES: Record<number, Fate> = { 7: "wrong-key", 13: "off", 21: "dead-token", 33: "overflow", 55: "no-bot" };
const fateOf = (n: number): Fate => FATES[n % 100] ?? "well";

/** The former module, as far as customers' messages go: it posts them to the gateway. */
async function oldModule() {
  const targets = new Map<string, { gateway: string; token: string; channel: string }>();
  const server = createServer(async (request, response) => {
    const update = (await json(request)) as { message?: { message_id: number; text: string; chat: { id: number } } };
    const to = targets.get(request.url?.replace("/telegram/", "") ?? "");
    const { message } = update;
    if (to && message) {
      const { gateway, token, channel } = to;
      await fetch(`${gateway}/api/transport/v1/messages`, {
        method: "POST",
        headers: { "x-transport-token": token, "content-type": "application/json" },
        body: JSON.stringify({
          ...{ channel: Number(channel), external_chat_id: String(message.chat.id), originator: "customer" },
          customer: { external_id: String(message.chat.id), nickname: "Robin" },
          message: { external_id: String(message.message_id), type: "text", text: message.text },
        }),
      });
    }
    response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
}

/** CRMs whose agents write; the others have no sockets. */
const WITH_AGENTS = 2;

async function withAgents(moduleUrl: string) {
  const running = await serveSandbox({ port: 0, moduleUrl, settings: SETTINGS });
  onTestFinished(running.close);
  return running;
}

async function alone(moduleUrl: string, judge: Judge) {
  const at = { origin: "" };
  const sandbox = createSandbox({ origin: () => at.origin, moduleUrl, settings: SETTINGS, judge });
  const port = await new Promise<number>((resolve) => {
    const server = serve({ fetch: sandbox.fetch, port: 0, hostname: "127.0.0.1" }, (info) => resolve(info.port));
    onTestFinished(() => {
      sandbox.stop();
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
    });
  });
  at.origin = `http://127.0.0.1:${port}`;
  return { origin: at.origin, sandbox };
}

/** A CRM for each account; the first has Telegram beside it. */
async function crms(count: number, moduleUrl: string) {
  const judge = contractJudge();
  const all: { origin: string; sandbox: Sandbox; writes: () => number }[] = [];
  for (let n = 0; n < count; n++) {
    const { origin, sandbox } = n < WITH_AGENTS ? await withAgents(moduleUrl) : await alone(moduleUrl, judge);
    let writes = 0;
    sandbox.observe(({ method }) => {
      if (method !== "GET") writes += 1;
    });
    all.push({ origin, sandbox, writes: () => writes });
  }
  return all;
}

/** Everything outside that an import changes. */
const outside = (shops: Awaited<ReturnType<typeof crms>>) =>
  structuredClone({
    shops: shops.map(({ sandbox: { world } }) => ({
      module: { ...world.modules.get(CODE)?.registration, active: undefined },
      active: world.modules.get(CODE)?.active,
      channels: [...world.channels.values()].map(({ id, name, settings, active }) => ({ id, name, settings, active })),
    })),
    bots: [...(shops[0]?.sandbox.telegram.world.bots.values() ?? [])].map(({ id, queue, commands }) => ({
      ...{ id, webhook: queue.webhook, allowed: queue.allowed, commands: [...commands] },
    })),
  });

it("500 accounts move in, through a kill; again nothing changes; they are given back, through a kill", async () => {
  const port = await freePort(0);
  const publicUrl = `http://127.0.0.1:${port}`;
  const shops = await crms(ACCOUNTS, publicUrl);
  const [first] = shops;
  if (!first) throw new Error("there is no CRM");
  const telegram = `${first.origin}/telegram`;
  const phones = phonesAt(telegram);
  const old = await oldModule();
  const ask = (url: string, init?: RequestInit) =>
    fetch(url, { ...init, headers: { ...init?.headers, connection: "close" } });
  const rows: FormerRow[] = [];
  for (const [n, { origin, sandbox }] of shops.entries()) {
    const fate = fateOf(n);
    const card = fate === "no-bot" ? undefined : await phones.newBot(`shop_${n}_bot`, `Shop ${n}`);
    const bots = card ? [{ token: card.token, name: `@${card.username}` }] : [];
    const clientId = n.toString(16).padStart(64, "0");
    const made = await setUpFormer(ask, { clientId, crm: origin, bots, telegram, base: old.base });
    const [channel = ""] = made.channels;
    if (card) old.targets.set(card.token, { gateway: made.gateway, token: made.mgToken, channel });
    if (fate === "off") Object.assign(sandbox.world.modules.get(CODE) ?? {}, { active: false });
    rows.push({
      ...{ clientId, apiUrl: origin, mgUrl: made.gateway, mgToken: made.mgToken, active: fate !== "off" },
      apiKey: fate === "wrong-key" ? "revoked" : SANDBOX_KEY,
      bots: bots.map(({ token, name }) => ({
        token: fate === "dead-token" ? `${9_000_000_000 + n}:${"D".repeat(35)}` : token,
        channel: fate === "overflow" ? "9223372036854775808" : channel,
        ...{ name, lang: "ru" },
      })),
    });
  }
  const from = await temporaryDatabase();
  await command(from, FORMER_TABLES);
  await fillFormer(from, rows);
  const source = async () => [
    await command(from, "SELECT * FROM connection"),
    await command(from, "SELECT * FROM bot"),
  ];
  const sourceBefore = await source();

  const folder = temporaryFolder();
  putNewDatabase(folder);
  const settings = { PUBLIC_URL: publicUrl, MODULE_CODE: CODE, TELEGRAM_API_URL: telegram };
  const env = { PATH: process.env.PATH ?? "", SECRET_KEYS: KEYS.test, ...settings, ...(await databaseEnv(folder)) };
  const server = await startServer({ port, dataFolder: folder, env });
  recordOutput(folder, server.lines);
  onTestFinished(() => server.kill("SIGKILL"));
  const run = (...args: string[]) => builtGangway(folder, ["import", FORMER, ...args, "--json"], settings);
  const killedAfter = async (done: number, args: string[]) => {
    const child = gangwayProcess(folder, ["import", FORMER, ...args], { ...settings, ...(await databaseEnv(folder)) });
    let said = "";
    child.stderr.on("data", (bytes) => {
      said += bytes;
      if (said.includes(`${done} of `)) child.kill("SIGKILL");
    });
    const [, signal] = await once(child, "exit");
    expect(signal, said).toBe("SIGKILL");
  };
  const reasonsOf = (answer: Awaited<ReturnType<typeof run>>) => {
    const { accounts } = answer.json() as unknown as {
      accounts: { crm: string; why?: string; logins: { why?: string }[] }[];
    };
    return accounts.flatMap(({ crm, why, logins }) =>
      [why, ...logins.map((login) => login.why)].flatMap((words) => (words === undefined ? [] : [`${crm}: ${words}`])),
    );
  };
  const outcomes = (answer: Awaited<ReturnType<typeof run>>) => {
    const { accounts } = answer.json() as unknown as { accounts: { outcome: string; logins: { outcome: string }[] }[] };
    const count = (all: string[]) =>
      Object.fromEntries([...Map.groupBy(all, (one) => one)].map(([k, v]) => [k, v.length]));
    return {
      accounts: count(accounts.map(({ outcome }) => outcome)),
      logins: count(accounts.flatMap(({ logins }) => logins.map(({ outcome }) => outcome))),
    };
  };

  // A dialog from before.
  const robin = await phones.newPerson({ firstName: "Robin" });
  const merle = await phones.newPerson({ firstName: "Merle" });
  const bots = await phones.bots();
  const botOf = (n: number) => bots.find(({ username }) => username === `shop_${n}_bot`)?.id ?? 0;
  const textsIn = (n: number) => {
    const { chats, messages } = (shops[n] ?? first).sandbox.world;
    return [...chats.values()].map(({ id, externalId, dialogs }) => [
      ...[externalId, [...messages.values()].filter(({ chatId }) => chatId === id).length, dialogs.length],
    ]);
  };
  await phones.say(robin.id, botOf(0), { text: "Do you have rope?" });
  await phones.say(merle.id, botOf(1), { text: "Do you have sails?" });
  await until("the former module to post both", () => textsIn(0).length === 1 && textsIn(1).length === 1);

  const before = outside(shops);
  const dry = await run("--from", from, "--dry-run");
  expect(outcomes(dry).accounts).toEqual({ imported: ACCOUNTS - REFUSED, refused: REFUSED });
  expect(outside(shops)).toEqual(before);
  expect(rowsOf(folder, ["account", "channel", "audit"])).toEqual({ account: [], channel: [], audit: [] });

  await killedAfter(KILLED_AFTER, ["--from", from]);
  const started = Date.now();
  const imported = await run("--from", from);
  process.stdout.write(`the import took ${Math.round((Date.now() - started) / 1000)} s\n`);
  expect(imported.code).toBe(1);
  expect(outcomes(imported).logins, reasonsOf(imported).join("\n")).toEqual({
    ...{ imported: expect.any(Number), "already here": expect.any(Number), stopped: EACH, refused: EACH },
  });
  const secrets = [
    SANDBOX_KEY,
    ...rows.flatMap((row) => [row.clientId, row.mgToken, ...row.bots.map(({ token }) => token)]),
  ];
  for (const secret of secrets) expect(imported.out + imported.err + dry.out + dry.err).not.toContain(secret);
  const after = outside(shops);
  for (const [n, shop] of after.shops.entries()) {
    const fate = fateOf(n);
    expect(shop.channels.map(({ id }) => id)).toEqual(before.shops[n]?.channels.map(({ id }) => id));
    expect(shop.active, fate).toBe(fate !== "off");
    const { webhookUrl } = shop.module.integrations?.mgTransport ?? {};
    expect(webhookUrl?.startsWith(publicUrl), fate).toBe(fate !== "wrong-key" && fate !== "overflow");
    const bot = after.bots.find(({ id }) => id === botOf(n));
    if (bot) expect(bot.webhook?.url.startsWith(publicUrl), fate).toBe(fate === "well" || fate === "off");
  }

  const TABLES = ["account", "channel", "note", "audit"];
  await until("the server to have settled", async () => {
    const one = JSON.stringify(rowsOf(folder, TABLES));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return one === JSON.stringify(rowsOf(folder, TABLES));
  });
  const [stored, writes] = [rowsOf(folder, TABLES), shops.map((shop) => shop.writes())];
  const again = await run("--from", from);
  expect(outcomes(again)).toEqual({
    accounts: { "already here": ACCOUNTS - REFUSED, refused: REFUSED },
    logins: { "already here": ACCOUNTS - 4 * EACH, stopped: EACH, refused: EACH },
  });
  expect(rowsOf(folder, TABLES)).toEqual(stored);
  expect(outside(shops)).toEqual(after);
  expect(shops.map((shop) => shop.writes())).toEqual(writes);

  // The next message lands in the same dialog; an agent may answer one that nobody has continued yet.
  await phones.say(robin.id, botOf(0), { text: "And blue rope?" });
  await until("the message in its dialog", () => textsIn(0)[0]?.[1] === 2);
  expect(textsIn(0)).toEqual([[String(robin.id), 2, 1]]);
  const agent = agentAt(shops[1]?.origin ?? "");
  const [{ id: chat = 0 } = {}] = await agent.chats();
  await agent.say(chat, { text: "Yes, two" });
  await until("the answer on the phone", async () =>
    (await phones.messages(merle.id, botOf(1))).some(({ text }) => text === "Yes, two"),
  );
  expect(textsIn(1).length).toBe(1);

  await killedAfter(KILLED_AFTER, ["--undo"]);
  const undone = await run("--undo");
  expect(undone.code, undone.out).toBe(0);
  expect(outside(shops)).toEqual(before);
  expect(rowsOf(folder, ["account", "channel"])).toEqual({ account: [], channel: [] });
  expect((await run("--undo")).json()).toMatchObject({ ok: true, accounts: [] });
  await phones.say(robin.id, botOf(0), { text: "And red rope?" });
  await until("the former module to post it", () => textsIn(0)[0]?.[1] === 3);
  expect(textsIn(0)).toEqual([[String(robin.id), 3, 1]]);
  expect(await source()).toEqual(sourceBefore);
  for (const { sandbox } of shops) expect(sandbox.calls.totals().faults).toBe(0);
}, 1_800_000);
