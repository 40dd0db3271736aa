import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentSays, customerSays } from "../support/events.ts";
import { changeRows, rowsOf } from "../support/rows.ts";
import { addAccount, oneChannel } from "../support/store.ts";

async function setUp() {
  const { clock, folder, store, account, channel } = await oneChannel();
  const says = (id: string, body = id) =>
    store.outbox.acceptInbound(channel, {
      events: [customerSays(id)],
      raw: () => ({ path: "messages", headers: { authorization: "Bearer the-visitor" }, body }),
    });
  const kept = (from = 0, to = Number.MAX_SAFE_INTEGER, most = 100) =>
    store.rawWebhooks.list(account.id, { from, to }, most);
  const behindItsBack = (statement: string) => changeRows(folder, statement);
  return { clock, folder, store, account, channel, says, kept, behindItsBack };
}

describe("webhooks that are kept", () => {
  it("are those that brought something new, whole, in the order in which they came", async () => {
    const { clock, store, channel, account, says, kept } = await setUp();
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
    const [first] = await kept(0, began + 5000, 1);
    expect(await store.rawWebhooks.list(account.id, { from: 0, to: began + 5000, after: first }, 9)).toHaveLength(1);
    expect(await store.rawWebhooks.list((await addAccount(store, "other")).id, { from: 0, to: 9e15 }, 9)).toEqual([]);
  });

  it("are all found page by page, also where many came at the same moment", async () => {
    const { store, account, says, kept } = await setUp();
    for (let n = 0; n < 7; n++) await says(`m${n}`);
    const seen: string[] = [];
    for (let page = await kept(0, 9e15, 3); page.length > 0 && seen.length < 20; ) {
      seen.push(...page.map(({ raw }) => raw?.body ?? ""));
      page = await store.rawWebhooks.list(account.id, { from: 0, to: 9e15, after: page.at(-1) }, 3);
    }
    expect(seen).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
  });

  it("show nothing to the thief of a database", async () => {
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

  it.each(["account_id = 'another'", "received_at = received_at + 1", "source = 'gateway'", "channel_id = 'another'"])(
    "do not open once they are moved: %s",
    async (change) => {
      const { store, account, says, kept, behindItsBack } = await setUp();
      await says("a");
      behindItsBack(`UPDATE raw_webhook SET ${change}`);
      const moved = change.includes("account") ? ("another" as typeof account.id) : account.id;
      expect(await store.rawWebhooks.list(moved, { from: 0, to: 9e15 }, 9)).toMatchObject([{ raw: undefined }]);
      expect((await kept()).every(({ raw }) => raw === undefined)).toBe(true);
    },
  );

  it("are written with what they brought, or not at all", async () => {
    const { store, channel, kept } = await setUp();
    const raw = () => {
      throw new Error("no");
    };
    await expect(store.outbox.acceptInbound(channel, { events: [customerSays("a")], raw })).rejects.toThrow("no");
    expect(await kept()).toEqual([]);
    expect(await store.ledger()).toMatchObject([{ accepted: 0, waiting: 0 }]);
    expect(await store.outbox.unknown(channel.id, "messenger", ["a"])).toEqual(["a"]);
  });
});

describe("an event that is accepted again", () => {
  it("fills the hole that its loss has left, and counts anew when there is none", async () => {
    const { store, channel, says, behindItsBack } = await setUp();
    await says("a");
    behindItsBack("DELETE FROM inbox");
    behindItsBack("DELETE FROM job");
    expect(await store.ledger()).toMatchObject([{ accepted: 1, waiting: 0, hole: 1 }]);
    const again = (id: string) => store.outbox.acceptInbound(channel, { events: [customerSays(id)], again: true });
    await again("a");
    expect(await store.ledger()).toMatchObject([{ accepted: 1, waiting: 1, hole: 0 }]);
    await again("b");
    expect(await store.ledger()).toMatchObject([{ accepted: 2, waiting: 2, hole: 0 }]);
  });
});
