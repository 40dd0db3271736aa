import facebook from "gangway-facebook";
import { createEmulator as createFacebook } from "gangway-facebook/emulator/emulator";
import instagram from "gangway-instagram";
import { createEmulator as createInstagram } from "gangway-instagram/emulator/emulator";
import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { seeded } from "gangway-messenger/kit/emulator/random";
import type { ChannelAdapter } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { onPostgres } from "../../../../test/support/engine.ts";
import { recoveredIn } from "../../../../test/support/metrics.ts";
import { CRM, OWN, runningSite } from "../../../../test/support/site.ts";
import { addPerson } from "../../emulator/messaging/chats.ts";
import type { Messaging } from "../../emulator/messaging/emulator.ts";

type Network = Emulator & Omit<Messaging, "site">;
interface Shop {
  adapter: ChannelAdapter;
  create(options: EmulatorOptions): Network;
}

const MINUTE_MS = 60_000;
const CUSTOMERS = 24;
const MESSAGES = 10;

/** A server beside the sandbox, whose network withholds some of its webhooks; the vendor's app is the operator's. */
async function openShop({ adapter, create }: Shop, seed: number, before?: (network: Network) => Promise<void>) {
  const { kind } = adapter;
  const clock = handClock(Date.now());
  const mids = new Set<string>();
  let network: Network | undefined;
  let deliver: EmulatorOptions["deliver"] = async () => new Response(null, { status: 503 });
  const made = (options: EmulatorOptions) => {
    network = create({ ...options, random: seeded(seed), deliver: (request) => deliver(request) });
    return network;
  };
  const env = create({ origin: () => `${CRM}/${kind}`, clock, deliver }).env?.() ?? {};
  const site = await runningSite({
    ...{ clock, emulators: { [kind]: made }, metrics: { host: "127.0.0.1", port: 9464 } },
    messengers: { [kind]: adapter.serverSettings?.parse(env) ?? {} },
  });
  const bring: EmulatorOptions["deliver"] = async (request) => {
    const body = await request.clone().text();
    for (const [, mid] of body.matchAll(/"mid":"([^"]+)"/g)) mids.add(mid as string);
    const { method, headers } = request;
    return site.ask(request.url.replace(OWN, ""), { method, headers, ...(method === "POST" && { body }) });
  };
  deliver = bring;
  const held: Request[] = [];
  const net = network as unknown as Network;
  await net.register?.(OWN);
  await before?.(net);
  if (before) await clock.forward(MINUTE_MS);
  const cookie = await site.connect();
  const fields = { ...net.channel().settings, appSecret: "" };
  const form = Object.entries(fields).map(([name, value]) => [`setting.${name}`, value]);
  const formPage = await (await site.ask(`/account/add/${kind}`, { headers: { cookie } })).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(formPage)?.[1] ?? "";
  const added = await site.submit(
    "/account/channels",
    { formToken, kind, name: "Shop", ...(before && { past: "30" }), ...Object.fromEntries(form) },
    { cookie },
  );
  expect(added.headers.get("location")).toContain("/account/channels/");
  const id = /channels\/([\w-]{22})/.exec(added.headers.get("location") ?? "")?.[1] ?? "";
  const { world } = site.sandbox;
  const registration = world.modules.get("gangway")?.registration;
  const hook = new URL(registration?.integrations.mgTransport?.webhookUrl ?? "").pathname;
  const channel_id = [...world.channels.keys()].at(-1) ?? 0;
  let agents = 0;
  const forward = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.forward(1_000);
      await new Promise((resolve) => setTimeout(resolve, onPostgres ? 25 : 2));
    }
  };
  return {
    ...{ ...site, net, clock, mids, forward, id },
    /** An agent answers in the CRM. */
    agentSays: (chat: string, content: string) =>
      site.ask(hook, {
        ...{ method: "POST", headers: { clientid: registration?.clientId ?? "" } },
        body: JSON.stringify({
          type: "message_sent",
          meta: { timestamp: 1 },
          data: {
            ...{ channel_id, external_chat_id: chat, external_user_id: chat, id: ++agents, type: "text", content },
            ...{ quote_content: null, quote_external_id: null },
          },
        }),
      }),
    /** Webhooks are kept, as if they had been taken. */
    holdBack() {
      deliver = async (request) => {
        held.push(request.clone());
        return new Response();
      };
    },
    bringHeld: () => Promise.all(held.map(async (request) => (await bring(request)).status)),
    /** Of the network, by the module's calls; that a new token is too young to be renewed is the expected answer, whenever it is asked. */
    refusals: () =>
      net.core.journal
        .entries()
        .filter(({ kind, status }) => kind === "call" && status >= 400)
        .filter(({ answer }) => !JSON.stringify(answer).includes("must be at least 24 hours old to be refreshed"))
        .map(({ path }) => path),
    atGateway: () => world.messages.map(({ text }) => text).sort(),
    async recovered() {
      await clock.forward(MINUTE_MS);
      const text = await (await site.app.metrics?.(new Request(`${OWN}/metrics`)))?.text();
      return recoveredIn(text ?? "");
    },
    look: async () => (await site.ask(`/account/channels/${id}`, { headers: { cookie } })).text(),
  };
}

const SHOPS: [string, Shop][] = [
  ["Messenger", { adapter: facebook, create: createFacebook }],
  ["Instagram", { adapter: instagram, create: createInstagram }],
];

/** New customers of the shop's account, each with a chat. */
function customersOf({ platform, customers }: Network, count: number) {
  const [account] = platform.world.accounts;
  if (!account) throw new Error("no account");
  return Array.from({ length: count }, (_, n) =>
    customers.chat(account, addPerson(platform, { firstName: `Customer ${n}`, lastName: "" })),
  );
}

describe.each(SHOPS)("what %s withholds of its webhooks", (_, shop) => {
  it("is in the CRM within five minutes, and nothing is there twice: one of twenty", async () => {
    const { net, forward, agentSays, atGateway, mids, recovered, look } = await openShop(shop, 11);
    net.core.switches.set({ withheld: 0.05, echoAfterMs: 0 });
    const chats = customersOf(net, CUSTOMERS);
    const said = new Map<string, string>();
    for (let round = 0; round < MESSAGES; round++) {
      for (const [n, chat] of chats.entries()) {
        const text = `customer ${n} says ${round}`;
        said.set((await net.customers.says(chat, { text })).mid, text);
        if (n % 6 === 0) await agentSays(chat.scopedId, `agent answers ${n} ${round}`);
        if (n % 12 === 1) {
          await net.customers.presses(chat, { title: `presses ${n} ${round}`, payload: "button" });
          said.set(chat.messages.at(-1)?.mid ?? "", `presses ${n} ${round}`);
        }
        if (n % 8 !== 0) continue;
        const own = `staff adds ${n} ${round}`;
        said.set((await net.staffSays(chat, own)).mid, own);
      }
      await forward(30_000);
    }
    const missing = [...said.keys()].filter((mid) => !mids.has(mid)).length;
    expect(missing).toBeGreaterThan(5);
    await forward(5 * MINUTE_MS);
    expect(atGateway()).toEqual([...said.values()].sort());
    expect(await recovered()).toBe(missing);
    expect(await look()).toContain(`${missing} messages were recovered`);
  });

  it("is in the CRM within five minutes: all of 300 conversations, and no call is too many", async () => {
    const { net, forward, atGateway, recovered, refusals } = await openShop(shop, 12);
    net.core.switches.set({ withheld: 1 });
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

  it("may come late by webhook all the same, once it was recovered", async () => {
    const { net, forward, atGateway, recovered, holdBack, bringHeld } = await openShop(shop, 13);
    const chats = customersOf(net, 3);
    holdBack();
    for (const [n, chat] of chats.entries()) await net.customers.says(chat, { text: `late ${n}` });
    await forward(5 * MINUTE_MS);
    expect(atGateway()).toEqual(["late 0", "late 1", "late 2"]);
    expect(await bringHeld()).toEqual([200, 200, 200]);
    await forward(MINUTE_MS);
    expect(atGateway()).toEqual(["late 0", "late 1", "late 2"]);
    expect(await recovered()).toBe(3);
  });
});

const PAST = 50;

describe.each(SHOPS)("what customers wrote to %s before it was connected", (_, shop) => {
  it("is in the CRM's history where it was asked for, once, and tells nobody", async () => {
    const written: string[] = [];
    const { net, forward, sandbox, look } = await openShop(shop, 14, async (network) => {
      const chats = customersOf(network, PAST);
      for (const [n, chat] of chats.entries()) {
        await network.customers.says(chat, { text: `before ${n}` });
        written.push(`before ${n}`);
        if (n % 10 === 0) await network.staffSays(chat, `staff ${n}`);
        if (n % 10 === 0) written.push(`staff ${n}`);
      }
    });
    const [chat] = customersOf(net, 1);
    if (!chat) throw new Error("no chat");
    await net.customers.says(chat, { text: "after" });
    await forward(10 * MINUTE_MS);
    const { messages } = sandbox.world;
    expect(messages.map(({ text }) => text).sort()).toEqual([...written, "after"].sort());
    expect(messages.filter(({ past }) => !past).map(({ text }) => text)).toEqual(["after"]);
    expect(messages.filter(({ from }) => from.type === "channel")).toHaveLength(5);
    expect(await look()).toContain(`: ${written.length} imported`);
  });
});
