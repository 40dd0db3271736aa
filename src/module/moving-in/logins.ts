import { DeliveryError } from "gangway-messenger/errors";
import type { FormerLogin, Handover, Subscription } from "gangway-messenger/former";
import { type ChannelId, cleanName, newId } from "gangway-messenger/ids";
import type { ChannelAdapter, ChannelSession, Identity } from "gangway-messenger/port";
import { cutText } from "gangway-messenger/text";
import { type Account, isOn } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { GatewayChannelId } from "../../domain/ids.ts";
import type { ChannelRecord } from "../../gateway/records.ts";
import { announce, isAnnounced } from "../channels/announcing.ts";
import { patience } from "../channels/link.ts";
import type { MovingParts } from "./parts.ts";
import { cameFromNote } from "./records.ts";
import { type LoginReport, Refused } from "./reports.ts";

/** What a login's channel begins with here; nothing of it is stored or changed yet. */
interface Found {
  login: FormerLogin;
  gatewayChannelId: GatewayChannelId;
  name: string;
  settings: unknown;
  /** Absent of an account that is switched off: its gateway is not asked. */
  gateway?: ChannelRecord;
  /** Absent: the messenger does not take its credentials any more, as `dead` says. */
  subscription?: Subscription;
  dead?: string;
}

/** One login of an account that moves here. */
export interface Arriving {
  report: LoginReport;
  /** Stored already, by an earlier run. */
  channel?: Channel;
  /** Absent: refused, or stored already. */
  found?: Found;
}

/** Who the former module is: only from it are logins taken. */
export interface Origin {
  from: string;
  adapter: ChannelAdapter;
  /** Hosts of its registration. */
  hosts: string[];
}

/** An int64 above 0. */
const GATEWAY_ID = /^[1-9]\d{0,18}$/;
const MAX_GATEWAY_ID = 2n ** 63n - 1n;
/** Longest name of a channel at the gateway (contract). */
const MAX_NAME = 100;
const AGAIN = "import again later: what is done is kept";

/** Looks at a login everywhere, and changes nothing. `account`: perhaps not stored yet. */
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
    throw new Refused("its channel id is none of the gateway's", "add it anew on the account's page");
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
  if (!settings.success)
    throw new Refused(
      "its credentials have another form than the messenger gives",
      "add it anew on the account's page",
    );
  const name = cutText(cleanName(login.name), MAX_NAME) || adapter.title;
  const draft = { login, gatewayChannelId, name, settings: settings.data };
  const gateway = isOn(account) ? await recordAt(parts, account, draft, adapter) : undefined;
  const session = parts.sessions.peek(unstored(account, adapter, draft));
  const signal = patience(parts.clock);
  let identity: Identity | undefined;
  try {
    identity = await session.identify?.(signal);
  } catch (error) {
    // It stays at the gateway, and here it waits for new credentials.
    if (error instanceof DeliveryError && error.verdict.type === "reconnect")
      return { ...draft, gateway, dead: error.message };
    throw error;
  }
  const other = identity && (await parts.store.channels.byIdentity(identity.id));
  if (other)
    throw new Refused(
      `the account ${other.accountId} here has this login already`,
      "remove it there, then import again",
    );
  const subscription = await handoverOf(session).look(signal);
  const { to, isHere } = subscription;
  if (to !== "" && !isHere && !hosts.includes(to))
    throw new Refused(
      `another service gets its messages now (${to}), not the former module`,
      "have the merchant choose, and add it on the account's page",
    );
  return { ...draft, name: gateway?.name || name, gateway, subscription };
}

/** The channel as it will be stored, for a session that only asks. */
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
  const anew = "add it anew on the account's page";
  if (!record) throw new Refused(`the gateway has no channel ${gatewayChannelId} of this account`, anew);
  if (!record.isActive) throw new Refused(`the gateway's channel ${gatewayChannelId} is switched off`, anew);
  if (record.type !== adapter.features(settings as never).type)
    throw new Refused(`the gateway's channel ${gatewayChannelId} is of type ${record.type}`, anew);
  return record;
}

/** Stores the channel, with what is needed to give it back, before anything is changed elsewhere. */
export async function store(parts: MovingParts, origin: Origin, account: Account, found: Found): Promise<Channel> {
  const { from, adapter } = origin;
  const { name, settings, gatewayChannelId, dead, gateway, subscription, login } = found;
  const state = dead === undefined ? (login.isOff ? ("paused" as const) : undefined) : ("stopped" as const);
  const note = cameFromNote(from, subscription?.mark, gateway);
  const draft = { kind: adapter.kind, name, settings, gatewayChannelId, state, trouble: dead, notes: [note] };
  return parts.store.channels.add(account.id, draft, { actor: "operator", action: "channel imported" });
}

/** Tells the gateway what the channel can do from now on. Resolves with whether there was news. */
export async function announceAt(parts: MovingParts, account: Account, { id }: Channel): Promise<boolean> {
  const channel = await parts.store.channels.byId(account.id, id);
  if (!channel || channel.state === "stopped" || !isOn(account) || (await isAnnounced(parts, channel))) return false;
  await announce(parts, account, channel, patience(parts.clock));
  return true;
}

/** Has the messenger send the login's updates here. The last step: until then the former module gets them. */
export async function subscribe(
  parts: MovingParts,
  account: Account,
  { id }: Channel,
): Promise<LoginReport["outcome"]> {
  const channel = await parts.store.channels.byId(account.id, id);
  if (!channel) return "left out";
  if (channel.state === "stopped") return "stopped";
  const session = parts.sessions.of(channel);
  const { isHere } = await handoverOf(session).look(patience(parts.clock));
  if (isHere && channel.identity) return "already here";
  const fault = isOn(account)
    ? await parts.link.open(account, channel).then((result) => (result.ok ? undefined : result.fault))
    : await parts.link.subscribe(channel, patience(parts.clock));
  if (!fault) return "imported";
  throw new Refused("detail" in fault ? fault.detail : `it cannot be opened (${fault.code})`, AGAIN);
}

/** Why a login, or an account, was not moved. Throws what is a fault of this program. */
export function refusalOf(error: unknown): Pick<LoginReport, "outcome" | "why" | "todo"> {
  if (error instanceof Refused) return { outcome: "refused", ...error.refusal };
  if (!(error instanceof DeliveryError)) throw error;
  const { type } = error.verdict;
  const isFinal = type === "reject" || type === "reconnect";
  return { outcome: isFinal ? "refused" : "not finished", why: error.message, todo: AGAIN };
}
