import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../../src/http/serving/listening.ts";
import { cappedRequest } from "../../../src/http/serving/request.ts";
import { readRows, writeRows } from "../../support/engine.ts";
import { batchOf, letter, openHarbour } from "../../support/harbour.ts";
import { BATCH_BYTES } from "../contract/toy/harbour.ts";

const OWN = "the shop's own seal";
const FOREIGN = "the other shop's seal";

/** Two accounts, each with berths of its own app, and one whose berth is the vendor's. */
async function shops(stage: Parameters<typeof openHarbour>[0] = {}) {
  const site = await openHarbour(stage);
  const [shop, other, third] = [await site.account("shop"), await site.account("other"), await site.account("third")];
  return {
    ...site,
    one: await site.berth(shop, "1", OWN),
    two: await site.berth(shop, "2", OWN),
    foreign: await site.berth(other, "3", FOREIGN),
    vendors: await site.berth(third, "4"),
  };
}

it("an own app's address serves all of the shop's channels, and a repeat doubles nothing", async () => {
  const { bring, letters, one, two, store } = await shops();
  const batch = batchOf({ 1: [letter("a")], 2: [letter("b")] });
  for (let n = 0; n < 2; n++) expect((await bring(one, batch, OWN)).status).toBe(200);
  expect([await letters(one), await letters(two)]).toEqual([["a"], ["b"]]);
  // Each keeps its own part only: it is erased with the channel's customers.
  const kept = await store.rawWebhooks.list(one.accountId, { from: 0, to: Number.MAX_SAFE_INTEGER }, 9);
  expect(kept.webhooks.map(({ channelId, raw }) => [channelId, raw.headers, JSON.parse(raw.body)]).sort()).toEqual(
    [
      [one.id, {}, batchOf({ 1: [letter("a")] })],
      [two.id, {}, batchOf({ 2: [letter("b")] })],
    ].sort(),
  );
});

it("a batch of three MiB at an own app's address is kept whole, to be read again", async () => {
  const { bring, letters, one, store } = await shops();
  const batch = batchOf({ 1: Array.from({ length: 1_000 }, (_, n) => letter(`m${n}`, "x".repeat(2_900))) });
  expect(JSON.stringify(batch).length).toBeGreaterThan(2.8 * 1024 * 1024);
  expect((await bring(one, batch, OWN, "/fleet")).status).toBe(200);
  expect(await letters(one)).toHaveLength(1_000);
  const { webhooks } = await store.rawWebhooks.list(one.accountId, { from: 0, to: Number.MAX_SAFE_INTEGER }, 9);
  expect(webhooks.map(({ raw }) => JSON.parse(raw.body))).toEqual([batch]);
});

it("no account writes into another's channel through its own app, nor into what is parked for it", async () => {
  const { bring, letters, waiting, one, foreign, vendors, store, logged } = await shops();
  const batch = batchOf({ 1: [letter("a")], 3: [letter("b")], 4: [letter("c")] });
  expect((await bring(one, batch, OWN)).status).toBe(200);
  for (const { id } of [foreign, vendors]) await store.channels.setState(id, "stopped");
  expect((await bring(one, batch, OWN)).status).toBe(200);
  expect([await letters(one), await letters(foreign), await letters(vendors), await waiting()]).toEqual([
    ["a"],
    [],
    [],
    [],
  ]);
  expect(logged("forwarded.refused")).toBe(1);
});

it("what a channel cannot prove now takes up no room of its account when another's app brought it", async () => {
  const { bring, one, foreign, folder } = await shops();
  await writeRows(folder, "UPDATE channel SET settings_sealed = 'v1.lost.a.b' WHERE id = ?", foreign.id);
  await setImmediate();
  expect((await bring(one, batchOf({ 3: [letter("a")] }), OWN)).status).toBe(200);
  expect((await readRows(folder, ["parked"])).parked).toMatchObject([
    { owner: `?${one.accountId}`, account_id: one.accountId, channel_id: null },
  ]);
});

it("an own app that invents logins uses up no room of the vendor's, nor of the disk", async () => {
  const { bring, deliver, one, store, account, berth, letters, round } = await shops();
  await deliver(batchOf({ new: [letter("welcome")] }));
  for (let n = 0; n < 12; n++) {
    const invented = Array.from({ length: 50 }, (_, m) => [`f${n}-${m}`, [letter("x")]]);
    expect((await bring(one, batchOf(Object.fromEntries(invented)), OWN)).status).toBe(200);
  }
  expect(await store.parked.figures()).toMatchObject({ strangers: 501, dropped: { full: 100 } });
  // Invented before the shop connected it: its secret proves nothing.
  await bring(one, batchOf({ new: [letter("forged")] }), OWN);
  const fresh = await berth(await account("new"), "new");
  await round();
  expect(await letters(fresh)).toEqual(["welcome"]);
});

it("a batch of three MiB with a thousand logins is stored as a whole, one bad part aside", async () => {
  let [parking, most] = [0, 0];
  const { deliver, letters, vendors, waiting } = await shops({
    instead: ({ parked }) => ({
      parked: {
        ...parked,
        async park(part) {
          most = Math.max(most, ++parking);
          return parked.park(part).finally(() => {
            parking -= 1;
          });
        },
      },
    }),
  });
  const logins = Array.from({ length: 998 }, (_, n) => [`s${n}`, [letter(`m${n}`, "x".repeat(100))]]);
  const batch = batchOf({ 4: [letter("a", "storm")], ...Object.fromEntries(logins), 3: [letter("b")] });
  const filler = "x".repeat(BATCH_BYTES - JSON.stringify(batch).length - 100);
  expect((await deliver({ ...batch, filler })).status).toBe(200);
  // Together: each alone would wait for the disk.
  expect(most).toBe(16);
  expect(await letters(vendors)).toEqual([]);
  // Logins of nobody's have little room: the vendor's own app may be a stranger's, too.
  expect((await waiting()).length).toBe(501);
});

it("a part's text is in no log line", async () => {
  const { deliver, lines, vendors, store } = await shops();
  await store.channels.setState(vendors.id, "stopped");
  await deliver(
    batchOf({ 4: [letter("a", "storm"), letter("b", "a secret word")], 9: [letter("c", "a secret word")] }),
  );
  expect(lines.length).toBeGreaterThan(0);
  expect(JSON.stringify(lines)).not.toContain("secret word");
});

it.each([500_000, BATCH_BYTES])(
  "a body of %i bytes that does not end is cut before the request's deadline",
  async (length) => {
    const faults: string[] = [];
    const read = async (c: { req: { raw: Request } }) => {
      const capped = await cappedRequest(c as never, BATCH_BYTES, 0, 50);
      return capped.request.text().catch((error) => {
        faults.push(error.name);
        return "";
      });
    };
    const { Hono } = await import("hono");
    const site = new Hono().post("/", async (c) => c.text(await read(c)));
    const server = listen(site.fetch, { port: 0 });
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n${"x".repeat(100)}`);
    await expect.poll(() => faults).toEqual(["BodyTooSlow"]);
  },
);

it("what is stored of a batch names no other account's channel", async () => {
  const { deliver, folder, vendors } = await shops();
  await deliver(batchOf({ 4: [letter("a")], 9: [letter("b")] }));
  const { parked = [], message = [] } = await readRows(folder, ["parked", "message"]);
  expect(parked).toMatchObject([{ channel_id: null, account_id: null }]);
  expect(message).toMatchObject([{ channel_id: vendors.id, account_id: vendors.accountId }]);
});
