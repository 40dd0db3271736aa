import { describe, expect, it } from "vitest";
import { writeRows } from "../../../support/engine.ts";
import { batchOf, letter, openHarbour } from "../../../support/harbour.ts";

describe("what is parked", () => {
  it("is read once, although the process ends between its reading and its removal", async () => {
    let breaks = true;
    const first = await openHarbour({
      instead: ({ parked }) => ({
        parked: {
          ...parked,
          async remove(position) {
            if (breaks) throw new Error("the process ends");
            return parked.remove(position);
          },
        },
      }),
    });
    await first.deliver(batchOf({ 1: [letter("a")] }));
    await first.deliver(batchOf({ 1: [letter("b")] }));
    const shop = await first.account("shop");
    const one = await first.berth(shop, "1");
    await first.round();
    expect([await first.letters(one), await first.waiting()]).toEqual([["a"], ["harbour:1", "harbour:1"]]);
    breaks = false;
    await first.parked.stop();
    first.store.close();
    const again = await openHarbour({ folder: first.folder });
    await again.round();
    expect([await again.letters(one), await again.waiting()]).toEqual([["a", "b"], []]);
    expect(await again.store.ledger()).toMatchObject([{ accepted: 2, hole: 0 }]);
  });

  it("comes before what arrives while it waits", async () => {
    const { deliver, account, berth, letters, waiting, clock } = await openHarbour();
    await deliver(batchOf({ 1: [letter("a")] }));
    const one = await berth(await account("shop"), "1");
    await Promise.all(["b", "c"].map((id) => deliver(batchOf({ 1: [letter(id)] }))));
    await clock.forward(0);
    expect((await letters(one))[0]).toBe("a");
    expect((await letters(one)).sort()).toEqual(["a", "b", "c"]);
    expect(await waiting()).toEqual([]);
  });

  it("is tried a round later when nothing could be stored, and does not end the rounds", async () => {
    let full = true;
    const { deliver, account, berth, letters, round, logged } = await openHarbour({
      instead: ({ outbox }) => ({
        outbox: {
          ...outbox,
          async acceptInbound(...given) {
            if (full) throw new Error("database or disk is full");
            return outbox.acceptInbound(...given);
          },
        },
      }),
    });
    await deliver(batchOf({ 1: [letter("a")] }));
    const one = await berth(await account("shop"), "1");
    await round();
    expect([await letters(one), logged("parked.not-read")]).toEqual([[], 1]);
    full = false;
    await round();
    expect(await letters(one)).toEqual(["a"]);
  });

  it("that does not open holds up nothing behind it", async () => {
    const { deliver, account, berth, letters, waiting, round, folder } = await openHarbour();
    await deliver(batchOf({ 1: [letter("a")] }));
    await deliver(batchOf({ 1: [letter("b")] }));
    await writeRows(folder, "UPDATE parked SET sealed = 'v1.lost.a.b' WHERE position = 1");
    const one = await berth(await account("shop"), "1");
    await round();
    expect([await letters(one), await waiting()]).toEqual([["b"], ["harbour:1"]]);
  });

  it("for an account's channel is not read by another account that takes over the login", async () => {
    const { deliver, account, berth, letters, waiting, round, store } = await openHarbour();
    const [shop, other] = [await account("shop"), await account("other")];
    const old = await berth(shop, "1", "a lost secret");
    await store.channels.setState(old.id, "stopped");
    await deliver(batchOf({ 1: [letter("a")] }));
    const taken = await berth(other, "1");
    await deliver(batchOf({ 1: [letter("b")] }));
    await round();
    expect([await letters(taken), await letters(old), await waiting()]).toEqual([["b"], [], ["harbour:1"]]);
  });
});
