import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../sandbox/src/ports.ts";
import { databaseEnv, onPostgres, readRows, writeRows } from "../support/engine.ts";
import { KEYS } from "../support/gangway.ts";
import { command } from "../support/postgres.ts";
import { seeded } from "../support/random.ts";
import { addAccount, addChannel, storeIn, temporaryFolder } from "../support/store.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const MAIN = join(ROOT, "dist", "main.js");
const RECEIVER = join(ROOT, "test", "support", "event-receiver.ts");
const KILLS = 6;
/** Of pauses only: what is told does not depend on it. */
const random = seeded(17);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A program that is killed and started again. */
function program(args: string[], env: Record<string, string>) {
  let child: ChildProcess | undefined;
  const start = () => {
    child = spawn(process.execPath, args, { env: { PATH: process.env.PATH ?? "", ...env }, stdio: "ignore" });
  };
  const kill = async () => {
    const ended = child && once(child, "exit");
    child?.kill("SIGKILL");
    await ended;
  };
  onTestFinished(() => void child?.kill("SIGKILL"));
  start();
  return { start, kill };
}

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );

interface Arrival {
  id: string;
  body: string;
  refused?: string;
}

/** Without the last line, which a kill may have cut. */
const arrivedIn = (file: string): Arrival[] =>
  (existsSync(file) ? readFileSync(file, "utf8") : "")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Three accounts on one database, with a channel each. */
async function threeAccounts() {
  const folder = temporaryFolder();
  const store = await storeIn(folder);
  const channels = [];
  for (const name of ["one", "two", "three"]) channels.push(await addChannel(store, await addAccount(store, name)));
  // Nobody but the test sets their trouble.
  for (const { id } of channels) await store.channels.setState(id, "paused");
  await store.vendorEvents.listen(true);
  await store.close();
  return { folder, channels };
}

/** The n-th change of a channel's trouble, by its name. On PostgreSQL commits are not in the order of the ids. */
async function plant(folder: string, id: string, n: number): Promise<void> {
  const set = `name = '${n}', trouble = ${n % 2 === 0 ? "'it fails'" : "NULL"}`;
  const { DATABASE_URL } = await databaseEnv(folder);
  const statement = `UPDATE channel SET ${set} WHERE id = '${id}'`;
  if (DATABASE_URL === undefined) await writeRows(folder, statement);
  else await command(DATABASE_URL, `BEGIN; ${statement}; SELECT pg_sleep(${random.next() / 3}); COMMIT`);
  await pause(random.next() * 700);
}

it("every event arrives, the first arrivals in order and repeats the same, however often both sides are killed", async () => {
  const { folder, channels } = await threeAccounts();
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const [receiving, file] = [await freePort(0), join(temporaryFolder(), "arrived.jsonl")];
  const events = { EVENTS_URL: `http://127.0.0.1:${receiving}/events`, EVENTS_SECRET: secret };
  const env = { SANDBOX: "1", DATA_FOLDER: folder, SECRET_KEYS: KEYS.test, LOG_LEVEL: "silent", ...events };
  const ports = await Promise.all(Array.from({ length: onPostgres ? 2 : 1 }, () => freePort(0)));
  const database = await databaseEnv(folder);
  const servers = ports.map((port) => program([MAIN], { ...env, ...database, PORT: String(port) }));
  const receiver = program([RECEIVER, String(receiving), file, secret], {});
  let isOver = false;
  const planted = new Map<string, number>();
  const killing = (each: ReturnType<typeof program>, port?: number) =>
    (async () => {
      for (let n = 0; n < KILLS; n++) {
        if (port !== undefined) await until("the server", () => isReady(port));
        await pause(200 + random.next() * 1_500);
        await each.kill();
        await pause(random.next() * 300);
        each.start();
      }
    })();
  const killed = [killing(receiver), ...servers.map((server, n) => killing(server, ports[n]))];
  const planting = channels.map(async ({ id }) => {
    for (let n = 0; !isOver; n++) {
      await plant(folder, id, n);
      planted.set(id, n + 1);
    }
  });
  await Promise.all(killed);
  // With nobody killed, too.
  await pause(3_000);
  isOver = true;
  await Promise.all(planting);
  const rows = async () => (await readRows(folder, ["vendor_event"])).vendor_event ?? [];
  const left = async () => (await rows()).filter(({ state }) => state !== "delivered").length;
  for (let before = await left(); before > 0; before = await left())
    await until("the next to be delivered", async () => (await left()) < before);
  const arrived = arrivedIn(file);
  expect(arrived.filter(({ refused }) => refused)).toEqual([]);
  const bodies = new Map<string, string>();
  for (const { id, body } of arrived) {
    expect(bodies.get(id) ?? body).toBe(body);
    bodies.set(id, body);
  }
  const ids = new Map((await rows()).map(({ uid, id }) => [uid, Number(id)]));
  const order = [...bodies.keys()].map((uid) => ids.get(uid));
  expect(order).toEqual([...ids.values()].sort((a, b) => a - b));
  expect(arrived.length, "some came again").toBeGreaterThan(order.length);
  const told = [...bodies.values()].map((body) => JSON.parse(body));
  for (const { id } of channels) {
    const own = told.filter(({ type, data }) => type.startsWith("channel.") && data.channel.id === id);
    expect(own.map(({ type, data }) => [type, data.channel.name])).toEqual(
      Array.from({ length: planted.get(id) ?? 0 }, (_, n) => [
        `channel.${n % 2 === 0 ? "troubled" : "recovered"}`,
        String(n),
      ]),
    );
  }
});
