import type { ChannelSession } from "../../channels/port.ts";
import { type Account, agentsLanguage } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { Clock } from "../../domain/clock.ts";
import { prefixed, wordsIn } from "../../domain/content.ts";
import { type Ack, beforeSending, DeliveryError, type Job, type Postponed, type Task } from "../../domain/delivery.ts";
import { type Explain, sentence } from "../../domain/explanations.ts";
import { fingerprint, type GatewayChannelId, type MessengerMessageId } from "../../domain/ids.ts";
import type { Writing } from "../../domain/markup.ts";
import type { OutboundAct, RelayedEvent } from "../../domain/message.ts";
import { listedReaction, reactionText } from "../../domain/reactions.ts";
import { unchangedText } from "../../domain/unchanged.ts";
import type { Gateway } from "../../gateway/client.ts";
import { renderContent, renderText } from "../../gateway/markup.ts";
import type { Outcome } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import type { Breakers } from "../dispatch/breaker.ts";
import type { Paces } from "../dispatch/pace.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { type AvatarOf, avatars } from "./avatars.ts";
import { fitted, following } from "./fitting.ts";
import type { Excuse } from "./quarantine.ts";
import { readToGateway } from "./read-marks.ts";
import { carryOut, type OutboundSide } from "./steps.ts";
import { type Strays, WHOLE } from "./strays.ts";
import { blameMessenger, type UploadParts, uploadFiles } from "./uploads.ts";

/** Delivers one job; records only its progress. `excuse`: for suspects. Throws DeliveryError. */
export type Perform = (job: Job, signal: AbortSignal, excuse?: Excuse) => Promise<Outcome | Postponed>;

export interface JobParts {
  store: Pick<Store, "accounts" | "channels" | "messages" | "notes" | "outbox">;
  sessions: Sessions;
  paces: Paces;
  breakers: Breakers;
  strays: Strays;
  clock: Clock;
  explain: Explain;
  gatewayOf(account: Account): Gateway;
}
type Parts = JobParts & { avatarOf: AvatarOf };
interface Route {
  channel: Channel;
  gatewayChannelId: GatewayChannelId;
}
interface ToGateway extends Route {
  account: Account;
  gateway: Gateway;
  job: Job;
}

export function createPerform(given: JobParts): Perform {
  const parts = { ...given, avatarOf: avatars(given) };
  return async (job, signal) => {
    const { task } = job;
    if (task.direction === "outbound") {
      const { channel } = await beforeSending(() => routeOf(parts, job));
      const to = { name: `channel ${job.channelId}`, pausesWhole: false };
      return parts.breakers.through(to, () => toMessenger(parts, channel, job, task.act, signal));
    }
    const route = await beforeSending(() => gatewayRouteOf(parts, job, task));
    if ("postponedMs" in route) return route;
    const { account, gateway, gatewayChannelId } = route;
    const to = { name: `gateway ${account.id} ${account.gatewayUrl}`, pausesWhole: true };
    const carry = async (): Promise<Outcome> => {
      if (task.direction === "inbound") return toGateway(parts, route, task.event, signal);
      await gateway.ack(gatewayChannelId, inWords(parts, route, task.ack), signal);
      return {};
    };
    return parts.breakers.through(to, () => parts.strays.watch(job, WHOLE, carry));
  };
}

/** How often to check whether a due ack was given, or a message resent, ms. */
const POLL_MS = 500;

const channelRemoved = () => new DeliveryError({ type: "reject", code: "general" }, "the channel was removed");

async function routeOf({ store }: Parts, job: Job): Promise<Route> {
  const channel = await store.channels.ofJob(job.channelId);
  if (!channel) throw channelRemoved();
  job.epoch = channel.epoch;
  const { gatewayChannelId } = channel;
  if (!gatewayChannelId) throw new DeliveryError({ type: "retry" }, "the channel is not yet known to the gateway");
  return { channel, gatewayChannelId };
}

async function gatewayRouteOf(parts: Parts, job: Job, task: Task): Promise<ToGateway | Postponed> {
  const { channel, gatewayChannelId } = await routeOf(parts, job);
  const postponedMs = await blockedMs(parts, job, task);
  if (postponedMs > 0) return { postponedMs };
  const account = await parts.store.accounts.byId(job.accountId);
  if (!account) throw channelRemoved();
  return { channel, gatewayChannelId, account, gateway: parts.gatewayOf(account), job };
}

async function toMessenger(
  parts: Parts,
  channel: Channel,
  job: Job,
  act: OutboundAct,
  signal: AbortSignal,
): Promise<Outcome | Postponed> {
  const session = await beforeSending(() => parts.sessions.of(channel));
  const adapter = parts.sessions.adapter(channel.kind);
  if (!adapter) throw new DeliveryError({ type: "reconnect" }, `there is no messenger "${channel.kind}"`);
  const capabilities = parts.sessions.capabilitiesOf(channel);
  const gatewayFile: OutboundSide["gatewayFile"] = (...args) => parts.sessions.gatewayFile(channel, ...args);
  const side: OutboundSide = {
    ...{ channel, adapter, capabilities, session, gatewayFile },
    agentsLanguage: async () => agentsLanguage(await parts.store.accounts.byId(job.accountId), capabilities.language),
  };
  return carryOut(parts, side, job, act, signal);
}

type EventOf<Type extends RelayedEvent["type"]> = Extract<RelayedEvent, { type: Type }>;

/** How long an event about a message must wait until the gateway can accept it, ms. */
async function blockedMs({ store, clock }: Parts, { channelId, id }: Job, task: Task): Promise<number> {
  if (task.direction !== "inbound" || task.event.type === "message") return 0;
  const { type, chat, messengerMessageId } = task.event;
  // A customer can be faster than the ack; until then the gateway does not know the message.
  const dueAt =
    type === "read-until"
      ? await store.messages.acksDue(channelId, chat, id)
      : await store.messages.ackDue(channelId, messengerMessageId);
  if (dueAt !== undefined) return Math.max(0, dueAt - clock.now()) + POLL_MS;
  // A status can overtake the answer to the call that sent the message.
  if (type === "read" || type === "reaction")
    return (await store.messages.mayBeUnderWay(channelId, chat, messengerMessageId)) ? POLL_MS : 0;
  // This may be our own deletion, followed by a resend: wait for its result.
  if (type !== "deleted") return 0;
  return (await store.messages.isBeingReplaced(channelId, chat, messengerMessageId)) ? POLL_MS : 0;
}

async function toGateway(parts: Parts, route: ToGateway, event: RelayedEvent, signal: AbortSignal): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const { messages } = parts.store;
  // The gateway knows a message of many parts by its first part only.
  const head = async () => ({
    ...event,
    messengerMessageId: await messages.head(channel.id, event.messengerMessageId),
  });
  switch (event.type) {
    case "message":
      return messageToGateway(parts, route, event, signal);
    case "note":
      return noteToGateway(parts, route, event, signal);
    case "unchanged": {
      const { change } = event;
      const said = change.said && explainedTo(parts, route, change.said);
      const text = unchangedText({ ...change, said }, languageFor(parts, route));
      return noteToGateway(parts, route, { ...event, type: "note", text }, signal);
    }
    case "edited":
      await editAtGateway(parts, route, (await head()) as EventOf<"edited">, signal);
      return {};
    case "deleted": {
      const { messengerMessageId } = await head();
      // One picture of an album is gone, not the message; the gateway cannot delete a part.
      if ((await messages.current(channel.id, messengerMessageId)) === event.messengerMessageId)
        await gateway.deleteMessage(gatewayChannelId, { messengerMessageId }, signal);
      return {};
    }
    case "read":
    case "read-until":
      await readToGateway(messages, route, event, signal);
      return {};
    case "reaction":
      return reactionToGateway(parts, route, (await head()) as EventOf<"reaction">, signal);
  }
}

/** The gateway refuses a reaction that the channel has not announced: agents read of it instead. */
async function reactionToGateway(
  parts: Parts,
  route: ToGateway,
  event: EventOf<"reaction">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const { dictionary = [] } = parts.sessions.featuresOf(channel).reactions ?? {};
  const { reaction: emoji } = event;
  const reaction = emoji === null ? null : (listedReaction(emoji, dictionary) ?? null);
  await gateway.setReaction(gatewayChannelId, { ...event, reaction }, signal);
  if (emoji === null || reaction !== null) return {};
  const messengerMessageId = `reaction:${fingerprint(event.key)}` as MessengerMessageId;
  const text = reactionText(emoji, languageFor(parts, route));
  return noteToGateway(parts, route, { ...event, type: "note", messengerMessageId, text }, signal);
}

async function noteToGateway(
  parts: Parts,
  route: ToGateway,
  event: EventOf<"note">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel } = route;
  const note = renderText(event, await writingOf(parts, channel));
  const { gatewayMessageId } = await gateway.sendNote(gatewayChannelId, note, signal);
  return { gatewayMessageId };
}

const languageFor = ({ sessions }: Parts, { account, channel }: ToGateway) =>
  agentsLanguage(account, sessions.capabilitiesOf(channel).language);

/** As the account's agents read it. */
const explainedTo = (parts: Parts, route: ToGateway, text: string): string =>
  parts.explain(text, languageFor(parts, route));

const inWords = (parts: Parts, route: ToGateway, ack: Ack): Ack =>
  ack.error
    ? { ...ack, error: { ...ack.error, message: sentence(explainedTo(parts, route, ack.error.message)) } }
    : ack;

const sideOf = (parts: Parts, route: ToGateway) => ({
  session: parts.sessions.of(route.channel),
  language: languageFor(parts, route),
  writing: parts.sessions.writingOf(route.channel),
});

const writingOf = ({ sessions }: Parts, channel: Channel): Promise<Writing> =>
  beforeSending(() => sessions.writingOf(channel)).catch(blameMessenger);

/** If the gateway refuses the edit for good (unknown message, or a kind it cannot edit), sends a new message. */
async function editAtGateway(
  parts: Parts,
  route: ToGateway,
  event: EventOf<"edited">,
  signal: AbortSignal,
): Promise<void> {
  const { gateway, gatewayChannelId, channel } = route;
  const { key, chat, at, anew, messengerMessageId: quote } = event;
  const writing = await writingOf(parts, channel);
  const whole = { type: "text", text: event.text, marks: event.marks } as const;
  const [first, ...rest] = fitted(whole, { writing, language: languageFor(parts, route) });
  try {
    await gateway.editMessage(gatewayChannelId, renderText({ ...event, ...wordsIn(first) }, writing), signal);
  } catch (error) {
    if (!anew || !(error instanceof DeliveryError) || error.verdict.type !== "reject") throw error;
    await messageToGateway(parts, route, { type: "message", key, chat, at, quote, ...anew }, signal);
    return;
  }
  if (anew) await send(parts, route, following({ type: "message", key, chat, at, ...anew }, rest), signal);
}

/** Further pieces of a message. A repeat of one that is there already changes nothing. */
async function send(parts: Parts, route: ToGateway, pieces: EventOf<"message">[], signal: AbortSignal): Promise<void> {
  const { gateway, gatewayChannelId, channel } = route;
  for (const event of pieces) {
    const content = renderContent(event.content, await writingOf(parts, channel));
    await gateway.sendMessage(gatewayChannelId, { event: { ...event, content }, files: [] }, signal);
  }
}

async function messageToGateway(
  parts: Parts,
  route: ToGateway,
  event: EventOf<"message">,
  signal: AbortSignal,
): Promise<Outcome> {
  const { gateway, gatewayChannelId, channel, job } = route;
  const { session, language, writing } = await beforeSending(() => sideOf(parts, route)).catch(blameMessenger);
  const watch: UploadParts["watch"] = (part, act) => parts.strays.watch(job, part, act);
  const { quoted } = event;
  const said = quoted?.always ? prefixed(event.content, quoted.head) : event.content;
  const { content: whole, files } = await uploadFiles({ session, gateway, language, watch }, said, signal);
  const before = quoted && !quoted.always ? quoted.head.length : 0;
  const [content, ...rest] = fitted(whole, { writing, language, before });
  const avatar = await parts.avatarOf({ channelId: channel.id, session, gateway }, event.customer, signal);
  const quote = event.quote && (await parts.store.messages.head(channel.id, event.quote));
  const written = {
    content: renderContent(content, writing),
    quoted: quoted && { ...quoted, head: renderText({ text: quoted.head }, writing).text },
    quote,
  };
  const message = { event: Object.assign({}, event, written), files, avatar };
  const posted = await gateway.sendMessage(gatewayChannelId, message, signal);
  await send(parts, route, following(event, rest), signal);
  await markDelivered(session, event, signal);
  return { gatewayMessageId: posted.gatewayMessageId };
}

/**
 * Before the job settles: a repeat after a crash is harmless, since the messenger recognizes it. Failure is ignored:
 * the gateway has the message, and a missing tick must not make it look undelivered.
 */
async function markDelivered(session: ChannelSession, event: EventOf<"message">, signal: AbortSignal): Promise<void> {
  await session.readMarks?.delivered(event, signal).catch(() => {});
}
