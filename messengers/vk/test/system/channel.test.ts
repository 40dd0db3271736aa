import { describe, expect, it, onTestFinished } from "vitest";
import { createOutgoing } from "../../../../src/calls/outgoing.ts";
import { FORBIDDEN, openTripwire, resolveToLoopback } from "../../../../test/support/forbidden-addresses.ts";
import { CRM, OWN, runningSite } from "../../../../test/support/site.ts";
import { until } from "../../../../test/support/until.ts";
import { createEmulator, type VkEmulator } from "../../emulator/emulator.ts";
import { newMessage } from "../../samples/wire.ts";
import { customersOf, openShop } from "../shop.ts";

describe("a community's channel on a running server", () => {
  it("brings a customer's message to the CRM, answers exactly `ok`, and carries an agent's answer", async () => {
    const { net, forward, agentSays, atGateway, answers, sandbox } = await openShop({ seed: 1 });
    const chat = net.chat();
    await net.customers.says(chat, { text: "Is the rope blue?" });
    await forward(2_000);
    expect(atGateway()).toEqual(["Is the rope blue?"]);
    expect(answers.at(-1)).toMatchObject({ status: 200, text: "ok" });
    await agentSays(chat, "It is.");
    await forward(2_000);
    expect(net.customer.sees()).toEqual(["It is."]);
    await net.customers.reads(chat);
    await forward(2_000);
    expect(sandbox.world.messages.length).toBe(1);
  });

  it("tells the agent in words that the time for an answer is over", async () => {
    const { net, forward, agentSays, sandbox } = await openShop({ seed: 2 });
    const chat = net.chat();
    await net.customers.says(chat, { text: "hello" });
    await forward(2_000);
    chat.isExpired = true;
    await agentSays(chat, "Are you still there?");
    await forward(5_000);
    expect(net.customer.sees()).toEqual([]);
    const acks = sandbox.calls.entries().filter(({ path }) => path.includes("/ack"));
    expect(acks.map(({ request }) => request).join()).toContain("reply_timed_out");
  });

  it("fetches its events where VK cannot reach the server, and goes on after the last one", async () => {
    const { net, forward, atGateway, door } = await openShop({ seed: 3, fields: { "setting.updates": "polling" } });
    expect(door()).toBeUndefined();
    const chat = net.chat();
    await forward(2_000);
    for (const text of ["one", "two", "three"]) await net.customers.says(chat, { text });
    await forward(5_000);
    // The key ends, and VK forgets nothing.
    net.core.switches.set({ keyLifeMs: 0 });
    const [community] = net.core.world.communities;
    Object.assign(community?.longPoll ?? {}, { keyUntil: 0 });
    await net.customers.says(chat, { text: "four" });
    net.core.switches.set({ keyLifeMs: 3_600_000 });
    await forward(60_000);
    expect(atGateway()).toEqual(["four", "one", "three", "two"]);
    // Nobody holds the poll open for longer.
    for (const wake of community?.waiting ?? []) wake();
  });

  it("asks VK to come again, at a time as an HTTP date, when it is full, and loses nothing", async () => {
    const { net, forward, answers, atGateway, gateway, clock } = await openShop({ seed: 4, bounds: { perAccount: 8 } });
    const [chat] = customersOf(net, 1);
    if (!chat) throw new Error("no chat");
    gateway.isDown = true;
    const texts = Array.from({ length: 40 }, (_, n) => `text ${n}`);
    for (const text of texts) await net.customers.says(chat, { text });
    await forward(1_000);
    const refused = answers.filter(({ status }) => status === 429 || status === 503);
    for (const { retryAfter } of refused) {
      const at = Date.parse(retryAfter ?? "");
      expect(retryAfter).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
      expect(at).toBeLessThan(clock.now() + 3 * 3_600_000);
    }
    expect(refused.length).toBeGreaterThan(0);
    gateway.isDown = false;
    await forward(1_800_000);
    expect(atGateway()).toEqual([...texts].sort());
  });
});

describe("a file's address in an event", () => {
  it(`is never connected to where it leads into our own network, in ${FORBIDDEN.length} forms, and the words arrive`, async () => {
    const tripwire = await openTripwire();
    const outgoing = createOutgoing({ resolve: resolveToLoopback });
    onTestFinished(() => outgoing.close());
    let network: VkEmulator | undefined;
    const site = await runningSite({
      emulators: {
        vk: (options) => {
          network = createEmulator({ ...options, deliver: async (request) => bring(request) });
          return network;
        },
      },
      messengers: { vk: { VK_API_URL: `${CRM}/vk`, VK_REACTIONS: "" } },
      call: (real) => (request) => (request.url.startsWith(CRM) ? real(request) : outgoing.call(request)),
    });
    const bring = async (request: Request) =>
      site.ask(request.url.replace(OWN, ""), { method: "POST", body: await request.text() });
    const net = network as unknown as VkEmulator;
    const cookie = await site.connect();
    const fields = { formToken: await site.formToken(cookie), kind: "vk", name: "Shop" };
    const { token = "" } = net.channel().settings;
    await site.submit("/account/channels", { ...fields, "setting.token": token }, { cookie });
    const [server] = net.core.world.communities[0]?.servers ?? [];
    const door = (server?.url ?? "").replace(OWN, "");
    const urls = FORBIDDEN.map((form) => form.replace("PORT", String(tripwire.port)));
    for (const [n, url] of urls.entries()) {
      const doc = { title: "a.txt", ext: "txt", size: 4, type: 1, url };
      const photo = { sizes: [{ url, width: 9, height: 9 }] };
      const attachments = [n % 2 === 0 ? { type: "doc", doc } : { type: "photo", photo }];
      const about = { text: `words ${n}`, conversation_message_id: n + 1, attachments };
      const body = JSON.stringify({ ...newMessage(about), secret: server?.secret });
      const answer = await site.ask(door, { method: "POST", body });
      expect([answer.status, await answer.text()], url).toEqual([200, "ok"]);
    }
    const { messages } = site.sandbox.world;
    await until("the words", () => messages.length === urls.length);
    const said = messages.map(({ text, note }) => text || note || "").sort();
    for (const n of urls.keys()) expect(said.some((words) => words.includes(`words ${n}`))).toBe(true);
    expect(tripwire.connections()).toBe(0);
  });
});
