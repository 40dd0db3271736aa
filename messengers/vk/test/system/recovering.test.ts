import { describe, expect, it } from "vitest";
import { customersOf, openShop } from "../shop.ts";

const MINUTE_MS = 60_000;
const CUSTOMERS = 24;
const MESSAGES = 10;

describe("what VK withholds of its events", () => {
  it("is in the CRM within five minutes, and nothing is there twice: one of twenty", async () => {
    const { net, forward, agentSays, atGateway, brought, recovered, look } = await openShop({ seed: 11 });
    net.core.switches.set({ echoAfterMs: 0 });
    const said = new Map<string, string>();
    for (const [n, chat] of customersOf(net, CUSTOMERS).entries())
      await net.customers.says(chat, { text: `first ${n}` });
    const chats = net.core.world.chats;
    for (const chat of chats) said.set(`${chat.person.id}:1`, chat.messages[0]?.text ?? "");
    // The CRM knows each chat now, so agents can write.
    net.core.switches.set({ withheld: 0.05 });
    for (let round = 0; round < MESSAGES; round++) {
      for (const [n, chat] of chats.entries()) {
        const { cmid, text } = await net.customers.says(chat, { text: `customer ${n} says ${round}` });
        said.set(`${chat.person.id}:${cmid}`, text);
        if (n % 6 === 0) await agentSays(chat, `agent answers ${n} ${round}`);
        if (n % 8 !== 0) continue;
        const own = await net.customers.staffSays(chat, `staff adds ${n} ${round}`);
        said.set(`${chat.person.id}:${own.cmid}`, own.text);
      }
      await forward(30_000);
    }
    const missing = [...said.keys()].filter((id) => !brought.has(id)).length;
    expect(missing).toBeGreaterThan(5);
    await forward(5 * MINUTE_MS);
    expect(atGateway()).toEqual([...said.values()].sort());
    expect(await recovered()).toBe(missing);
    expect(await look()).toContain(`${missing} messages were recovered`);
    const answered = chats.flatMap(({ messages }) => messages.filter(({ text }) => text.startsWith("agent")));
    expect(answered).toHaveLength(4 * MESSAGES);
  });

  it("is in the CRM within five minutes: all of 300 conversations, and no call is too many", async () => {
    const { net, forward, atGateway, recovered, refusals } = await openShop({ seed: 12 });
    net.core.switches.set({ withheld: 1, callsPerSecond: 20 });
    const said: string[] = [];
    for (const [n, chat] of customersOf(net, 300).entries()) {
      said.push(`conversation ${n}`);
      await net.customers.says(chat, { text: `conversation ${n}` });
    }
    await forward(5 * MINUTE_MS);
    expect(atGateway()).toEqual(said.sort());
    expect(await recovered()).toBe(300);
    expect(refusals()).toEqual([]);
  });

  it("may come late by its event all the same, once it was recovered", async () => {
    const { net, forward, atGateway, recovered, holdBack, bringHeld } = await openShop({ seed: 13 });
    const chats = customersOf(net, 3);
    holdBack();
    for (const [n, chat] of chats.entries()) await net.customers.says(chat, { text: `late ${n}` });
    await forward(5 * MINUTE_MS);
    expect(atGateway()).toEqual(["late 0", "late 1", "late 2"]);
    expect(await bringHeld()).toEqual(["ok", "ok", "ok"]);
    await forward(MINUTE_MS);
    expect(atGateway()).toEqual(["late 0", "late 1", "late 2"]);
    expect(await recovered()).toBe(3);
  });
});

const [PAST, LONG_CHAT] = [150, 450];

describe("what customers wrote to VK before it was connected", () => {
  it("is in the CRM's history where it was asked for, once, and tells nobody: all conversations, and all of a long one", async () => {
    const written: string[] = [];
    const { net, forward, sandbox, look } = await openShop({
      seed: 14,
      async before(network) {
        for (const [n, chat] of customersOf(network, PAST).entries()) {
          const texts = n === 0 ? Array.from({ length: LONG_CHAT }, (_, each) => `long ${each}`) : [`before ${n}`];
          for (const text of texts) await network.customers.says(chat, { text });
          written.push(...texts);
          if (n % 10 !== 0) continue;
          await network.customers.staffSays(chat, `staff ${n}`);
          written.push(`staff ${n}`);
        }
      },
    });
    const [chat] = customersOf(net, 1);
    if (!chat) throw new Error("no chat");
    await net.customers.says(chat, { text: "after" });
    await forward(15 * MINUTE_MS);
    const { messages } = sandbox.world;
    expect(messages.map(({ text }) => text).sort()).toEqual([...written, "after"].sort());
    expect(messages.filter(({ past }) => !past).map(({ text }) => text)).toEqual(["after"]);
    expect(messages.filter(({ from }) => from.type === "channel")).toHaveLength(PAST / 10);
    expect(await look()).toContain(`: ${written.length} imported`);
  });
});
