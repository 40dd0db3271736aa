import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelSession } from "gangway-messenger/port";
import type { Config } from "../../config.ts";
import { createCrm } from "../../crm/client.ts";
import { CrmError, type CrmFault } from "../../crm/verdict.ts";
import type { Account } from "../../domain/account.ts";
import { type Channel, notInstalled, sameTrouble } from "../../domain/channel.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";
import { type AnnouncingParts, announce } from "../channels/announcing.ts";
import { patience } from "../channels/link.ts";

/** The hops of a connection, from the CRM to the messenger. `channel`: the channel at the gateway. */
export type Hop = "crm" | "gateway" | "channel" | "messenger";
/** Why a hop does not work; `off` and `frozen` come from the CRM. `unfinished`: a person has to complete the setup. */
export interface HopFault {
  code: CrmFault | "off" | "frozen" | "gateway" | "stopped" | "unreadable" | "messenger" | "unfinished";
  detail: string;
}
export type Tested = { hop: Hop; fault?: HopFault }[];

export interface TestingParts extends AnnouncingParts {
  config: Pick<Config, "module">;
  call: Call;
  clock: Clock;
}

/** Checks every hop of a channel's connection independently: the first failure need not be the only one. */
export async function testConnection(
  parts: TestingParts,
  account: Account,
  channel: Channel,
  sessionOf: (channel: Channel) => ChannelSession | undefined,
): Promise<Tested> {
  const signal = patience(parts.clock);
  const session = ifOpens(() => ({ settings: channel.settings })) && sessionOf(channel);
  // Announce even without a change: the gateway may have lost the channel.
  const announceAgain = () => announce(parts, account, { ...channel, announced: undefined }, signal);
  const unusable: HopFault = parts.sessions.adapter(channel.kind)
    ? { code: "unreadable", detail: "" }
    : { code: "messenger", detail: notInstalled(channel.kind) };
  const hops: [Hop, Promise<HopFault | undefined>][] = [
    ["crm", crmFault(parts, account)],
    ["gateway", gatewayFault(() => parts.gatewayOf(account).check(signal))],
    ["channel", session ? gatewayFault(announceAgain) : Promise.resolve(unusable)],
    ["messenger", session ? messengerHop(parts, channel, session, signal) : Promise.resolve(unusable)],
  ];
  return Promise.all(hops.map(async ([hop, fault]) => ({ hop, fault: await fault })));
}

async function messengerHop(
  ...[parts, channel, session, signal]: Parameters<typeof messengerFault>
): Promise<HopFault | undefined> {
  const found = await messengerFault(parts, channel, session, signal);
  if (found) return found;
  const detail = await session.unfinished?.();
  return detail === undefined ? undefined : { code: "unfinished", detail };
}

async function crmFault({ call, config }: TestingParts, account: Account): Promise<HopFault | undefined> {
  const { crmUrl, apiKey } = account;
  try {
    const { active, frozen } = await createCrm({ call, crmUrl, apiKey }).readModule(config.module.code);
    if (frozen) return { code: "frozen", detail: "" };
    return active === false ? { code: "off", detail: "" } : undefined;
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    return { code: error.reason, detail: error.detail };
  }
}

async function gatewayFault(ask: () => Promise<void>): Promise<HopFault | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return { code: "gateway", detail: error.message };
  }
}

/** Asks the messenger and stores the result as the channel's trouble, which stays until the channel recovers. */
export async function messengerFault(
  { store }: { store: Pick<Store, "channels"> },
  channel: Channel,
  session: ChannelSession,
  signal: AbortSignal,
): Promise<HopFault | undefined> {
  const { id, epoch, state, trouble = "" } = channel;
  if (state === "stopped") return { code: "stopped", detail: trouble };
  const found = await ask(session, signal);
  // Do not stop a paused channel: resuming checks its credentials again.
  if (found?.code === "stopped" && state === "active")
    await store.channels.setState(id, "stopped", found.detail, { epoch });
  // A feed reports its own trouble and its end.
  else if (!session.feed && !sameTrouble(found?.detail, channel.trouble))
    await store.channels.setTrouble(id, found?.detail, epoch);
  return found;
}

async function ask(session: ChannelSession, signal: AbortSignal): Promise<HopFault | undefined> {
  try {
    await session.identify?.(signal);
    const found = await session.inspect?.(signal);
    return found === undefined ? undefined : { code: "messenger", detail: found };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return { code: error.verdict.type === "reconnect" ? "stopped" : "messenger", detail: error.message };
  }
}
