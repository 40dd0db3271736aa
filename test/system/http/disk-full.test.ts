import { sql } from "drizzle-orm";
import { systemClock } from "gangway-messenger/clock";
import webchat from "gangway-webchat";
import { Hono } from "hono";
import { expect, it, onTestFinished } from "vitest";
import type { Channel } from "../../../src/domain/channel.ts";
import { type Bounds, DEFAULT_BOUNDS } from "../../../src/domain/delivery.ts";
import { messengerDoor } from "../../../src/http/doors/doors.ts";
import { createRateLimit } from "../../../src/http/doors/rate-limit.ts";
import type { Env } from "../../../src/http/serving/request.ts";
import { openStore } from "../../../src/store/open.ts";
import { createSealer } from "../../../src/store/secrets.ts";
import { openDatabase } from "../../../src/store/sqlite/database/db.ts";
import { outbox } from "../../../src/store/sqlite/outbox/outbox.ts";
import { type Disk, tinyDisk } from "../../support/disk.ts";
import { customerSays } from "../../support/events.ts";
import { silentLog } from "../../support/log.ts";
import { addAccount, addChannel, KEY_RING, temporaryFolder } from "../../support/store.ts";

const BOUNDS: Bounds = { ...DEFAULT_BOUNDS, diskFloor: 0 };

/** Posts messages to the messenger's door, eight at a time, and records which were accepted. */
function door(channel: Channel, accept: (id: string) => Promise<unknown>) {
  const receive = async (request: Request) => ({
    events: [customerSays(await request.text(), "x".repeat(2_000))],
    reply: new Response("taken"),
  });
  const site = new Hono<Env>().all(
    "/m/:door",
    messengerDoor({
      sessions: { byDoor: async () => ({ channel, adapter: webchat, session: { receive } }) } as never,
      acceptInbound: async (_channel, { events }) => void (await accept((events[0] as { key: string }).key)),
      keepRaw: false,
      forward: async () => {},
      doorAnswered() {},
      guesses: createRateLimit(10, systemClock),
      addressOf: () => "127.0.0.1",
      clock: systemClock,
      log: silentLog,
    }),
  );
  let last = 0;
  const taken: string[] = [];
  const statuses = new Set<number>();
  const send = async () => {
    last += 1;
    const id = `m${last}`;
    const { status } = await site.request("/m/door", { method: "POST", body: id });
    statuses.add(status);
    if (status === 200) taken.push(id);
    return status;
  };
  const batch = () => Promise.all(Array.from({ length: 8 }, send));
  return { batch, taken, statuses };
}

async function survives(
  disk: Disk,
  open: () => Promise<{ channel: Channel; accept(id: string): Promise<unknown>; kept(): string[] }>,
) {
  const { channel, accept, kept } = await open();
  const { batch, taken, statuses } = door(channel, accept);
  disk.fill();
  let refused = 0;
  for (let n = 0; n < 500 && refused < 40; n++) refused += (await batch()).filter((status) => status !== 200).length;
  expect(refused).toBeGreaterThanOrEqual(40);
  expect([...statuses].sort()).toEqual([200, 503]);
  expect(taken.length).toBeGreaterThan(8);
  expect(taken.filter((id) => !kept().includes(id))).toEqual([]);
  disk.free();
  for (let n = 0; n < 5; n++) expect(new Set(await batch())).toEqual(new Set([200]));
  expect(taken.filter((id) => !kept().includes(id))).toEqual([]);
}

async function firstOpen(folder: string) {
  const store = await openStore({ folder, keyRing: KEY_RING, clock: systemClock, bounds: BOUNDS });
  const channel = await addChannel(store, await addAccount(store));
  store.close();
  const db = openDatabase(folder, { bounds: BOUNDS, sealer: createSealer(KEY_RING) });
  onTestFinished(db.close);
  const { acceptInbound } = outbox(db, createSealer(KEY_RING), systemClock);
  const accept = (id: string) => acceptInbound(channel, { events: [customerSays(id, "x".repeat(2_000))] });
  const kept = () => db.orm.all<{ id: string }>(sql`SELECT dedupe_key AS id FROM message`).map(({ id }) => id);
  return { db, channel, accept, kept };
}

it("a full disk causes 503s but loses no accepted message, and recovers without a restart", async () => {
  const disk = tinyDisk(3);
  // Without permission to mount, the test below covers this.
  if (disk) await survives({ ...disk, fill: () => disk.fill(1_000_000) }, () => firstOpen(disk.folder));
});

it("so does a database that cannot grow", async () => {
  const folder = temporaryFolder();
  let limit = (_pages: number) => {};
  await survives({ folder, fill: () => limit(300), free: () => limit(100_000) }, async () => {
    const opened = await firstOpen(folder);
    limit = (pages) => void opened.db.orm.get(sql.raw(`PRAGMA max_page_count = ${pages}`));
    return opened;
  });
});
