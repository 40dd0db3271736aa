import type { ChannelAdapter, ChannelSession, MessageAt, Sent } from "../channels/port.ts";
import type { Channel } from "../domain/channel.ts";
import type { Clock } from "../domain/clock.ts";
import { type Ack, DeliveryError, type Job } from "../domain/delivery.ts";
import type { GatewayFileId, MessengerMessageId } from "../domain/ids.ts";
import { linkLine } from "../domain/links.ts";
import { type Loss, lossNote } from "../domain/loss.ts";
import type { GatewayFile, OutboundAct } from "../domain/message.ts";
import {
  beginning,
  type Manner,
  planEdit,
  planMessage,
  type SendStep,
  type SentPart,
  type Step,
  type Work,
} from "../domain/plan.ts";
import type { Outcome } from "../store/outbox.ts";
import type { Store } from "../store/store.ts";
import { settleDoubt } from "./doubt.ts";
import type { PaceAt, Paces } from "./pace.ts";

/** The messenger may not be called yet: the job waits so long, ms, as if it had not been claimed. */
export interface Postponed {
  postponedMs: number;
}

export interface StepParts {
  store: Pick<Store, "messages" | "outbox">;
  paces: Paces;
  clock: Clock;
}
/** What an outbound job is carried out with. */
export interface OutboundSide {
  channel: Channel;
  adapter: ChannelAdapter;
  /** What the network takes, as the channel is set. */
  manner: Manner;
  session: ChannelSession;
  gatewayFile(id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
}

/** Carries out the steps of an act that are not behind it yet, and records each. Throws DeliveryError. */
export async function carryOut(
  parts: StepParts,
  side: OutboundSide,
  job: Job,
  act: OutboundAct,
  signal: AbortSignal,
): Promise<Outcome | Postponed> {
  const { manner } = side;
  job.work ??= await planned(parts, side.channel, act, manner);
  const { work } = job;
  const { steps } = work.plan;
  const at = { channelId: side.channel.id, pace: side.adapter.pace, chat: act.chat };
  let { progress } = work;
  await parts.paces.recall(at, (since) => parts.store.messages.sentSince(side.channel.id, act.chat, since));
  for (const [n, step] of steps.entries()) {
    if (n < progress.done) continue;
    const postponedMs = parts.paces.wait(at);
    if (postponedMs > 0) return { postponedMs };
    const key = n === 0 ? job.key : `${job.key}.${n}`;
    const most = manner.text;
    const since = progress.since ?? (job.unsure > 0 ? 0 : undefined);
    const doubt = since === undefined ? undefined : { since, unsure: job.unsure };
    const more = await oneStep(parts, side, { at, step, key, most, doubt, job, alone: steps.length === 1 }, signal);
    if ("postponedMs" in more) return more;
    progress = {
      done: n + 1,
      parts: [...progress.parts, ...more.parts],
      losses: [...progress.losses, ...more.losses],
    };
    // Another process has the account by now: `done` will say so.
    if (n + 1 < steps.length && !(await parts.store.outbox.advanced(job, { ...work, progress }))) return {};
  }
  return outcomeOf(parts, job, act, { ...work, progress }, manner);
}

async function planned({ store }: StepParts, channel: Channel, act: OutboundAct, manner: Manner): Promise<Work> {
  if (act.type === "message") return beginning(planMessage(act, manner));
  const parts = await store.messages.parts(channel.id, act.messengerMessageId);
  if (act.type === "edited") return beginning(planEdit(act, parts, manner));
  if (act.type === "deleted") return beginning({ steps: parts.map((part) => ({ do: "delete", part })), losses: [] });
  const part: SentPart = { messengerMessageId: act.messengerMessageId, holds: "text" };
  const step: Step = act.type === "read" ? { do: "read", part } : { do: "react", part, reaction: act.reaction };
  return beginning({ steps: [step], losses: [] });
}

interface StepAt {
  at: PaceAt;
  step: Step;
  key: string;
  /** UTF-16 units of a text. */
  most: number;
  /** It was perhaps carried out already. */
  doubt?: { since: number; unsure: number };
  /** The only step of its act: when it is refused, all is. */
  alone: boolean;
  job: Job;
}
type Result = Pick<Work["progress"], "parts" | "losses">;
const NOTHING: Result = { parts: [], losses: [] };

async function oneStep(
  parts: StepParts,
  side: OutboundSide,
  toDo: StepAt,
  signal: AbortSignal,
): Promise<Result | Postponed> {
  const { at, step, most, alone } = toDo;
  try {
    const { ready, losses } =
      step.do === "send" ? await withLinks(side, step, most, signal) : { ready: step, losses: [] };
    const before = ready.do === "send" ? await arrivedBefore(parts, side, { ...toDo, step: ready }, signal) : undefined;
    const done: Result | Postponed = before
      ? { parts: before.parts, losses: before.losses ?? [] }
      : await parts.paces.run(at, async () => {
          await begin(parts, toDo.job);
          return perform(side.session, ready, { chat: at.chat, key: toDo.key }, signal);
        });
    return "postponedMs" in done ? done : { ...done, losses: [...losses, ...done.losses] };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    const { verdict } = error;
    if (verdict.type === "retry" && verdict.afterMs !== undefined) parts.paces.pause(at, verdict.afterMs);
    // One piece that the messenger does not take must not keep the others from the customer.
    const piece = verdict.type === "reject" && verdict.code === "general" && step.do === "send" && !alone;
    if (!piece) throw error;
    return { parts: [], losses: [{ code: "part", about: error.message }] };
  }
}

/** Before a second doubt about it could end it: nothing has left yet. */
async function begin({ store }: StepParts, job: Job): Promise<void> {
  if (job.unsure === 0) return;
  const begun = await before(() => store.outbox.begins(job));
  if (!begun) throw new DeliveryError({ type: "retry" }, "another process has the account");
}

/** What goes wrong here went wrong before anything was sent. */
export async function before<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    throw new DeliveryError({ type: "retry" }, error instanceof Error ? error.message : String(error));
  }
}

async function arrivedBefore(
  { clock }: StepParts,
  { adapter, session, channel }: OutboundSide,
  { at, step, key, doubt }: StepAt & { step: SendStep },
  signal: AbortSignal,
): Promise<Sent | undefined> {
  if (!doubt) return undefined;
  const known = { adapter, session, policy: channel.unsure, ...doubt, now: clock.now() };
  return settleDoubt(known, { step, chat: at.chat, key }, signal);
}

/** Files that did not fit go as lines with their address; one whose address is longer than was planned for is told as lost. */
async function withLinks({ gatewayFile }: OutboundSide, step: SendStep, most: number, signal: AbortSignal) {
  const losses: Loss[] = [];
  let { text } = step;
  for (const part of step.links) {
    if (part.file.at !== "gateway") continue;
    const found = await gatewayFile(part.file.id, signal);
    const longer = [text, linkLine(part, found)].filter(Boolean).join("\n");
    if (longer.length <= most) text = longer;
    else losses.push({ code: "part", about: `${part.name ?? found.name ?? ""}: ${NO_ROOM}` });
  }
  if (!text && losses.length > 0) throw new DeliveryError({ type: "reject", code: "general" }, NO_ROOM);
  return { ready: { ...step, text }, losses };
}

const NO_ROOM = "the address is longer than a message of this messenger";

async function perform(
  session: ChannelSession,
  step: Step,
  to: { chat: MessageAt["chat"]; key: string },
  signal: AbortSignal,
): Promise<Result> {
  const { chat } = to;
  if (step.do === "send") {
    const { parts, losses = [] } = await session.send(step, to, signal);
    return { parts, losses };
  }
  const { messengerMessageId } = step.part;
  if (step.do === "edit") await present(session.revisions).edit(step, chat, signal);
  if (step.do === "delete") await present(session.revisions).delete({ chat, messengerMessageId }, signal);
  if (step.do === "react") await present(session.reactions).set({ chat, messengerMessageId }, step.reaction, signal);
  if (step.do === "read") await session.readMarks?.read({ chat, messengerMessageId }, signal);
  return NOTHING;
}

function present<Verbs>(verbs: Verbs | undefined): Verbs {
  if (!verbs) throw new DeliveryError({ type: "reject", code: "general" }, "the messenger cannot do that");
  return verbs;
}

function outcomeOf(
  { clock }: StepParts,
  job: Job,
  act: OutboundAct,
  { plan, progress }: Work,
  manner: Manner,
): Outcome {
  const { parts, losses } = progress;
  const removed =
    act.type === "edited" ? plan.steps.flatMap((step) => (step.do === "delete" ? idOf(step.part) : [])) : [];
  if (act.type !== "message") return { parts, removed };
  const [first] = parts;
  if (!first)
    throw new DeliveryError({ type: "reject", code: "general" }, losses.at(-1)?.about ?? "nothing could be sent");
  const text = lossNote(losses, manner.language);
  const id = `note:${act.gatewayMessageId}` as MessengerMessageId;
  return {
    parts,
    ack: ackOf(act, { messengerMessageId: first.messengerMessageId }),
    note: text
      ? { type: "note", key: `${id}:${job.key}`, chat: act.chat, messengerMessageId: id, at: clock.now(), text }
      : undefined,
  };
}

const idOf = ({ messengerMessageId }: SentPart) => [messengerMessageId];

/** What the gateway is told of an act; it asks for no word about anything but messages. */
export function ackOf(act: OutboundAct, result: Omit<Ack, "gatewayMessageId">): Ack | undefined {
  return act.type === "message" ? { gatewayMessageId: act.gatewayMessageId, ...result } : undefined;
}
