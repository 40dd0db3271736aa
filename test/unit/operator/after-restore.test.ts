import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { expect, it } from "vitest";
import { openPostgres } from "../../../src/store/postgres/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { handClock } from "../../support/clock.ts";
import { postgresStore } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { gangway } from "../../support/gangway.ts";
import { command, databaseWithTables, temporaryDatabase } from "../../support/postgres.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, KEY_RING, takeLease, temporaryFolder } from "../../support/store.ts";

/** A database with messages that wait, and one that was being sent, as its backup has them. */
async function backedUp() {
  const url = await databaseWithTables();
  const store = await openPostgres({ url, keyRing: KEY_RING, clock: handClock() });
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  for (const id of ["1", "2", "3"])
    await store.outbox.acceptOutbound(channel, { key: `sent:${id}`, act: agentSays(id), patienceMs: 60_000 });
  const reaction = {
    type: "reaction",
    chat: "chat-2" as ChatId,
    messengerMessageId: "m" as MessengerMessageId,
  } as const;
  await store.outbox.acceptOutbound(channel, { key: "r", act: { ...reaction, reaction: "👍" }, patienceMs: 60_000 });
  const lease = await takeLease(store, account.id);
  expect(await store.outbox.claim(lease, roomFor(1))).toHaveLength(1);
  await store.outbox.acceptInbound(channel, { events: [customerSays("from the customer")] });
  await store.close();
  const restored = await temporaryDatabase(`TEMPLATE ${new URL(url.replace("@/", "@x/")).pathname.slice(1)}`);
  const folder = temporaryFolder();
  const run = (...args: string[]) => gangway(folder, args, { DATABASE_URL: restored });
  const leave = () => command(restored, "UPDATE member SET expires_at = 0");
  return { url: restored, account, run, leave };
}

/** What a server that starts now has to send. */
async function toSend(store: Store, accountId: Parameters<typeof takeLease>[1]) {
  const lease = await takeLease(store, accountId, "next");
  const jobs = [...(await store.outbox.takeOver(lease)), ...(await store.outbox.claim(lease, roomFor(10)))];
  return jobs.map(({ direction }) => direction).sort();
}

it("gangway after-restore holds messages that may have been sent since the backup, once, and beside no server; a reaction has failed", async () => {
  const { url, account, run, leave } = await backedUp();
  const beside = await run("after-restore");
  expect([beside.code, beside.err]).toEqual([1, expect.stringContaining("a Gangway runs on the PostgreSQL database")]);
  await leave();
  const ran = await run("after-restore", "--json");
  expect(ran.json()).toMatchObject({ ok: true, held: 3, todo: [] });
  expect((await run("after-restore", "--json")).json()).toMatchObject({ ok: true, held: 0 });
  const store = await postgresStore(url);
  const held = await store.dead.list({ state: "held", limit: 10 });
  expect(held.map(({ error }) => error)).toEqual(
    Array(3).fill("restored from a backup: it may have been delivered since"),
  );
  expect(await toSend(store, account.id)).toEqual(["inbound"]);
  expect((await store.audit.list({ limit: 9 })).map(({ action }) => action)).toContain("backup restored");
  expect(await store.ledger(account.id)).toMatchObject([{ waiting: 4, held: 3, refused: 1, hole: 0 }]);
});

it("gangway after-restore sends what waited when told so, and reports what is wrong with the content", async () => {
  const { url, account, run, leave } = await backedUp();
  await leave();
  await command(url, "UPDATE tally SET accepted = accepted + 1");
  const ran = await run("after-restore", "--resend");
  expect(ran.code).toBe(1);
  expect(ran.out).toContain("1 event is missing");
  expect(ran.out).toContain("The restored database has 1 problem");
  const store = await postgresStore(url);
  expect(await toSend(store, account.id)).toEqual(["inbound", "outbound", "outbound"]);
});

it("gangway after-restore refuses an empty database, other keys, and SQLite", async () => {
  const { url, leave } = await backedUp();
  await leave();
  const folder = temporaryFolder();
  const empty = await gangway(folder, ["after-restore"], { DATABASE_URL: await temporaryDatabase() });
  expect([empty.code, empty.err]).toEqual([1, expect.stringContaining("restore the backup into it first")]);
  const keys = { SECRET_KEYS: `other:${Buffer.alloc(32, 9).toString("base64")}` };
  const lacking = await gangway(folder, ["after-restore"], { DATABASE_URL: url, ...keys });
  expect([lacking.code, lacking.err]).toEqual([1, expect.stringContaining("SECRET_KEYS does not fit this database")]);
  expect(await command(url, "SELECT state FROM message WHERE state = 'held'")).toEqual([]);
  const sqlite = await gangway(folder, ["after-restore"]);
  expect([sqlite.code, sqlite.out]).toEqual([1, expect.stringContaining("on SQLite, gangway restore does this")]);
});
