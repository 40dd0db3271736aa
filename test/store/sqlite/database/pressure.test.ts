import { statfsSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { ChannelId, GatewayMessageId, JobId } from "../../../../src/domain/ids.ts";
import { type Bounds, DEFAULT_BOUNDS, Overload } from "../../../../src/domain/overload.ts";
import { openStore } from "../../../../src/store/open.ts";
import { openDatabase } from "../../../../src/store/sqlite/database/db.ts";
import type { Store } from "../../../../src/store/store.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { rowsOf } from "../../../support/rows.ts";
import {
  addAccount,
  addChannel,
  diskOf,
  KEY_RING,
  oneChannel,
  takeLease,
  temporaryFolder,
} from "../../../support/store.ts";

const dead = { state: "dead" as const, code: "general" as const };

async function setUp(bounds: Partial<Bounds>) {
  const { clock, folder, store, account, channel } = await oneChannel({ bounds });
  const lease = await takeLease(store, account.id, "test");
  const claim = (most = 50) => store.outbox.claim(lease, roomFor(most));
  const say = (id: string, chat = id) => store.outbox.acceptInbound(channel, { events: [customerSays(id, id, chat)] });
  const answer = (id: string, chat = id) =>
    store.outbox.acceptOutbound(channel, { key: `sent:${id}`, act: agentSays(id, id, chat), patienceMs: 1_000 });
  return { clock, folder, store, account, channel, claim, say, answer };
}
const boundOf = (accepting: Promise<unknown>) =>
  accepting.then(
    () => "taken",
    (error: unknown) => (error instanceof Overload ? error.bound : String(error)),
  );
async function rows(folder: string, store: Store) {
  await store.ping();
  return Object.values(rowsOf(folder, ["message", "chat", "journal"])).map(({ length }) => length);
}

describe("the bounds", () => {
  it("refuse an account at its limit in both directions, store nothing of it, and accept other accounts", async () => {
    const { folder, store, say, answer } = await setUp({ perAccount: 4 });
    const other = await addChannel(store, await addAccount(store, "other"));
    for (const id of ["a", "b", "c"]) await say(id);
    expect(await boundOf(answer("1"))).toBe("taken");
    const before = await rows(folder, store);
    expect(await boundOf(say("d"))).toBe("account");
    expect(await boundOf(answer("2"))).toBe("account");
    expect(await rows(folder, store)).toEqual(before);
    expect(await boundOf(store.outbox.acceptInbound(other, { events: [customerSays("x")] }))).toBe("taken");
  });

  it("give agents and customers separate shares", async () => {
    const { say, answer } = await setUp({ perAccount: 8 });
    const taken = async (accept: (id: string) => Promise<unknown>, name: string) => {
      for (let n = 0; n < 20; n++) if ((await boundOf(accept(`${name}${n}`))) !== "taken") return n;
      return 20;
    };
    expect([await taken(say, "m"), await taken(answer, "a")]).toEqual([5, 2]);
  });

  it("leave every channel room while one or two others are flooded", async () => {
    const { store, account, channel } = await setUp({ perAccount: 400 });
    const [second, third] = [await addChannel(store, account), await addChannel(store, account)];
    const flood = async (to: typeof channel) => {
      for (let n = 0; ; n++) {
        const bound = await boundOf(
          store.outbox.acceptInbound(to, { events: [customerSays(`${n}`, "x", `chat-${n}`)] }),
        );
        if (bound !== "taken") return [n, bound];
      }
    };
    // Of 300: four fifths, then four fifths of the remaining 60, and so on; some room is always left.
    expect(await flood(channel)).toEqual([240, "channel"]);
    expect(await flood(second)).toEqual([48, "channel"]);
    expect((await flood(third))[0]).toBeGreaterThan(5);
  });

  it("hold within one event-loop tick, too", async () => {
    const { say } = await setUp({ perAccount: 8 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => boundOf(say(`m${n}`))));
    expect(answers.filter((answer) => answer === "taken")).toHaveLength(5);
  });

  it("refuse agents' messages to a long chat only, and never a customer's", async () => {
    const { say, answer } = await setUp({ perLane: 2 });
    for (const id of ["a", "b", "c"]) expect(await boundOf(say(id, "long"))).toBe("taken");
    for (const id of ["1", "2"]) await answer(id, "long");
    expect(await boundOf(answer("3", "long"))).toBe("lane");
    expect(await boundOf(answer("4", "short"))).toBe("taken");
  });

  it("refuse everybody when the process is full", async () => {
    const { store, say } = await setUp({ all: 2 });
    const other = await addChannel(store, await addAccount(store, "other"));
    for (const id of ["a", "b"]) await say(id);
    expect(await boundOf(store.outbox.acceptInbound(other, { events: [customerSays("x")] }))).toBe("process");
  });

  it("never refuse acks, outcomes or resends, and free room however a job ends", async () => {
    const { store, account, claim, say, answer } = await setUp({ perAccount: 2 });
    await answer("1");
    expect(await boundOf(answer("2"))).toBe("account");
    await say("a");
    const [sent, said] = (await claim()) as [Job, Job];
    const ack = { gatewayMessageId: "1" as GatewayMessageId };
    expect(await store.outbox.done(sent, { ack })).toBe(true);
    expect(await boundOf(say("b"))).toBe("account");
    expect(await store.outbox.failed(said, dead, "no")).toBe(true);
    expect(await boundOf(say("b"))).toBe("taken");
    expect(await store.outbox.sendAgain(account.id, said.id as JobId, 1_000)).toBe(true);
    const live = await claim();
    expect(live.map((job) => job.direction).sort()).toEqual(["ack", "inbound", "inbound"]);
    for (const job of live) await store.outbox.done(job, {});
    expect(await boundOf(say("c"))).toBe("taken");
    expect(await boundOf(say("e"))).toBe("account");
    expect(await boundOf(answer("3"))).toBe("taken");
  });

  it("count a job ended by its deadline or its channel's removal once", async () => {
    const { clock, store, channel, say, answer } = await setUp({ perAccount: 4 });
    await answer("1");
    await clock.forward(2_000);
    await store.outbox.expire(() => ({}));
    expect(await boundOf(answer("2"))).toBe("taken");
    for (const id of ["a", "b", "c"]) expect(await boundOf(say(id))).toBe("taken");
    await store.channels.setState(channel.id, "removed");
    for (const id of ["d", "e", "f"]) expect(await boundOf(say(id))).toBe("taken");
    expect(await boundOf(say("g"))).toBe("account");
    expect([await boundOf(answer("3")), await boundOf(answer("4"))]).toEqual(["taken", "account"]);
  });

  it("undo the counts of a write that was rolled back", async () => {
    const { store, channel, say } = await setUp({ perAccount: 4 });
    const broken = { ...customerSays("bad"), content: { type: "text" as const, text: 1n as never } };
    for (let n = 0; n < 5; n++)
      await store.outbox.acceptInbound(channel, { events: [customerSays(`good${n}`), broken] }).catch(() => {});
    for (const id of ["a", "b", "c"]) expect(await boundOf(say(id))).toBe("taken");
    expect(await boundOf(say("d"))).toBe("account");
  });

  it("count the waiting jobs again after a restart", async () => {
    const { clock, folder, store, account, channel, say, claim } = await setUp({ perAccount: 4 });
    for (const id of ["a", "b", "c"]) await say(id);
    await store.outbox.done((await claim(1))[0] as Job, {});
    store.close();
    const next = await openStore({ folder, keyRing: KEY_RING, clock, bounds: { ...DEFAULT_BOUNDS, perAccount: 4 } });
    const known = await next.channels.byId(account.id, channel.id);
    const more = (id: string) => next.outbox.acceptInbound(known ?? channel, { events: [customerSays(id)] });
    expect([await boundOf(more("d")), await boundOf(more("e"))]).toEqual(["taken", "account"]);
    next.close();
  });

  it("accept a batch whole when it begins below them, or it would be refused for ever", async () => {
    const { store, channel } = await setUp({ perAccount: 6, perLane: 3 });
    const events = Array.from({ length: 10 }, (_, n) => customerSays(`m${n}`));
    expect(await store.outbox.acceptInbound(channel, { events })).toBe(10);
    expect(await boundOf(store.outbox.acceptInbound(channel, { events: [customerSays("x")] }))).toBe("account");
    expect(await boundOf(store.outbox.acceptInbound(channel, { events: [], notes: [{ key: "k", value: "v" }] }))).toBe(
      "taken",
    );
  });

  it("refuse everything, files too, once a check finds the disk below its floor", async () => {
    const { store, channel, say } = await setUp({ diskFloor: Number.MAX_SAFE_INTEGER });
    const keep = () =>
      store.keptFiles.keep(
        channel.id,
        { body: new Blob(["x"]).stream(), mediaType: "text/plain" },
        9,
        () => new Error("too large"),
      );
    expect(await boundOf(say("a"))).toBe("taken");
    expect(await diskOf(store).check()).toMatchObject({ belowFloor: true });
    expect([await boundOf(say("b")), await boundOf(keep())]).toEqual(["disk", "disk"]);
  });

  it("limit a channel's files per day and in total, with a higher limit for agents", async () => {
    const files = { customer: { day: 8_192, all: 12_288 }, agent: { day: Number.POSITIVE_INFINITY, all: 16_384 } };
    const { clock, folder, store, channel } = await setUp({ files });
    const other = await addChannel(store, await addAccount(store, "other"));
    const keep = (uploader: "customer" | "agent", { id } = channel) => {
      const file = { body: new Blob(["x".repeat(10)]).stream(), mediaType: "text/plain" };
      return boundOf(store.keptFiles.keep(id, file, 99, () => new Error("too large"), { uploader }));
    };
    const sums = () => rowsOf(folder, ["kept_sum"]).kept_sum?.map(({ bytes }) => bytes);
    // A small file counts as 4 KiB.
    expect([await keep("customer"), await keep("customer"), await keep("customer")]).toEqual([
      "taken",
      "taken",
      "files",
    ]);
    expect([await keep("agent"), await keep("customer", other)]).toEqual(["taken", "taken"]);
    await clock.forward(86_400_000);
    expect([await keep("customer"), await keep("agent"), await keep("agent")]).toEqual(["files", "taken", "files"]);
    expect(sums()?.sort()).toEqual([12_288, 4_096, 4_096]);
    const swept = await store.retention.sweep("files", clock.now() - 1, new Map(), 0);
    expect([swept.deleted, sums()]).toEqual([4, [4_096]]);
    expect(await keep("customer")).toBe("taken");
  });

  it("refuse files at twice the floor, with those kept since the last check, and still accept messages", async () => {
    const folder = temporaryFolder();
    const { bavail, bsize } = statfsSync(folder);
    const keepIn = (store: Store, { id }: { id: ChannelId }, size: number) => {
      const body = new Blob(["x".repeat(size)]).stream();
      return boundOf(store.keptFiles.keep(id, { body, mediaType: "text/plain" }, size, () => new Error("too large")));
    };
    const half = await setUp({ diskFloor: Math.floor(bavail * bsize * 0.75) });
    expect(await diskOf(half.store).check()).toMatchObject({ belowFloor: false });
    expect([await keepIn(half.store, half.channel, 1), await boundOf(half.say("a"))]).toEqual(["disk", "taken"]);
    const { pressure, close } = openDatabase(folder, { bounds: { ...DEFAULT_BOUNDS, diskFloor: 1 } });
    await pressure.checkDisk();
    const admit = async () => pressure.admitFile("channel", "agent", 0);
    pressure.fileAdded(bavail * bsize * 2);
    expect(await boundOf(admit())).toBe("disk");
    await pressure.checkDisk();
    expect(await boundOf(admit())).toBe("taken");
    close();
  });

  it("read lanes and initial counts from the index of live messages only", async () => {
    const { folder } = await setUp({});
    const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
    const live = "state IN ('ready','sending','waiting')";
    for (const query of [
      `SELECT 1 FROM message WHERE channel_id = 'x' AND direction = 'inbound' AND chat = 'y' AND ${live} LIMIT 1 OFFSET 999`,
      `SELECT account_id, count(*) FROM message INDEXED BY message_lane WHERE ${live} GROUP BY account_id`,
    ]) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${query}`).all() as { detail: string }[];
      expect(plan[0]?.detail, query).toContain("message_lane");
    }
    db.close();
  });
});
