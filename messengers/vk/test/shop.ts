import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import { seeded } from "gangway-messenger/kit/emulator/random";
import { expect } from "vitest";
import type { Bounds } from "../../../src/domain/delivery.ts";
import { handClock } from "../../../test/support/clock.ts";
import { recoveredIn } from "../../../test/support/metrics.ts";
import { CRM, OWN, runningSite } from "../../../test/support/site.ts";
import { createEmulator, TOKEN, type VkEmulator } from "../emulator/emulator.ts";
import type { Chat } from "../emulator/world.ts";

const MINUTE_MS = 60_000;

interface Changes {
  seed: number;
  /** Of the form, besides the token. */
  fields?: Record<string, string>;
  /** What happens at VK before the channel is there, whose past is then imported. */
  before?(network: VkEmulator): Promise<void>;
  /** What the server holds at most. */
  bounds?: Partial<Bounds>;
}

/** A server beside the sandbox and its VK, with one channel, on a clock of the test's. */
export async function openShop({ seed, fields = {}, before, bounds }: Changes) {
  const clock = handClock(Date.now());
  /** Numbers of messages that a callback has brought. */
  const brought = new Set<string>();
  let network: VkEmulator | undefined;
  let deliver: EmulatorOptions["deliver"] = async () => new Response(null, { status: 503 });
  const made = (options: EmulatorOptions) => {
    network = createEmulator({ ...options, random: seeded(seed), deliver: (request) => deliver(request) });
    // Whoever waits for the next second waits for a test that waits for them.
    network.core.switches.set({ callsPerSecond: 0 });
    return network;
  };
  const gateway = { isDown: false };
  const site = await runningSite({
    call: (real) => async (request) =>
      gateway.isDown && /\/messages$/.test(request.url)
        ? { type: "failure", sent: "no", reason: "refused", detail: "test" }
        : real(request),
    ...{ clock, bounds, emulators: { vk: made }, metrics: { host: "127.0.0.1", port: 9464 } },
    messengers: { vk: { VK_API_URL: `${CRM}/vk`, VK_REACTIONS: "" } },
  });
  const answers: { status: number; text: string; retryAfter: string | null }[] = [];
  const bring: EmulatorOptions["deliver"] = async (request) => {
    const body = await request.clone().text();
    const { type, object } = JSON.parse(body) as { type: string; object?: Record<string, never> };
    const message = (type === "message_new" ? object?.message : object) as Record<string, number> | undefined;
    if (type === "message_new" || type === "message_reply")
      brought.add(`${message?.peer_id}:${message?.conversation_message_id}`);
    const answer = await site.ask(request.url.replace(OWN, ""), { method: "POST", headers: request.headers, body });
    const retryAfter = answer.headers.get("retry-after");
    answers.push({ status: answer.status, text: await answer.clone().text(), retryAfter });
    return answer;
  };
  deliver = bring;
  const net = network as unknown as VkEmulator;
  await before?.(net);
  if (before) await clock.forward(MINUTE_MS);
  const cookie = await site.connect();
  const form = await (await site.ask("/account/add/vk", { headers: { cookie } })).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(form)?.[1] ?? "";
  const given = { "setting.token": TOKEN, ...fields, ...(before && { past: "30" }) };
  const added = await site.submit("/account/channels", { formToken, kind: "vk", name: "Shop", ...given }, { cookie });
  const id = /channels\/([\w-]{22})/.exec(added.headers.get("location") ?? "")?.[1] ?? "";
  expect(id, await added.text()).not.toBe("");
  const { world } = site.sandbox;
  const registration = world.modules.get("gangway")?.registration;
  const hook = new URL(registration?.integrations.mgTransport?.webhookUrl ?? "").pathname;
  const channel_id = [...world.channels.keys()].at(-1) ?? 0;
  let agents = 0;
  const held: Request[] = [];
  return {
    ...{ ...site, net, clock, gateway, brought, answers, id, cookie },
    door: () => net.core.world.communities[0]?.servers[0],
    async forward(ms: number) {
      for (let left = ms; left > 0; left -= 1_000) {
        await clock.forward(1_000);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    /** Time goes on until the work is done. */
    async during<T>(work: Promise<T>): Promise<T> {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      void work.then(end, end);
      while (!isDone) {
        await clock.forward(20);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return work;
    },
    /** An agent answers in the CRM. */
    agentSays: (chat: Chat, content: string) =>
      site.ask(hook, {
        ...{ method: "POST", headers: { clientid: registration?.clientId ?? "" } },
        body: JSON.stringify({
          type: "message_sent",
          meta: { timestamp: 1 },
          data: {
            ...{ channel_id, external_chat_id: String(chat.person.id), external_user_id: String(chat.person.id) },
            ...{ id: ++agents, type: "text", content, quote_content: null, quote_external_id: null },
          },
        }),
      }),
    /** Events are kept, as if they had been taken. */
    holdBack() {
      deliver = async (request) => {
        held.push(request.clone());
        return new Response("ok");
      };
    },
    bringHeld: () => Promise.all(held.map(async (request) => (await bring(request)).text())),
    /** What VK refused of the module's calls. */
    refusals: () =>
      net.core.journal.entries().flatMap(({ kind, operation, answer }) => {
        const { error } = (answer ?? {}) as { error?: { error_code: number } };
        return kind === "call" && error ? [`${operation} ${error.error_code}`] : [];
      }),
    atGateway: () => world.messages.map(({ text }) => text).sort(),
    async recovered() {
      await clock.forward(MINUTE_MS);
      return recoveredIn((await (await site.app.metrics?.(new Request(`${OWN}/metrics`)))?.text()) ?? "");
    },
    look: async () => (await site.ask(`/account/channels/${id}`, { headers: { cookie } })).text(),
  };
}

/** New people, each with a chat. */
export const customersOf = (net: VkEmulator, count: number): Chat[] =>
  Array.from({ length: count }, (_, n) => {
    net.addPerson(`Customer ${n}`);
    return net.chat(net.core.world.people.length);
  });
