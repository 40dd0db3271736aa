import { describe, expect, it } from "vitest";
import { SHOP } from "../../emulator/emulator.ts";
import { HOOK, shop } from "./shop.ts";

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("a webhook of the emulated Avito", () => {
  it("brings what customers, the account and Avito write, and what was deleted", async () => {
    const { emulator, chat, values, text, bodies } = await shop();
    const said = await emulator.customers.says(chat, { text: "hello" });
    await text("hi");
    await emulator.customers.staffSays(chat, "from staff");
    await emulator.customers.avitoSays(chat.account, "Скидки!", chat);
    await emulator.customers.deletes(chat, said);
    expect(values()).toMatchObject([
      { chat_id: chat.id, user_id: SHOP.id, author_id: 236487301, type: "text", chat_type: "u2i", item_id: 1768287444 },
      { author_id: SHOP.id, content: { text: "hi" } },
      { author_id: SHOP.id, content: { text: "from staff" } },
      { author_id: 1, type: "system", content: { flow_id: expect.any(String) } },
      { id: said.id, type: "deleted", content: {} },
    ]);
    expect(bodies[0]).toMatchObject({ id: expect.any(String), version: "v3.0.0", timestamp: expect.any(Number) });
  });

  it("is tried a few times, later and later, until it is taken", async () => {
    const { emulator, chat, state, bodies, clock } = await shop();
    state.status = 503;
    await emulator.customers.says(chat, { text: "hello" });
    const tries = () => emulator.journal.entries().filter(({ kind }) => kind === "webhook").length;
    expect(tries()).toBe(1);
    for (const [n, pause] of [1_000, 2_000, 4_000, 8_000, 60_000].entries()) {
      clock.jump(pause);
      await settled();
      expect(tries()).toBe(Math.min(5, n + 2));
    }
    state.status = 200;
    await emulator.customers.says(chat, { text: "again" });
    expect(bodies).toHaveLength(1);
  });

  it("can be withheld, and come twice; the lists have it all the same", async () => {
    const { emulator, chat, bodies, clock, call, at } = await shop();
    emulator.switches.set({ withheld: 1 });
    await emulator.customers.says(chat, { text: "hello" });
    expect(bodies).toEqual([]);
    expect((await call("GET", at(3, "/messages/"))).body).toHaveLength(1);
    emulator.switches.set({ withheld: 0, duplicates: 1 });
    await emulator.customers.says(chat, { text: "hello" });
    clock.jump(1_000);
    await settled();
    expect(bodies.length).toBe(2);
  });

  it("leaves to an address no longer than that is subscribed, and to no other account's", async () => {
    const { emulator, chat, bodies, call } = await shop();
    const [, other] = emulator.world.accounts;
    const [person] = emulator.world.people;
    if (other && person) await emulator.customers.says(emulator.customers.chat(other, person), { text: "elsewhere" });
    await call("POST", "/messenger/v1/webhook/unsubscribe", { url: HOOK });
    await emulator.customers.says(chat, { text: "hello" });
    expect(bodies).toEqual([]);
  });

  it("can be lost on its way, before and after the module has it", async () => {
    const { emulator, chat, bodies } = await shop();
    for (const drop of ["before", "after"] as const) emulator.faults.plan({ operation: "webhook", drop });
    await emulator.customers.says(chat, { text: "one" });
    expect(bodies).toHaveLength(0);
    await emulator.customers.says(chat, { text: "two" });
    expect(bodies).toHaveLength(1);
  });

  it("that has no answer within two seconds is not taken", async () => {
    const { emulator, chat, state, clock } = await shop();
    state.hangs = true;
    const said = emulator.customers.says(chat, { text: "hello" });
    clock.jump(2_000);
    await said;
    expect(emulator.journal.entries().at(-1)).toMatchObject({ kind: "webhook", status: 0 });
  });
});
