import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_BOUNDS, type Job } from "../../../../src/domain/delivery.ts";
import { openStore } from "../../../../src/store/open.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { boundOf } from "../../../support/overload.ts";
import { roomFor } from "../../../support/room.ts";
import { KEY_RING, oneChannel, takeLease } from "../../../support/store.ts";

/** A store that collects its statements. */
async function setUp(perAccount: number, perLane = DEFAULT_BOUNDS.perLane) {
  const statements: string[] = [];
  const { prepare } = Sqlite.prototype;
  Sqlite.prototype.prepare = function (this: Sqlite.Database, text: string) {
    statements.push(text);
    return prepare.call(this, text);
  } as typeof prepare;
  onTestFinished(() => {
    Sqlite.prototype.prepare = prepare;
  });
  const opened = await oneChannel({ bounds: { perAccount, perLane } });
  const { store, channel } = opened;
  const counts = () => statements.filter((text) => /count\(\*\) AS live/.test(text)).length;
  const say = (id: string) => store.outbox.acceptInbound(channel, { events: [customerSays(id, id, id)] });
  return { ...opened, statements, counts, say };
}

describe("what waits", () => {
  it("is counted after a restart before anything is taken", async () => {
    const { clock, folder, store, account, channel, say } = await setUp(4);
    const lease = await takeLease(store, account.id, "test");
    for (const id of ["a", "b", "c"]) await say(id);
    await store.outbox.done((await store.outbox.claim(lease, roomFor(1)))[0] as Job, {});
    store.close();
    const next = await openStore({ folder, keyRing: KEY_RING, clock, bounds: { ...DEFAULT_BOUNDS, perAccount: 4 } });
    const known = await next.channels.byId(account.id, channel.id);
    const more = (id: string) => next.outbox.acceptInbound(known ?? channel, { events: [customerSays(id)] });
    expect([await boundOf(more("d")), await boundOf(more("e"))]).toEqual(["taken", "account"]);
    next.close();
  });

  it("is counted once a minute where no bound is near, and once a second where one is", async () => {
    const { clock, counts, say } = await setUp(400);
    let n = 0;
    const countsIn = async (seconds: number) => {
      const before = counts();
      for (let second = 0; second < seconds; second++) {
        await clock.forward(1_000);
        await say(`${n++}`);
      }
      return counts() - before;
    };
    await say("first");
    expect(await countsIn(30)).toBe(0);
    expect(await countsIn(31)).toBeGreaterThan(0);
    // Of an account and its two directions; the whole is far from its bound.
    expect(await countsIn(10)).toBe(20);
  });

  it("is read from the index of live messages only", async () => {
    const { folder, statements, store, channel, say } = await setUp(4, 1);
    await say("a");
    for (const key of ["1", "2"])
      await boundOf(store.outbox.acceptOutbound(channel, { key, act: agentSays(key, "", "a"), patienceMs: 1_000 }));
    const reads = statements.filter((text) => /AS live|OFFSET/.test(text) && /message/.test(text));
    expect(reads.length).toBeGreaterThan(2);
    const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
    for (const text of reads) {
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${text.replaceAll(/\?|@\w+/g, "NULL")}`).all() as {
        detail: string;
      }[];
      const plan = steps.map(({ detail }) => detail).filter((detail) => /message/.test(detail));
      for (const detail of plan) expect(detail, text).toMatch(/INDEX message_(lane|ack)/);
    }
    db.close();
  });
});
