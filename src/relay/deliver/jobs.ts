import type { ChannelSession } from "../../channels/port.ts";
import { type Account, agentsLanguage } from "../../domain/account/account.ts";
import { type Channel, REMOVED } from "../../domain/channel/channel.ts";
import { beforeSending, DeliveryError, type Job, notSent, type Postponed } from "../../domain/delivery/delivery.ts";
import type { OutboundAct } from "../../domain/message/message.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Outcome } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import type { Breakers } from "../limits/breaker.ts";
import type { Paces } from "../limits/pace.ts";
import { avatars } from "./avatars.ts";
import { WHOLE } from "./foreign-answers.ts";
import { isOnPiece, onWhole } from "./pieces.ts";
import type { Excuse } from "./quarantine.ts";
import { carryOut, type OutboundSide } from "./steps.ts";
import { blockedMs, type GatewayParts, type ToGateway, toGateway } from "./to-gateway.ts";

/** Delivers one job; records only its progress. `excuse`: for suspects. Throws DeliveryError. */
export type Perform = (job: Job, signal: AbortSignal, excuse?: Excuse) => Promise<Outcome | Postponed>;

interface JobParts extends Omit<GatewayParts, "avatarOf"> {
  store: Pick<Store, "accounts" | "channels" | "messages" | "notes" | "outbox">;
  paces: Paces;
  breakers: Breakers;
  gatewayOf(account: Account): Gateway;
}
type Route = Pick<ToGateway, "channel" | "gatewayChannelId">;

export function createPerform(given: JobParts): Perform {
  const parts = { ...given, avatarOf: avatars(given) };
  return async (job, signal) => {
    const { task } = job;
    if (task.direction === "outbound") {
      const { channel } = await beforeSending(() => routeOf(parts, job));
      const to = { account: job.accountId, name: `channel ${job.channelId}`, pausesWhole: false };
      return await parts.breakers.through(to, () => toMessenger(parts, channel, job, task.act, signal));
    }
    const { channel, gatewayChannelId } = await routeOf(parts, job);
    if (task.direction === "inbound" && task.event.type !== "message") {
      const postponedMs = await blockedMs(parts, job, task.event);
      if (postponedMs > 0) return { postponedMs };
    }
    const account = await parts.store.accounts.byId(job.accountId);
    if (!account) throw channelRemoved();
    const route = { channel, gatewayChannelId, account, gateway: parts.gatewayOf(account), job };
    const to = { account: account.id, name: `gateway ${account.id} ${account.gatewayUrl}`, pausesWhole: true };
    return await parts.breakers.through(to, () =>
      parts.foreignAnswers.watch(job, WHOLE, () => toGateway(parts, route, task, signal)),
    );
  };
}

const channelRemoved = () => new DeliveryError({ type: "reject", code: "general" }, REMOVED);

async function routeOf({ store }: JobParts, job: Job): Promise<Route> {
  const channel = await store.channels.ofJob(job.channelId);
  if (!channel) throw channelRemoved();
  job.epoch = channel.epoch;
  const { gatewayChannelId } = channel;
  if (!gatewayChannelId) throw new DeliveryError({ type: "retry" }, "the channel is not yet known to the gateway");
  return { channel, gatewayChannelId };
}

async function toMessenger(
  parts: JobParts,
  channel: Channel,
  job: Job,
  act: OutboundAct,
  signal: AbortSignal,
): Promise<Outcome | Postponed> {
  const session = sessionOf(parts, channel);
  const adapter = parts.sessions.adapter(channel.kind);
  if (!adapter) throw new DeliveryError({ type: "reconnect" }, `there is no messenger "${channel.kind}"`);
  const capabilities = parts.sessions.capabilitiesOf(channel);
  const gatewayFile: OutboundSide["gatewayFile"] = (...args) => parts.sessions.gatewayFile(channel, ...args);
  const side: OutboundSide = {
    channel,
    adapter,
    capabilities,
    session,
    gatewayFile,
    agentsLanguage: async () => agentsLanguage(await parts.store.accounts.byId(job.accountId), capabilities.language),
  };
  const whole = isOnPiece(act) ? await beforeSending(() => onWhole(parts.store.notes, channel.id, act)) : act;
  return await carryOut(parts, side, job, whole, signal);
}

function sessionOf({ sessions }: JobParts, channel: Channel): ChannelSession {
  try {
    return sessions.of(channel);
  } catch (error) {
    throw notSent(error);
  }
}
