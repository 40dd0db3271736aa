import type { ChannelSession, MessageAt } from "../channels/port.ts";
import type { Account } from "../domain/account.ts";
import type { Channel } from "../domain/channel.ts";
import { type Ack, DeliveryError, type Job } from "../domain/delivery.ts";
import type { GatewayChannelId, GatewayFileId } from "../domain/ids.ts";
import type { ChannelEvent, Content, OutboundAct } from "../domain/message.ts";
import type { Gateway } from "../gateway/client.ts";
import type { Outcome } from "../store/outbox.ts";
import type { Store } from "../store/store.ts";
import type { Sessions } from "./sessions.ts";

/** Carries one job to the other side. Throws DeliveryError; records nothing. */
export type Perform = (job: Job, signal: AbortSignal) => Promise<Outcome>;

interface Parts {
  store: Pick<Store, "accounts" | "channels" | "messages">;
  sessions: Sessions;
  gatewayOf(account: Account): Gateway;
}
interface Route {
  channel: Channel;
  gateway: Gateway;
  gatewayChannelId: GatewayChannelId;
}

export function performing(parts: Parts): Perform {
  return async (job, signal) => {
    const route = await before(() => routeOf(parts, job));
    const { task } = job;
    switch (task.direction) {
      case "inbound":
        return toGateway(parts, route, task.event, signal);
      case "outbound":
        return toMessenger(parts, route.channel, task.act, job.key, signal);
      case "ack":
        await route.gateway.ack(route.gatewayChannelId, task.ack, signal);
        return {};
    }
  };
}

/** What goes wrong here went wrong before anything was sent. */
async function before<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    throw new DeliveryError({ type: "retry" }, error instanceof Error ? error.message : String(error));
  }
}

async function routeOf({ store, gatewayOf }: Parts, job: Job): Promise<Route> {
  const [channel, account] = await Promise.all([
    store.channels.ofJob(job.channelId),
    store.accounts.byId(job.accountId),
  ]);
  if (!channel || !account) throw new DeliveryError({ type: "reject", code: "general" }, "the channel was removed");
  const { gatewayChannelId } = channel;
  if (!gatewayChannelId) throw new DeliveryError({ type: "retry" }, "the channel is not yet known to the gateway");
  return { channel, gateway: gatewayOf(account), gatewayChannelId };
}

async function toGateway(parts: Parts, route: Route, event: ChannelEvent, signal: AbortSignal): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  switch (event.type) {
    case "message": {
      const session = await before(() => parts.sessions.of(channel));
      const files = await uploadFiles(session, gateway, event.content, signal);
      const posted = await gateway.sendMessage(gatewayChannelId, event, files, signal);
      // Before the job is settled: after a crash the repeat tells it again, and the messenger knows it. The gateway has
      // the message, so that a tick which cannot be set must not make it look undelivered.
      await session.readMarks?.delivered(event, signal).catch(() => {});
      return { gatewayMessageId: posted.gatewayMessageId };
    }
    case "edited":
      await gateway.editMessage(gatewayChannelId, event, signal);
      return {};
    case "deleted":
      await gateway.deleteMessage(gatewayChannelId, event, signal);
      return {};
    case "read": {
      const gatewayMessageId = await parts.store.messages.gatewayId(channel.id, event.messengerMessageId);
      await gateway.markRead(gatewayChannelId, { ...event, gatewayMessageId }, signal);
      return {};
    }
    case "reaction":
      await gateway.setReaction(gatewayChannelId, event, signal);
      return {};
  }
}

async function uploadFiles(
  session: ChannelSession,
  gateway: Gateway,
  content: Content,
  signal: AbortSignal,
): Promise<GatewayFileId[]> {
  if (!("files" in content)) return [];
  const ids: GatewayFileId[] = [];
  for (const { file, name, mediaType } of content.files) {
    if (file.at === "gateway") {
      ids.push(file.id);
      continue;
    }
    if (!session.files) throw new DeliveryError({ type: "reject", code: "general" }, "the messenger gives no files");
    const open = await session.files.open(file.ref, signal).catch(blameMessenger);
    const upload = { ...open, name: name ?? open.name, mediaType: mediaType ?? open.mediaType };
    try {
      ids.push(await gateway.uploadFile(upload, signal));
    } finally {
      // A call that never began has not touched the stream, and its source would stay open.
      if (!open.body.locked) await open.body.cancel().catch(() => {});
    }
  }
  return ids;
}

/** A messenger's dead credentials are no reason to rest the account's way to the gateway. */
function blameMessenger(error: unknown): never {
  const dead = error instanceof DeliveryError && error.verdict.type === "reconnect";
  throw dead ? new DeliveryError({ type: "retry" }, error.message) : error;
}

async function toMessenger(
  { sessions, store }: Parts,
  channel: Channel,
  act: OutboundAct,
  key: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const session = await before(() => sessions.of(channel));
  if (act.type === "message") {
    const { messengerMessageIds } = await session.send(act, key, signal);
    return { messengerMessageIds, ack: ackOf(act, { messengerMessageId: messengerMessageIds[0] }) };
  }
  const at = (messengerMessageId: MessageAt["messengerMessageId"]): MessageAt => ({
    chat: act.chat,
    messengerMessageId,
  });
  const target = at(act.messengerMessageId);
  const cannot = () =>
    new DeliveryError({ type: "reject", code: "general" }, `the messenger cannot do that (${act.type})`);
  switch (act.type) {
    case "edited":
      if (!session.revisions) throw cannot();
      await session.revisions.edit(target, act.content, signal);
      return {};
    case "deleted":
      if (!session.revisions) throw cannot();
      for (const part of await store.messages.parts(channel.id, act.messengerMessageId))
        await session.revisions.delete(at(part), signal);
      return {};
    case "read":
      await session.readMarks?.read(target, signal);
      return {};
    case "reaction":
      if (!session.reactions) throw cannot();
      await session.reactions.set(target, act.reaction, signal);
      return {};
  }
}

/** What the gateway is told of an act; it asks for no word about anything but messages. */
export function ackOf(act: OutboundAct, result: Omit<Ack, "gatewayMessageId">): Ack | undefined {
  return act.type === "message" ? { gatewayMessageId: act.gatewayMessageId, ...result } : undefined;
}
