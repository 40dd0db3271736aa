import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import { seeded } from "gangway-messenger/kit/emulator/random";
import { expect } from "vitest";
import { CRM, OWN, runningSite } from "../../../../test/support/site.ts";
import { type AvitoEmulator, createEmulator } from "../../emulator/emulator.ts";

const JSON_TYPE = { "content-type": "application/json" };

interface Changes {
  clock?: Clock;
  seed?: number;
  call?: (real: Call) => Call;
  metrics?: { host: string; port: number };
  /** What is written before the channel is connected: then 30 days are imported. */
  before?(network: AvitoEmulator): Promise<void>;
}

/** A server in this process beside the sandbox, whose Avito has the shop's account as a channel. */
export async function runningShop({ clock, seed = 1, call, metrics, before }: Changes = {}) {
  const made: { network?: AvitoEmulator; deliver?: EmulatorOptions["deliver"] } = {};
  const create = (options: EmulatorOptions) => {
    made.network = createEmulator({
      ...options,
      random: seeded(seed),
      deliver: async (request) => (await made.deliver?.(request)) ?? new Response(null, { status: 503 }),
    });
    return made.network;
  };
  const site = await runningSite({
    ...{ clock, call, metrics, emulators: { avito: create } },
    messengers: { avito: { AVITO_API_URL: `${CRM}/avito` } },
  });
  const bring: EmulatorOptions["deliver"] = async (request) =>
    site.ask(request.url.replace(OWN, ""), { method: "POST", headers: JSON_TYPE, body: await request.clone().text() });
  made.deliver = bring;
  const { network } = made;
  if (!network) throw new Error("the sandbox has no Avito");
  await before?.(network);
  const cookie = await site.connect();
  const { name, settings } = network.channel();
  const form = Object.entries(settings).map(([field, value]) => [`setting.${field}`, value]);
  const formPage = await (await site.ask("/account/add/avito", { headers: { cookie } })).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(formPage)?.[1] ?? "";
  const past = before && { past: "30" };
  const fields = { formToken, kind: "avito", name, ...past, ...Object.fromEntries(form) };
  const added = await site.submit("/account/channels", fields, { cookie });
  expect(added.headers.get("location")).toContain("/account/channels/");
  const id = /channels\/([\w-]{22})/.exec(added.headers.get("location") ?? "")?.[1] ?? "";
  const { world } = site.sandbox;
  const registration = world.modules.get("gangway")?.registration;
  const hook = new URL(registration?.integrations.mgTransport?.webhookUrl ?? "").pathname;
  const channel_id = [...world.channels.keys()].at(-1) ?? 0;
  const [webhook] = network.world.accounts[0]?.webhooks ?? [];
  let agents = 0;
  const held: Request[] = [];
  return {
    ...{ ...site, network, id, cookie },
    /** Path of the address that Avito sends to. */
    door: (webhook?.url ?? "").replace(OWN, ""),
    /** An agent answers in the CRM. */
    agentSays: (chat: string, customer: number, content: string) =>
      site.ask(hook, {
        ...{ method: "POST", headers: { clientid: registration?.clientId ?? "" } },
        body: JSON.stringify({
          ...{ type: "message_sent", meta: { timestamp: 1 } },
          data: {
            ...{ channel_id, external_chat_id: chat, external_user_id: String(customer), id: ++agents },
            ...{ type: "text", content, quote_content: null, quote_external_id: null },
          },
        }),
      }),
    /** Texts at the gateway, but for what names a chat's listing. */
    atGateway: () =>
      world.messages
        .map(({ text }) => text ?? "")
        .filter((text) => !/^(About the listing|По объявлению)/.test(text))
        .sort(),
    /** Webhooks are kept, as if they had been taken. */
    holdBack() {
      made.deliver = async (request) => {
        held.push(request.clone());
        return new Response();
      };
    },
    bringHeld: () => Promise.all(held.map(async (request) => (await bring(request)).status)),
    look: async () => (await site.ask(`/account/channels/${id}`, { headers: { cookie } })).text(),
  };
}
