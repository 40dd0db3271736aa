import { agentAt } from "gangway-sandbox/demo/agent";
import { startServer } from "gangway-sandbox/demo/server";
import { enterShop } from "gangway-sandbox/demo/visitor";
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { busyStore } from "../../support/busy-store.ts";
import { recordOutput } from "../../support/canaries.ts";
import { handClock } from "../../support/clock.ts";
import { runningDemo } from "../../support/demo.ts";
import { gangway, gangwayProcess } from "../../support/gangway.ts";
import { command, databaseWithTables } from "../../support/postgres.ts";
import { changeRows, type Row, rowsOf } from "../../support/rows.ts";
import { temporaryFolder } from "../../support/store.ts";
import { until } from "../../support/until.ts";

const STATES = ["carried", "dead", "done", "dropped", "held", "ready", "sending", "waiting"];

/** A folder that the built server has served, with messages in every state beside those of a conversation. */
async function servedFolder() {
  const demo = await runningDemo();
  const agent = agentAt(demo.sandbox.origin);
  const visitor = await enterShop(demo.door);
  onTestFinished(visitor.leave);
  const { id } = await visitor.upload("note.txt", "text/plain", Buffer.from("the bytes of a file"));
  await visitor.say({ text: "hello", files: [{ id }] });
  const chat = await until("the chat", async () => (await agent.chats())[0]);
  await agent.say(chat.id, { text: "good day" });
  await until("the answer", () => visitor.messages().some(({ text }) => text === "good day"));
  await demo.server.kill("SIGTERM");
  const { store, channel } = await busyStore({ folder: demo.dataFolder, clock: handClock(Date.now()) });
  await store.notes.set(channel.id, [{ key: "k", value: "v" }]);
  store.close();
  const changed = (from: string, to: string) =>
    `UPDATE message SET state = '${to}' WHERE id = (SELECT max(id) FROM message WHERE state = '${from}')`;
  changeRows(demo.dataFolder, changed("ready", "waiting"));
  changeRows(demo.dataFolder, changed("ready", "sending"));
  changeRows(demo.dataFolder, changed("done", "dropped"));
  return { ...demo, agent, visitor, chat: chat.id };
}

/** All that a move carries, in no order. */
function tablesOf(folder: string): Record<string, string[]> {
  const own = ["starts", "moved", "traces", "ping", "backup_at"];
  const rows = (name: string, all: Row[]) => (name === "meta" ? all.filter(({ key }) => !own.includes(`${key}`)) : all);
  const { __drizzle_migrations: _, sqlite_sequence: __, ...tables } = rowsOf(folder);
  const sorted = (all: Row[]) => all.map((row) => JSON.stringify(row)).sort();
  return Object.fromEntries(Object.entries(tables).map(([name, all]) => [name, sorted(rows(name, all))]));
}

/** Locks that are waited for. Other tests have databases on the same server, with tables of the same numbers. */
const WAITING =
  "FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/** Kills the built command when it comes to the notes. */
async function killedMove(folder: string, way: "--to" | "--from", url: string): Promise<void> {
  const lock = new Client({ connectionString: url });
  await lock.connect();
  onTestFinished(() => lock.end());
  await lock.query(`BEGIN; LOCK TABLE note IN ${way === "--to" ? "SHARE ROW EXCLUSIVE" : "ACCESS EXCLUSIVE"} MODE`);
  const child = gangwayProcess(folder, ["move", way, url]);
  const ended = new Promise((resolve) => child.once("close", resolve));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await until("the move at its notes", async () => {
    if (child.exitCode !== null) throw new Error(`the move has ended: ${said}`);
    return (await command(url, `SELECT 1 ${WAITING} AND relation = 'note'::regclass`)).length > 0;
  });
  child.kill("SIGKILL");
  await ended;
  await command(url, `SELECT pg_terminate_backend(pid, 5000) ${WAITING}`);
  await lock.end();
}

it("the built command moves what a server has served to PostgreSQL and back, each time through a kill", async () => {
  const { dataFolder, env, server, agent, chat, visitor } = await servedFolder();
  const before = tablesOf(dataFolder);
  const states = new Set(rowsOf(dataFolder, ["message"]).message?.map(({ state }) => state));
  expect([...states].sort()).toEqual(STATES);
  const url = await databaseWithTables();
  await killedMove(dataFolder, "--to", url);
  expect(await command(url, "SELECT count(*)::int AS n FROM account_lease")).toEqual([{ n: 2 }]);
  const there = await gangway(dataFolder, ["move", "--to", url]);
  expect([there.err, there.code]).toEqual(["", 0]);
  const back = temporaryFolder();
  await killedMove(back, "--from", url);
  const returned = await gangway(back, ["move", "--from", url]);
  expect([returned.err, returned.code]).toEqual(["", 0]);
  expect(tablesOf(back)).toEqual(before);
  const again = await startServer({ port: Number(new URL(server.origin).port), dataFolder: back, env });
  onTestFinished(() => again.kill("SIGKILL"));
  recordOutput(back, again.lines);
  await visitor.say({ text: "still there?" });
  await until("what was said", async () => (await agent.messages(chat)).some(({ text }) => text === "still there?"));
});
