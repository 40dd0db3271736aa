import { channelOf, type Gateway, isWorking } from "../gateway/gateway.ts";
import type { Chat } from "../world.ts";
import { addressOf } from "./callbacks/post.ts";

/** What a transport module knows of a customer on the shop's site (`mgTransport.actions`); empty where it knows nothing. */
export async function siteVisitOf(
  gateway: Gateway,
  chat: Chat,
): Promise<{ now: string; online?: unknown; visits?: unknown }> {
  const [online, visits] = await Promise.all([ask(gateway, chat, "online"), ask(gateway, chat, "visits")]);
  const { timeZone } = gateway.world.settings;
  // Swedish writes dates as the CRM does.
  const now = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return { now: now.format(gateway.clock.now()), online, visits };
}

/** The request is a guess: no source describes it. The customer is named as in webhooks. */
async function ask(gateway: Gateway, chat: Chat, action: "online" | "visits"): Promise<unknown> {
  const { world } = gateway;
  const channel = channelOf(world, chat);
  const module = world.modules.get(channel.moduleCode);
  const path = module?.registration.integrations.mgTransport?.actions?.[action];
  const customer = world.customers.get(chat.customerId)?.externalId;
  if (!module || !path || !customer || !channel.active || !isWorking(world, module)) return undefined;
  const { code, baseUrl, clientId } = module.registration;
  const told = { channel_id: channel.id, external_user_id: customer };
  const request = { action, url: addressOf(baseUrl, path), body: { clientId, [action]: told } };
  return gateway.callbacks.ask({ module: code, action, request });
}
