import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import { onTestFinished } from "vitest";
import type { handClock } from "../../../../test/support/clock.ts";
import { CRM, OWN, runningSite } from "../../../../test/support/site.ts";
import { createEmulator, type MaxEmulator } from "../../emulator/emulator.ts";

/** A server beside the sandbox's MAX, with a bot as its channel. */
export async function openShop(changes: Parameters<typeof runningSite>[0] = {}, initial: object = {}) {
  const made: { max?: MaxEmulator } = {};
  let deliver: EmulatorOptions["deliver"] = async () => new Response(null, { status: 503 });
  const create = (options: EmulatorOptions) => {
    made.max = createEmulator({ ...options, deliver: (request) => deliver(request) });
    made.max.switches.set(initial);
    return made.max;
  };
  const messengers = { max: { MAX_API_URL: `${CRM}/max` } };
  const site = await runningSite({ ...changes, emulators: { max: create }, messengers });
  const max = made.max as MaxEmulator;
  onTestFinished(max.stop);
  deliver = async (request) => {
    const { method, headers } = request;
    return site.ask(request.url.replace(OWN, ""), { method, headers, body: await request.text() });
  };
  const cookie = await site.connect();
  const { name, settings } = max.channel();
  const fields = Object.fromEntries(Object.entries(settings).map(([field, value]) => [`setting.${field}`, value]));
  const formToken = await site.formToken(cookie);
  const added = await site.submit("/account/channels", { formToken, kind: "max", name, ...fields }, { cookie });
  const [bot] = max.world.bots;
  const [subscription] = [...(bot?.subscriptions.values() ?? [])];
  if (!subscription) throw new Error(`the channel was not added: ${added.status} ${site.lines.slice(-5).join("\n")}`);
  const door = subscription.url.replace(OWN, "");
  const dialog = max.firstDialog();
  const { world } = site.sandbox;
  const registration = world.modules.get("gangway")?.registration;
  const hook = new URL(registration?.integrations.mgTransport?.webhookUrl ?? "").pathname;
  const channel_id = [...world.channels.keys()].at(-1) ?? 0;
  const chat = String(dialog.chatId);
  let agents = 0;
  const told = (type: string, data: object) =>
    site.ask(hook, {
      ...{ method: "POST", headers: { clientid: registration?.clientId ?? "" } },
      body: JSON.stringify({ type, meta: { timestamp: 1 }, data: { channel_id, external_chat_id: chat, ...data } }),
    });
  return {
    ...{ ...site, max, cookie, door, dialog, bot, secret: subscription.secret ?? "" },
    /** An agent answers in the CRM. */
    agentSays: (content: string, more: object = {}) =>
      told("message_sent", {
        ...{ external_user_id: chat, id: ++agents, type: "text", content },
        ...{ quote_content: null, quote_external_id: null, ...more },
      }),
    /** What the customer sees of the shop, and the customer's messages in the CRM. */
    seen: () =>
      dialog.messages.flatMap(({ from, text, isDeleted }) => (from === "bot" && !isDeleted ? (text ?? "") : [])),
    inCrm: () => world.messages.filter(({ from }) => from.type === "customer").map(({ text }) => text),
    /** Errors that the agent was told, by text. */
    errors: () => world.messages.flatMap(({ error }) => error ?? []),
  };
}

/** Moves the clock by steps, and lets what waits for real I/O come. */
export async function forward(clock: ReturnType<typeof handClock>, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    await clock.forward(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
