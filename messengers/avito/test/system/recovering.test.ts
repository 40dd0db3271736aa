import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { onPostgres } from "../../../../test/support/engine.ts";
import { recoveredIn } from "../../../../test/support/metrics.ts";
import { OWN } from "../../../../test/support/site.ts";
import type { AvitoEmulator } from "../../emulator/emulator.ts";
import { MAZDA } from "../../emulator/emulator.ts";
import { runningShop } from "./site.ts";

const MINUTE_MS = 60_000;
const CUSTOMERS = 24;
const MESSAGES = 10;

async function openShop(seed: number, before?: (network: AvitoEmulator) => Promise<void>) {
  const clock = handClock(Date.now());
  const whole = before && {
    async before(network: AvitoEmulator) {
      await before(network);
      await clock.forward(MINUTE_MS);
    },
  };
  const shop = await runningShop({ clock, seed, metrics: { host: "127.0.0.1", port: 9464 }, ...whole });
  const forward = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.forward(1_000);
      await new Promise((resolve) => setTimeout(resolve, onPostgres ? 25 : 2));
    }
  };
  return {
    ...shop,
    forward,
    /** Ids of messages that a webhook brought. */
    brought: () =>
      new Set(
        shop.network.journal.entries().flatMap(({ kind, request }) => (kind === "webhook" ? [idIn(request)] : [])),
      ),
    refusals: () =>
      shop.network.journal
        .entries()
        .flatMap(({ kind, status, path }) => (kind === "call" && status >= 400 ? [path] : [])),
    async recovered() {
      await clock.forward(MINUTE_MS);
      const text = await (await shop.app.metrics?.(new Request(`${OWN}/metrics`)))?.text();
      return recoveredIn(text ?? "");
    },
  };
}

const idIn = (body: unknown): string => (body as { payload: { value: { id: string } } }).payload.value.id;

/** New customers of the shop, each with a chat about a listing. */
function customersOf({ world, customers }: AvitoEmulator, count: number) {
  const [account] = world.accounts;
  if (!account) throw new Error("no account");
  return Array.from({ length: count }, (_, n) => {
    const person = { n: 100 + n, id: 500_000 + n, name: `Customer ${n}`, hasFace: false };
    world.people.push(person);
    return customers.chat(account, person, MAZDA);
  });
}

describe("what Avito withholds of its webhooks", () => {
  it("is in the CRM within five minutes, and nothing is there twice: one of twenty", async () => {
    const { network, forward, agentSays, atGateway, brought, recovered, look } = await openShop(11);
    network.switches.set({ withheld: 0.05, ownAfterMs: 0 });
    const chats = customersOf(network, CUSTOMERS);
    const said = new Map<string, string>();
    for (let round = 0; round < MESSAGES; round++) {
      for (const [n, chat] of chats.entries()) {
        const text = `customer ${n} says ${round}`;
        said.set((await network.customers.says(chat, { text })).id, text);
        if (n % 6 === 0) await agentSays(chat.id, chat.person.id, `agent answers ${n} ${round}`);
        if (n % 8 !== 0) continue;
        const own = `staff adds ${n} ${round}`;
        said.set((await network.customers.staffSays(chat, own)).id, own);
      }
      await forward(30_000);
    }
    const known = brought();
    const missing = [...said.keys()].filter((id) => !known.has(id)).length;
    expect(missing).toBeGreaterThan(5);
    await forward(5 * MINUTE_MS);
    expect(atGateway()).toEqual([...said.values()].sort());
    const answers = chats.flatMap(({ messages }) => messages.map(({ content }) => String(content.text)));
    const agents = answers.filter((text) => text.startsWith("agent answers"));
    expect(agents).toHaveLength(new Set(agents).size);
    expect(agents).toHaveLength(MESSAGES * Math.ceil(CUSTOMERS / 6));
    expect(await recovered()).toBe(missing);
    expect(await look()).toContain(`${missing} messages were recovered`);
  });

  it("is in the CRM within five minutes: all of 300 chats, and no call is too many", async () => {
    const { network, forward, atGateway, recovered, refusals } = await openShop(12);
    network.switches.set({ withheld: 1 });
    const said: string[] = [];
    for (const [n, chat] of customersOf(network, 300).entries()) {
      said.push(`chat ${n}`);
      await network.customers.says(chat, { text: `chat ${n}` });
    }
    await forward(5 * MINUTE_MS);
    expect(atGateway()).toEqual(said.sort());
    expect(await recovered()).toBe(300);
    expect(refusals()).toEqual([]);
  });

  it("may come late by webhook all the same, once it was recovered", async () => {
    const { network, forward, atGateway, recovered, holdBack, bringHeld } = await openShop(13);
    const chats = customersOf(network, 3);
    holdBack();
    for (const [n, chat] of chats.entries()) await network.customers.says(chat, { text: `late ${n}` });
    await forward(5 * MINUTE_MS);
    expect(atGateway()).toEqual(["late 0", "late 1", "late 2"]);
    expect(await bringHeld()).toEqual([200, 200, 200]);
    await forward(MINUTE_MS);
    expect(atGateway()).toEqual(["late 0", "late 1", "late 2"]);
    expect(await recovered()).toBe(3);
  });
});

describe("what customers wrote on Avito before it was connected", () => {
  it("is in the CRM's history where it was asked for, once, and tells nobody", async () => {
    const written: string[] = [];
    const { network, forward, sandbox, atGateway, look, refusals } = await openShop(14, async (avito) => {
      for (const [n, chat] of customersOf(avito, 40).entries())
        for (let round = 0; round < 3; round++) {
          const text = `before ${n} ${round}`;
          await (round === 1 ? avito.customers.staffSays(chat, text) : avito.customers.says(chat, { text }));
          written.push(text);
        }
    });
    const chat = network.world.chats.at(-1);
    if (!chat) throw new Error("no chat");
    await network.customers.says(chat, { text: "after" });
    await forward(15 * MINUTE_MS);
    expect(atGateway()).toEqual([...written, "after"].sort());
    const past = sandbox.world.messages.filter((message) => message.past);
    expect(past.map(({ text }) => text).sort()).toEqual(written.sort());
    expect(past.filter(({ from }) => from.type === "channel")).toHaveLength(40);
    expect(await look()).toContain(`: ${written.length} imported`);
    expect(refusals()).toEqual([]);
  });
});
