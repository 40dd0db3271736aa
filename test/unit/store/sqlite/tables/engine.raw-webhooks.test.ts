import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { handClock } from "../../../../support/clock.ts";
import { agentSays, customerSays } from "../../../../support/events.ts";
import { changeRows, rowsOf } from "../../../../support/rows.ts";
import { addAccount, oneChannel } from "../../../../support/store.ts";

const HOUR_MS = 3_600_000;

async function setUp() {
  const { clock, folder, store, account, channel } = await oneChannel();
  const says = (id: string, body = id) =>
    store.outbox.acceptInbound(channel, {
      events: [customerSays(id)],
      raw: () => ({ path: "messages", headers: { authorization: "Bearer the-visitor" }, body }),
    });
  const kept = async (from = 0, to = Number.MAX_SAFE_INTEGER) =>
    (await store.rawWebhooks.list(account.id, { from, to }, 100)).webhooks;
  const behindItsBack = (statement: string) => changeRows(folder, statement);
  return { clock, folder, store, account, channel, says, kept, behindItsBack };
}

describe("raw webhooks", () => {
  it("are kept whole and in order of arrival, unless they brought nothing new", async () => {
    const { clock, store, channel, says, kept } = await setUp();
    const began = clock.now();
    await says("a");
    await says("a", "a repeat");
    await clock.forward(1000);
    const act = { key: "sent:1", act: agentSays("1"), patienceMs: 1000 };
    const raw = () => ({ path: "", headers: {}, body: "of the gateway" });
    await store.outbox.acceptOutbound(channel, { ...act, raw });
    await store.outbox.acceptOutbound(channel, { ...act, raw });
    expect(await kept()).toMatchObject([
      {
        channelId: channel.id,
        source: "messenger",
        receivedAt: began,
        raw: { path: "messages", headers: { authorization: "Bearer the-visitor" }, body: "a" },
      },
      { source: "gateway", receivedAt: began + 1000, raw: { body: "of the gateway" } },
    ]);
    expect(await kept(began + 1)).toHaveLength(1);
    expect(await kept(began, began + 1000)).toHaveLength(1);
    const { id: other } = await addAccount(store, "other");
    expect(await store.rawWebhooks.list(other, { from: 0, to: 9e15 }, 9)).toEqual({ webhooks: [], unreadable: [] });
  });

  it("are paged completely, with one row per commit", async () => {
    const { folder, store, account, says } = await setUp();
    for (let n = 0; n < 7; n++) await says(`m${n}`);
    await Promise.all([says("m7"), says("m8"), says("m9")]);
    const seen: string[] = [];
    let after: number | undefined;
    do {
      const page = await store.rawWebhooks.list(account.id, { from: 0, to: 9e15, after }, 3);
      seen.push(...page.webhooks.map(({ raw }) => raw.body));
      after = page.next;
    } while (after !== undefined && seen.length < 20);
    expect(seen).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"]);
    expect(rowsOf(folder, ["raw_webhook"]).raw_webhook).toHaveLength(8);
  });

  it("are found by time even if the clock was set meanwhile", async () => {
    const clock = handClock();
    let ahead = 0;
    const { store, account, channel } = await oneChannel({ clock: { ...clock, now: () => clock.now() + ahead } });
    const began = clock.now();
    for (let n = 0; n < 30; n++) {
      ahead = n === 11 ? 48 * HOUR_MS : n === 15 ? -48 * HOUR_MS : 0;
      const raw = () => ({ path: "", headers: {}, body: `m${n}` });
      await store.outbox.acceptInbound(channel, { events: [customerSays(`m${n}`)], raw });
      await clock.forward(HOUR_MS);
    }
    const seen: string[] = [];
    let after: number | undefined;
    do {
      const page = await store.rawWebhooks.list(
        account.id,
        { from: began + 10 * HOUR_MS, to: began + 20 * HOUR_MS, after },
        2,
      );
      seen.push(...page.webhooks.map(({ raw }) => raw.body));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(["m10", "m12", "m13", "m14", "m16", "m17", "m18", "m19"]);
  });

  it("of one commit are sealed in batches that fit into memory", async () => {
    const { folder, says, kept } = await setUp();
    const long = "x".repeat(200 * 1024);
    await Promise.all(["a", "b", "c", "d"].map((id) => says(id, long + id)));
    expect((await kept()).map(({ raw }) => raw.body.slice(-1))).toEqual(["a", "b", "c", "d"]);
    expect(rowsOf(folder, ["raw_webhook"]).raw_webhook).toHaveLength(4);
  });

  it("show nothing to a thief of the database", async () => {
    const { folder, store, says } = await setUp();
    await says("a", "the words of a customer");
    store.close();
    const stolen = readFileSync(join(folder, "gangway.db"), "latin1");
    const rows = rowsOf(folder, ["raw_webhook"]).raw_webhook;
    expect(rows).toHaveLength(1);
    for (const text of ["the words of a customer", "Bearer", "the-visitor"]) {
      expect(stolen).not.toContain(text);
      expect(JSON.stringify(rows)).not.toContain(text);
    }
  });

  it("do not open when moved to another time", async () => {
    const { clock, store, account, says, behindItsBack } = await setUp();
    const at = clock.now() + 1;
    await says("a");
    behindItsBack("UPDATE raw_webhook SET received_at = received_at + 1");
    const found = await store.rawWebhooks.list(account.id, { from: 0, to: 9e15 }, 9);
    expect(found).toEqual({ webhooks: [], unreadable: [{ row: 1, at }] });
  });

  it("are stored in the same transaction as their events", async () => {
    const { store, channel, kept } = await setUp();
    const raw = () => {
      throw new Error("no");
    };
    await expect(store.outbox.acceptInbound(channel, { events: [customerSays("a")], raw })).rejects.toThrow("no");
    await Promise.allSettled([
      store.outbox.acceptInbound(channel, { events: [customerSays("b")], raw }),
      store.outbox.acceptInbound(channel, { events: [], raw: () => ({ path: "", headers: {}, body: "nothing new" }) }),
    ]);
    expect(await kept()).toEqual([]);
    expect(await store.ledger()).toMatchObject([{ accepted: 0, waiting: 0 }]);
    expect(await store.outbox.unknown(channel.id, "inbound", ["a"])).toEqual(["a"]);
  });
});

describe("a replayed event", () => {
  it("fills the hole left by its loss, and counts as new when there is none", async () => {
    const { store, channel, says, behindItsBack } = await setUp();
    await says("a");
    behindItsBack("DELETE FROM message");
    expect(await store.ledger()).toMatchObject([{ accepted: 1, waiting: 0, hole: 1 }]);
    const again = (id: string) => store.outbox.acceptInbound(channel, { events: [customerSays(id)], again: true });
    await again("a");
    expect(await store.ledger()).toMatchObject([{ accepted: 1, waiting: 1, hole: 0 }]);
    await again("b");
    expect(await store.ledger()).toMatchObject([{ accepted: 2, waiting: 2, hole: 0 }]);
  });
});
