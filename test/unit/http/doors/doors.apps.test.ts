import { describe, expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import type { Store } from "../../../../src/store/store.ts";
import { readRows, writeRows } from "../../../support/engine.ts";
import { agentSays } from "../../../support/events.ts";
import { batchOf, letter, openHarbour, VENDORS } from "../../../support/harbour.ts";
import { roomFor } from "../../../support/room.ts";
import { takeLease } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";
import { BATCH_BYTES, SEAL, sealOf } from "../../../system/contract/toy/harbour.ts";

async function twoShops(stage: Parameters<typeof openHarbour>[0] = {}) {
  const site = await openHarbour(stage);
  const [shop, other] = [await site.account("shop"), await site.account("other")];
  return { ...site, shop, other, one: await site.berth(shop, "1"), two: await site.berth(other, "2") };
}

/** Delivers what waits, as a worker would. */
async function finish(store: Store, { accountId }: Channel) {
  const lease = await takeLease(store, accountId, "test");
  for (const job of await store.outbox.claim(lease, roomFor(9))) await store.outbox.done(job, {});
}

describe("the door of a vendor's app", () => {
  it("brings each part to the channel of its login, whatever the account, and keeps the request of each", async () => {
    const { deliver, letters, one, two, store, shop, clock } = await twoShops();
    const answer = await deliver(batchOf({ 1: [letter("a"), letter("b")], 2: [letter("c")] }));
    expect([answer.status, await answer.text()]).toEqual([200, "moored"]);
    expect([await letters(one), await letters(two)]).toEqual([["a", "b"], ["c"]]);
    const kept = await store.rawWebhooks.list(shop.id, { from: 0, to: clock.now() + 1 }, 9);
    expect(kept.webhooks).toMatchObject([{ channelId: one.id, raw: { headers: {}, path: "" } }]);
    expect(kept.webhooks[0]?.raw.body).not.toContain('"c"');
  });

  it("answers only once every part is on disk", async () => {
    let opened = () => {};
    const gate = new Promise<void>((open) => {
      opened = open;
    });
    const { deliver, letters, one, two } = await twoShops({
      instead: ({ outbox }) => ({
        outbox: {
          ...outbox,
          async acceptInbound(channel, ...more) {
            if ((channel.settings as { berth: string }).berth === "2") await gate;
            return outbox.acceptInbound(channel, ...more);
          },
        },
      }),
    });
    let answered = false;
    const answer = deliver(batchOf({ 1: [letter("a")], 2: [letter("b")] })).then((response) => {
      answered = true;
      return response.status;
    });
    await until("the other part on disk", async () => (await letters(one)).length === 1);
    expect(answered).toBe(false);
    opened();
    expect(await answer).toBe(200);
    expect(await letters(two)).toEqual(["b"]);
  });

  it("asks for the whole batch again when a part could not be stored, and a repeat doubles nothing", async () => {
    let broken = true;
    const { deliver, letters, one, two } = await twoShops({
      instead: ({ outbox }) => ({
        outbox: {
          ...outbox,
          async acceptInbound(channel, ...more) {
            if (broken && (channel.settings as { berth: string }).berth === "2") throw new Error("disk I/O error");
            return outbox.acceptInbound(channel, ...more);
          },
        },
      }),
    });
    const batch = batchOf({ 1: [letter("a")], 2: [letter("b")] });
    expect((await deliver(batch)).status).toBe(503);
    broken = false;
    expect([(await deliver(batch)).status, (await deliver(batch)).status]).toEqual([200, 200]);
    expect([await letters(one), await letters(two)]).toEqual([["a"], ["b"]]);
  });

  it("is there for any method and below it, and only for an app that is set up", async () => {
    const { site, server } = await openHarbour();
    expect(await (await site.request("/apps/harbour/hooks/1")).text()).toBe("ahoy");
    expect((await site.request("/apps/webchat", { method: "POST", body: "{}" })).status).toBe(404);
    expect((await site.request("/apps/nothing")).status).toBe(404);
    expect(server.secret).toBe(VENDORS);
  });

  it("takes a megabyte more than any channel's own, and stops reading beyond its limit", async () => {
    const { deliver, letters, one } = await twoShops();
    const many = Array.from({ length: 1_000 }, (_, n) => letter(`m${n}`, "x".repeat(2_750), `ship-${n}`));
    expect(JSON.stringify(batchOf({ 1: many })).length).toBeGreaterThan(2.5 * 1024 * 1024);
    expect((await deliver(batchOf({ 1: many }))).status).toBe(200);
    expect(await letters(one)).toHaveLength(1_000);
    expect((await deliver("x".repeat(BATCH_BYTES + 1))).status).toBe(413);
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) });
    const { site } = await openHarbour();
    const init = { method: "POST", body: endless, duplex: "half" } as RequestInit;
    expect((await site.request("/apps/harbour", init)).status).toBe(413);
  });

  it("lets no page of another origin read its answers", async () => {
    const { site, deliver } = await openHarbour();
    for (const answer of [
      await deliver(batchOf({})),
      await deliver("{}", "wrong"),
      await site.request("/apps/nothing"),
    ])
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("a channel that cannot take its part", () => {
  it("over its quota is answered for: its part is parked, refuses nobody else's, and is read in order once there is room", async () => {
    const site = await twoShops({ bounds: { perAccount: 4 } });
    const { deliver, letters, waiting, one, two, round } = site;
    // Three of the bound's four are for customers.
    const full = batchOf({ 1: ["x", "y", "z"].map((id) => letter(id)) });
    expect((await deliver(full)).status).toBe(200);
    for (const id of ["a", "b", "c"])
      expect((await deliver(batchOf({ 1: [letter(id)], 2: [letter(`${id}2`)] }))).status).toBe(200);
    expect([await letters(one), await letters(two)]).toEqual([
      ["x", "y", "z"],
      ["a2", "b2", "c2"],
    ]);
    expect(await waiting()).toEqual(["harbour:1", "harbour:1", "harbour:1"]);
    await round();
    expect(await waiting()).toHaveLength(3);
    for (let n = 0; n < 9 && (await waiting()).length > 0; n++) {
      await finish(site.store, one);
      await round();
    }
    expect(await letters(one)).toEqual(["x", "y", "z", "a", "b", "c"]);
    expect(site.logged("forwarded.not-taken")).toBe(1);
  });

  it("whose settings do not open gets it once they do", async () => {
    const site = await twoShops();
    const { deliver, letters, folder, one, two, round, store } = site;
    const good = (await readRows(folder, ["channel"])).channel?.find(({ id }) => id === one.id)?.settings_sealed;
    await writeRows(folder, "UPDATE channel SET settings_sealed = 'v1.lost.a.b' WHERE id = ?", one.id);
    expect((await deliver(batchOf({ 1: [letter("a")], 2: [letter("b")] }))).status).toBe(200);
    expect(await letters(two)).toEqual(["b"]);
    await writeRows(folder, "UPDATE channel SET settings_sealed = ? WHERE id = ?", good, one.id);
    await round();
    expect(await letters(one)).toEqual(["a"]);
    expect((await store.parked.figures()).parts).toBe(0);
  });

  it("that its session fails on holds up neither others nor the channel's next parts", async () => {
    const { deliver, letters, waiting, one, two, round, clock } = await twoShops();
    const batch = batchOf({ 1: [letter("a", "storm")], 2: [letter("b")] });
    expect((await deliver(batch)).status).toBe(200);
    expect((await deliver(batch)).status).toBe(200);
    expect((await deliver(batchOf({ 1: [letter("c")] }))).status).toBe(200);
    await clock.forward(0);
    expect([await letters(one), await letters(two), await waiting()]).toEqual([["c"], ["b"], ["harbour:1"]]);
    await round();
    expect(await waiting()).toEqual(["harbour:1"]);
  });

  it("does not exist yet: the part waits for an hour, and is read once the login is connected", async () => {
    const { deliver, berth, letters, parked, clock, waiting, shop, round } = await twoShops();
    expect((await deliver(batchOf({ 3: [letter("a"), letter("b")], 4: [letter("c")] }))).status).toBe(200);
    const three = await berth(shop, "3");
    parked.changed(three.id);
    await clock.forward(0);
    expect(await letters(three)).toEqual(["a", "b"]);
    clock.leap(3_600_001);
    await round();
    expect(await waiting()).toEqual([]);
  });

  it("is stopped and refuses it: the part waits for as long as the messenger would repeat it", async () => {
    const { deliver, letters, clock, waiting, shop, berth, store, round } = await twoShops();
    const own = await berth(shop, "5", "an old secret");
    await store.channels.setState(own.id, "stopped", "the token was revoked");
    expect((await deliver(batchOf({ 5: [letter("a")] }))).status).toBe(200);
    clock.leap(6 * 86_400_000);
    await round();
    expect(await waiting()).toEqual(["harbour:5"]);
    await store.channels.change(own.id, { name: "5", settings: { berth: "5", secret: "" } });
    await store.channels.setState(own.id, "active");
    await round();
    expect([await letters(own), await waiting()]).toEqual([["a"], []]);
  });

  it("over its quota is read by the secret that the app has then", async () => {
    const { deliver, letters, one, server, store, round, clock } = await twoShops({ bounds: { perAccount: 2 } });
    await deliver(batchOf({ 1: [letter("first")] }));
    await deliver(batchOf({ 1: [letter("a")] }));
    expect((await store.parked.figures()).parts).toBe(1);
    server.secret = "a new seal";
    await finish(store, one);
    // PostgreSQL counts once a second.
    clock.leap(1_000);
    await store.channels.change(one.id, { name: "1", settings: { berth: "1", secret: "" } });
    await round();
    expect(await letters(one)).toEqual(["first", "a"]);
  });
});

/** Two shops with berths of one fleet, and a berth of another. */
async function fleet(secret = "") {
  const site = await openHarbour();
  const [shop, other] = [await site.account("shop"), await site.account("other")];
  const one = await site.berth(shop, "1", secret, "north");
  const two = await site.berth(other, "2", secret, "north");
  return { ...site, one, two, south: await site.berth(other, "3", secret, "south") };
}

describe("a part for a whole group of logins", () => {
  it("reaches each channel of the group, whatever the account, beside parts of its own", async () => {
    const { deliver, letters, one, two, south, waiting } = await fleet();
    const fleets = ["north", "nowhere"].map((name) => ({ fleet: name, letters: [letter("tide")] }));
    const batch = { ...batchOf({ 1: [letter("a")] }), fleets };
    for (let n = 0; n < 2; n++) expect((await deliver(batch)).status).toBe(200);
    expect([await letters(one), await letters(two), await letters(south), await waiting()]).toEqual([
      ["a", "tide"],
      ["tide"],
      [],
      [],
    ]);
  });

  it("waits for a channel that cannot take it now, and passes by one that was removed", async () => {
    const { deliver, letters, folder, round, store, one, two } = await fleet();
    const good = (await readRows(folder, ["channel"])).channel?.find(({ id }) => id === one.id)?.settings_sealed;
    await writeRows(folder, "UPDATE channel SET settings_sealed = 'v1.lost.a.b' WHERE id = ?", one.id);
    await store.channels.setState(two.id, "removed");
    await deliver({ fleets: [{ fleet: "north", letters: [letter("tide")] }] });
    await writeRows(folder, "UPDATE channel SET settings_sealed = ? WHERE id = ?", good, one.id);
    await round();
    expect([await letters(one), await letters(two)]).toEqual([["tide"], []]);
  });
});

describe("an app's access that its owner has withdrawn", () => {
  it("stops every channel of a named group", async () => {
    const { deliver, store, one, two, south } = await fleet();
    expect((await deliver({ withdrawn: [], fleets: ["north", "nowhere"] })).status).toBe(200);
    const states = [one, two, south].map(async ({ id }) => (await store.channels.ofJob(id))?.state);
    expect(await Promise.all(states)).toEqual(["stopped", "stopped", "active"]);
  });

  it("stops the named channels with its trouble, once, and lets their messages wait", async () => {
    const { deliver, store, shop, one, two, logged } = await twoShops();
    await store.outbox.acceptOutbound(one, { key: "k", act: agentSays("1"), patienceMs: 60_000 });
    for (let n = 0; n < 2; n++) expect((await deliver({ withdrawn: ["1", "9"] })).status).toBe(200);
    const stopped = await store.channels.byId(shop.id, one.id);
    expect(stopped).toMatchObject({ state: "stopped", trouble: "the berth was given up", epoch: one.epoch + 1 });
    expect((await store.channels.unreported(9)).map(({ id }) => id)).toEqual([one.id]);
    expect(await store.channels.ofJob(two.id)).toMatchObject({ state: "active" });
    expect(logged("channel.withdrawn")).toBe(1);
  });
});

describe("an owner who has withdrawn the app's access and wants their data erased", () => {
  it("is forgotten by their channels, which stop and stay with what customers wrote", async () => {
    const { deliver, bring, letters, store, one, two, south } = await fleet("the master's own");
    await bring(one, batchOf({ 1: [letter("a")] }), "the master's own");
    for (let n = 0; n < 2; n++) await deliver({ withdrawn: [], fleets: ["north"], forget: true });
    const channels = await Promise.all([one, two, south].map(({ id }) => store.channels.ofJob(id)));
    expect(channels.map((each) => [each?.state, (each?.settings as { secret?: string } | undefined)?.secret])).toEqual([
      ["stopped", ""],
      ["stopped", ""],
      ["active", "the master's own"],
    ]);
    expect(await store.channels.inGroup("harbour:fleet:north")).toEqual([]);
    expect(await letters(one)).toEqual(["a"]);
  });

  it("keeps the login where they have only withdrawn the access", async () => {
    const { deliver, store, one } = await fleet("the master's own");
    await deliver({ withdrawn: [], fleets: ["north"] });
    expect(await store.channels.ofJob(one.id)).toMatchObject({ settings: { secret: "the master's own" } });
  });
});

describe("a person's request at their messenger to be erased", () => {
  it("is stored before it is answered, erases them in every channel of the kind, and shows that it is done", async () => {
    const { deliver, letters, folder, one, two, requests, store } = await twoShops();
    await deliver(
      batchOf({ 1: [letter("a"), letter("b", "b", "tug")], 2: [letter("c")], 7: [letter("d"), letter("e")] }),
    );
    const answer = (await (await deliver({ erase: "ship" })).json()) as { url: string; code: string };
    expect(answer.url).toBe(`https://gangway.example/erased/${answer.code}`);
    expect(answer.code).toMatch(/^[\w-]{22}$/);
    expect((await readRows(folder, ["erasure_request"])).erasure_request).toHaveLength(1);
    expect(JSON.stringify(await readRows(folder, ["erasure_request"]))).not.toContain(answer.code);
    await expect.poll(async () => (await requests.state(answer.code))?.doneAt).toBeDefined();
    expect([await letters(one), await letters(two)]).toEqual([["b"], []]);
    expect((await store.parked.figures()).parts).toBe(0);
    expect((await readRows(folder, ["erasure_request"])).erasure_request).toMatchObject([{ sealed: null }]);
    const acts = (await store.audit.list({ limit: 9 })).filter(({ action }) => action === "customer erased");
    expect(acts.map(({ actor }) => actor)).toEqual(["customer", "customer"]);
    expect(await requests.state("guess")).toBeUndefined();
  });
});

it("a forged or changed batch is refused, stores nothing, and strangers are slowed down", async () => {
  const { deliver, site, letters, one, store } = await twoShops();
  const body = JSON.stringify(batchOf({ 1: [letter("a")] }));
  const asked = (headers: Record<string, string>, text = body) =>
    site.request("/apps/harbour", { method: "POST", body: text, headers });
  expect((await asked({})).status).toBe(401);
  expect((await deliver(body, "wrong")).status).toBe(401);
  expect((await asked({ [SEAL]: sealOf(VENDORS, body) }, body.replace('"a"', '"b"'))).status).toBe(401);
  expect((await asked({ [SEAL]: sealOf(VENDORS, body) }, JSON.stringify(JSON.parse(body), null, 1))).status).toBe(401);
  const statuses = new Set<number>();
  for (let n = 0; n < 60; n++) statuses.add((await deliver(body, "wrong")).status);
  expect(statuses).toEqual(new Set([401, 429]));
  expect([await letters(one), (await store.parked.figures()).parts]).toEqual([[], 0]);
  // The right secret is never slowed down.
  expect((await deliver(body)).status).toBe(200);
  expect(await letters(one)).toEqual(["a"]);
});
