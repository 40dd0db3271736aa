import { DeliveryError } from "gangway-messenger/errors";
import type { FormerLogin, Handover, Subscription } from "gangway-messenger/former";
import { type ChannelId, cleanName, newId } from "gangway-messenger/ids";
import type { ChannelAdapter, ChannelSession, Identity } from "gangway-messenger/port";
import { cutText } from "gangway-messenger/text";
import { type Account, isOn } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { GatewayChannelId } from "../../domain/ids.ts";
import type { ChannelRecord } from "../../gateway/channels.ts";
import { announce, isAnnounced } from "../channels/announcing.ts";
import { patience } from "../channels/link.ts";
import type { MovingParts } from "./parts.ts";
import { CHANNEL_IMPORTED, cameFromNote } from "./records.ts";
import { AGAIN, type LoginReport, outcomeOf, Refused } from "./reports.ts";

/** Data for a login's new channel; nothing is stored or changed yet. */
interface Found {
  login: FormerLogin;
  gatewayChannelId: GatewayChannelId;
  name: string;
  settings: unknown;
  /** Absent if the account is switched off: its gateway is not asked. */
  gateway?: ChannelRecord;
  /** Absent if the messenger refuses the credentials; `dead` says why. */
  subscription?: Subscription;
  dead?: string;
}

/** A login of an account that moves here. */
export interface Arriving {
  report: LoginReport;
  /** Present if an earlier run stored it. */
  channel?: Channel;
  /** Absent if refused or already stored. */
  found?: Found;
}

/** The former module; logins are taken over only from it. */
export interface Origin {
  from: string;
  adapter: ChannelAdapter;
  /** Hosts named in the former module's registration. */
  hosts: string[];
}

/** A positive int64. */
const GATEWAY_ID = /^[1-9]\d{0,18}$/;
const MAX_GATEWAY_ID = 2n ** 63n - 1n;
/** Longest name of a channel at the gateway (contract). */
const MAX_NAME = 100;
const WITHOUT = "have it removed in the former module, import again, and have it added on the account's page";

/** Inspects a login at all systems; changes nothing. `account` may not be stored yet. */
export async function lookAt(
  parts: MovingParts,
  origin: Origin,
  account: Account,
  login: FormerLogin,
  isStored: boolean,
): Promise<Arriving> {
  const report: LoginReport = { name: cleanName(login.name), outcome: "imported" };
  try {
    const id = gatewayIdOf(login);
    report.gatewayChannelId = id;
    const { channels } = parts.store;
    const channel = isStored ? await channels.byGatewayId(account.id, id) : undefined;
    if (channel) return { report, channel };
    if (isStored && (await channels.onceAtGateway(account.id, id)))
      return { report: { ...report, outcome: "left out", why: "it was removed here since" } };
    return { report, found: await find(parts, origin, account, login, id) };
  } catch (error) {
    return { report: { ...report, ...refusalOf(error) } };
  }
}

function gatewayIdOf({ gatewayChannelId: text }: FormerLogin): GatewayChannelId {
  if (!GATEWAY_ID.test(text) || BigInt(text) > MAX_GATEWAY_ID)
    throw new Refused("its channel id is none of the gateway's", WITHOUT);
  return text as GatewayChannelId;
}

async function find(
  parts: MovingParts,
  { adapter, hosts }: Origin,
  account: Account,
  login: FormerLogin,
  gatewayChannelId: GatewayChannelId,
): Promise<Found> {
  const settings = adapter.settings.safeParse(login.settings);
  if (!settings.success) throw new Refused("its credentials have another form than the messenger gives", WITHOUT);
  const name = cutText(cleanName(login.name), MAX_NAME) || adapter.title;
  const draft = { login, gatewayChannelId, name, settings: settings.data };
  const gateway = isOn(account) ? await recordAt(parts, account, draft, adapter) : undefined;
  const session = parts.sessions.peek(unstored(account, adapter, draft));
  const signal = patience(parts.clock);
  let identity: Identity | undefined;
  try {
    identity = await session.identify?.(signal);
  } catch (error) {
    // Keep the gateway's channel; here the channel waits for new credentials.
    if (error instanceof DeliveryError && error.verdict.type === "reconnect")
      return { ...draft, gateway, dead: error.message };
    throw error;
  }
  const other = identity && (await parts.store.channels.byIdentity(identity.id));
  if (other)
    throw new Refused(
      `the account ${other.accountId} here has this login already`,
      "have it removed there or in the former module, then import again",
    );
  const subscription = await handoverOf(session).look(signal);
  assertFormer(subscription, hosts);
  return { ...draft, name: gateway?.name || name, gateway, subscription };
}

/** Throws Refused if a service other than this server and the former module receives the login's messages. */
function assertFormer({ to, isHere, isOwn }: Subscription, hosts: string[]): void {
  if (to === "" || isHere || isOwn || hosts.includes(to)) return;
  throw new Refused(
    `another service gets its messages now (${to}), not the former module`,
    "have the merchant end that service's connection, or remove the login in the former module; then import again",
  );
}

/** The channel as it will be stored, for a session that only makes inquiries. */
const unstored = (
  { id: accountId }: Account,
  { kind }: ChannelAdapter,
  { name, settings, gatewayChannelId }: Pick<Found, "name" | "settings" | "gatewayChannelId">,
): Channel => ({
  ...{ id: newId<ChannelId>(), accountId, kind, name, settings, gatewayChannelId },
  ...{ door: newId<string>(), unsure: "resend", state: "active", epoch: 1 },
});

export function handoverOf({ handover }: ChannelSession): Handover {
  if (!handover) throw new Error("a messenger with former modules has a handover");
  return handover;
}

async function recordAt(
  parts: MovingParts,
  account: Account,
  { gatewayChannelId, settings }: Pick<Found, "gatewayChannelId" | "settings">,
  adapter: ChannelAdapter,
): Promise<ChannelRecord> {
  const record = await parts.gatewayOf(account).channelRecord(gatewayChannelId, patience(parts.clock));
  if (!record) throw new Refused(`the gateway has no channel ${gatewayChannelId} of this account`, WITHOUT);
  if (!record.isActive) throw new Refused(`the gateway's channel ${gatewayChannelId} is switched off`, WITHOUT);
  if (record.type !== adapter.features(settings as never).type)
    throw new Refused(`the gateway's channel ${gatewayChannelId} is of type ${record.type}`, WITHOUT);
  return record;
}

/** Stores the channel, with the data needed to give it back, before anything changes elsewhere. */
export async function store(parts: MovingParts, origin: Origin, account: Account, found: Found): Promise<Channel> {
  const { from, adapter } = origin;
  const { name, settings, gatewayChannelId, dead, gateway, subscription, login } = found;
  const state = dead === undefined ? (login.isOff ? ("paused" as const) : undefined) : ("stopped" as const);
  const note = cameFromNote(from, subscription?.mark, gateway);
  const draft = { kind: adapter.kind, name, settings, gatewayChannelId, state, trouble: dead, notes: [note] };
  return parts.store.channels.add(account.id, draft, { actor: "operator", action: CHANNEL_IMPORTED });
}

/** Announces the channel's features to the gateway. Resolves with whether they had changed. */
export async function announceAt(parts: MovingParts, account: Account, { id }: Channel): Promise<boolean> {
  const channel = await parts.store.channels.byId(account.id, id);
  if (!channel || channel.state === "stopped" || !isOn(account) || (await isAnnounced(parts, channel))) return false;
  await announce(parts, account, channel, patience(parts.clock));
  return true;
}

/** Points the messenger here, as the last step: until then the former module, at `hosts`, gets the updates. */
export async function subscribe(
  parts: MovingParts,
  account: Account,
  hosts: string[],
  { id }: Channel,
): Promise<Pick<LoginReport, "outcome" | "why" | "todo">> {
  const channel = await parts.store.channels.byId(account.id, id);
  if (!channel) return { outcome: "left out" };
  if (channel.state === "stopped") return { outcome: "stopped" };
  const session = parts.sessions.of(channel);
  const subscription = await handoverOf(session).look(patience(parts.clock));
  if (subscription.isHere && channel.identity) return { outcome: "already here" };
  assertFormer(subscription, hosts);
  const fault = isOn(account)
    ? await parts.link.open(account, channel).then((result) => (result.ok ? undefined : result.fault))
    : await parts.link.subscribe(channel, patience(parts.clock));
  if (!fault) return { outcome: "imported" };
  const why = "detail" in fault ? fault.detail : `it cannot be opened (${fault.code})`;
  return { outcome: "not finished", why, todo: AGAIN };
}

/** Why a login was not moved. Rethrows unexpected errors. */
export function refusalOf(error: unknown): Pick<LoginReport, "outcome" | "why" | "todo"> {
  if (error instanceof Refused || error instanceof DeliveryError) return outcomeOf(error);
  throw error;
}
