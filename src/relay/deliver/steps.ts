import type { Clock } from "gangway-messenger/clock";
import { beforeSending, DeliveryError } from "gangway-messenger/errors";
import type { Explain } from "gangway-messenger/explanations";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import { lossNote } from "gangway-messenger/loss";
import type { Capabilities, Loss, SendStep, SentPart, Step } from "gangway-messenger/plan";
import { planEdit, planMessage, resendFrom } from "gangway-messenger/planning";
import type { ChannelSession, MessageRef } from "gangway-messenger/port";
import { excerptOf, lengthOf, linkLine } from "gangway-messenger/text";
import { agentsLanguage } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import {
  ackOf,
  type Job,
  newWork,
  type Postponed,
  type RefusedStep,
  untilRecorded,
  type Work,
} from "../../domain/delivery.ts";
import { isOnPiece, type OutboundAct } from "../../domain/message.ts";
import { appliedSteps, changesOf, planDeletion } from "../../domain/revision.ts";
import type { Outcome } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import type { PaceAt, Paces } from "../limits/limits.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { redirectToWhole } from "./pieces.ts";
import { resolveDoubt, unchangedNote } from "./reports.ts";

interface StepDeps {
  store: Pick<Store, "accounts" | "messages" | "notes" | "outbox">;
  sessions: Pick<Sessions, "open" | "gatewayFile">;
  paces: Paces;
  clock: Clock;
  explain: Explain;
}
/** The channel's session, with its adapter and capabilities. */
interface Side extends ReturnType<Sessions["open"]> {
  channel: Channel;
}

/** Carries out the remaining steps of an act and records each. Throws DeliveryError. */
export async function carryOut(
  deps: StepDeps,
  channel: Channel,
  job: Job,
  given: OutboundAct,
  signal: AbortSignal,
): Promise<Outcome | Postponed> {
  const side = await beforeSending(async () => {
    const { session, adapter, capabilities } = deps.sessions.open(channel);
    return { channel, session, adapter, capabilities };
  });
  const act = isOnPiece(given)
    ? await beforeSending(() => redirectToWhole(deps.store.notes, channel.id, given))
    : given;
  let work = job.work ?? (await plan(deps, channel, act, side.capabilities));
  // Record a replacement first: the messenger may report our deletion before the call has ended.
  const replaces = !job.work && work.plan.steps.some((step) => step.do === "send" && step.instead);
  job.work = work;
  if (replaces && !(await deps.store.outbox.advanced(job, work))) return {};
  const chatAt = { accountId: job.accountId, channelId: channel.id, pace: side.adapter.pace, chat: act.chat };
  const sentSince = (since: number) => deps.store.messages.sentSince(channel.id, act.chat, since);
  await beforeSending(() => deps.paces.countEarlier(chatAt, sentSince));
  for (;;) {
    const step = work.plan.steps[work.progress.done];
    if (!step) break;
    const at = { ...chatAt, hasFiles: step.do === "send" && step.files.length > 0 };
    const postponedMs = deps.paces.wait(at);
    if (postponedMs > 0) return { postponedMs };
    const result = await runStep(deps, side, { at, step, job, work, act }, signal);
    if ("postponedMs" in result) return result;
    work = "steps" in result ? { ...work, plan: { ...work.plan, steps: result.steps } } : withStep(work, result);
    const isLast = work.progress.done === work.plan.steps.length;
    // Another process owns the account now; `done` will report it.
    const advanced = () => deps.store.outbox.advanced(job, work);
    if (!isLast && !(await untilRecorded(deps.clock, signal, advanced))) return {};
  }
  const { losses } = work.progress;
  const lost = losses.length > 0 ? lossesText(deps, losses, await languageOf(deps, job, side)) : undefined;
  return outcomeOf(deps, job, act, work, lost);
}

/** The agents' language; the channel's if the store fails: the message was sent, and must not look unsent. */
const languageOf = async ({ store }: StepDeps, { accountId }: Job, { capabilities }: Side): Promise<Language> =>
  agentsLanguage(await store.accounts.byId(accountId).catch(() => undefined), capabilities.language);

/** A refused part has the messenger's reason. */
const lossesText = ({ explain }: StepDeps, losses: Loss[], language: Language): string | undefined =>
  lossNote(
    losses.map((loss) =>
      loss.code === "part" && loss.about ? { ...loss, about: explain(loss.about, language) } : loss,
    ),
    language,
  );

function withStep({ plan, progress }: Work, result: StepResult): Work {
  const refused = [...(progress.refused ?? []), ...(result.refused ? [result.refused] : [])];
  const parts = [...progress.parts, ...result.parts];
  const losses = [...progress.losses, ...result.losses];
  return { plan, progress: { done: progress.done + 1, parts, losses, ...(refused.length > 0 && { refused }) } };
}

async function plan(
  { store }: StepDeps,
  channel: Channel,
  act: OutboundAct,
  capabilities: Capabilities,
): Promise<Work> {
  if (act.type === "message") return newWork(planMessage(act, capabilities));
  const parts = await store.messages.parts(channel.id, act.messengerMessageId);
  if (act.type === "edited" && parts.some(({ holds }) => holds === "template"))
    throw new DeliveryError({ type: "reject", code: "general" }, "a message by template cannot be edited");
  if (act.type === "edited") return newWork(planEdit(act, parts, capabilities));
  if (act.type === "deleted") return newWork(planDeletion(parts));
  const messengerMessageId = await store.messages.current(channel.id, act.messengerMessageId);
  const part: SentPart = { messengerMessageId, holds: "text" };
  const step: Step = act.type === "read" ? { do: "read", part } : { do: "react", part, reaction: act.reaction };
  return newWork({ steps: [step], losses: [] });
}

interface StepAt {
  at: PaceAt;
  step: Step;
  job: Job;
  work: Work;
  act: OutboundAct;
}
type StepResult = Pick<Work["progress"], "parts" | "losses"> & { refused?: RefusedStep };
const NOTHING: StepResult = { parts: [], losses: [] };
/** Replacement steps for one that cannot be carried out. */
type Replanned = Pick<Work["plan"], "steps">;

async function runStep(
  deps: StepDeps,
  side: Side,
  current: StepAt,
  signal: AbortSignal,
): Promise<StepResult | Postponed | Replanned> {
  const { at, step, job, work, act } = current;
  const key = work.progress.done === 0 ? job.key : `${job.key}.${work.progress.done}`;
  try {
    const { ready, losses } =
      step.do === "send" && (step.links.length > 0 || step.quote)
        ? await prepared(deps, side, step, signal)
        : { ready: step, losses: [] };
    const inDoubt = job.doubtAt !== undefined || job.unsure > 0;
    const earlier =
      inDoubt && ready.do === "send"
        ? await resolveDoubt(side, job, { step: ready, chat: at.chat, key }, deps.clock.now(), signal)
        : undefined;
    if (earlier && "postponedMs" in earlier) return earlier;
    const done: StepResult | Postponed = earlier
      ? { parts: earlier.parts, losses: earlier.losses ?? [] }
      : await deps.paces.run(at, async () => {
          if (inDoubt) await recordStart(deps, job);
          return await takeStep(side.session, ready, { chat: at.chat, key }, signal);
        });
    if ("postponedMs" in done) return done;
    return { parts: describedParts(ready, done.parts), losses: [...losses, ...done.losses] };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    const { verdict } = error;
    if (verdict.type === "retry" && verdict.afterMs !== undefined) deps.paces.pause(at, verdict.afterMs);
    const steps = error.hindrance?.code === "fixed" && resendFrom(work.plan.steps, work.progress.done);
    if (steps && step.do === "edit") return { steps };
    if (!canSkip(act, work, step, error)) throw error;
    return refusedResult(act, work, error);
  }
}

/** The parts made by a step, with their excerpt and the part they replace. */
function describedParts(step: Step, parts: SentPart[]): SentPart[] {
  if (step.do === "edit") {
    const { messengerMessageId: instead } = step.part;
    return [{ ...step.part, words: excerptOf(step.text) || undefined, instead }];
  }
  if (step.do !== "send") return parts;
  const [first, ...others] = parts;
  if (!first) return parts;
  const instead = step.instead && { instead: step.instead.messengerMessageId };
  const described = [{ ...first, words: excerptOf(step.text) || undefined, ...instead }, ...others];
  return step.template || step.card ? described.map((part) => ({ ...part, holds: "template" })) : described;
}

/** One refused step must not keep the others from the customer. */
function canSkip(act: OutboundAct, work: Work, step: Step, { verdict }: DeliveryError): boolean {
  const { steps } = work.plan;
  if (verdict.type !== "reject" || steps.length === 1) return false;
  if (act.type === "message") return verdict.code === "general" && step.do === "send";
  if (act.type === "deleted") return true;
  // An edit whose first step is refused changed nothing; one without its replacement would leave half a deletion.
  return act.type === "edited" && appliedSteps(work).length > 0 && !(step.do === "send" && step.instead);
}

function refusedResult(act: OutboundAct, { progress }: Work, { message: said, hindrance }: DeliveryError): StepResult {
  if (act.type === "message") return { parts: [], losses: [{ code: "part", about: said }] };
  return { ...NOTHING, refused: { step: progress.done, said, hindrance } };
}

/** Record the start before any byte leaves: a second doubt ends the job. */
async function recordStart({ store }: StepDeps, job: Job): Promise<void> {
  if (job.unsure === 0) return;
  const begun = await beforeSending(() => store.outbox.callStarted(job));
  if (!begun) throw new DeliveryError({ type: "retry" }, "another process has the account");
}

/** The step with its links and its quote resolved. */
async function prepared({ store, sessions }: StepDeps, side: Side, step: SendStep, signal: AbortSignal) {
  const linked = step.links.length > 0 ? await withLinks(sessions, side, step, signal) : { ready: step, losses: [] };
  const quoted = step.quote?.messengerMessageId;
  if (!quoted) return linked;
  const messengerMessageId = await beforeSending(() => store.messages.current(side.channel.id, quoted));
  return { ...linked, ready: { ...linked.ready, quote: { ...step.quote, messengerMessageId } } };
}

/** Adds a line with the URL of each oversized file; a line that does not fit is reported as lost. */
async function withLinks(
  sessions: StepDeps["sessions"],
  { channel, capabilities }: Side,
  step: SendStep,
  signal: AbortSignal,
) {
  const losses: Loss[] = [];
  let { text } = step;
  for (const part of step.links) {
    if (part.file.at !== "gateway") continue;
    const found = await sessions.gatewayFile(channel, part.file.id, signal);
    const longer = [text, linkLine(part, found)].filter(Boolean).join("\n");
    if (lengthOf(longer, capabilities.textUnit) <= capabilities.text) text = longer;
    else losses.push({ code: "part", about: `${part.name ?? found.name ?? ""}: ${NO_ROOM}` });
  }
  if (!text && losses.length > 0) throw new DeliveryError({ type: "reject", code: "general" }, NO_ROOM);
  return { ready: { ...step, text }, losses };
}

const NO_ROOM = "the URL is too long for a message of this messenger";

async function takeStep(
  session: ChannelSession,
  step: Step,
  to: { chat: MessageRef["chat"]; key: string },
  signal: AbortSignal,
): Promise<StepResult> {
  const { chat } = to;
  if (step.do === "send") {
    const { parts, losses = [] } = await session.send(step, to, signal);
    return { parts, losses };
  }
  const { messengerMessageId } = step.part;
  if (step.do === "edit") await required(session.revisions).edit(step, chat, signal);
  if (step.do === "delete") await required(session.revisions).delete({ chat, messengerMessageId }, signal);
  if (step.do === "react") await required(session.reactions).set({ chat, messengerMessageId }, step.reaction, signal);
  if (step.do === "read") await session.readMarks?.read({ chat, messengerMessageId }, signal);
  return NOTHING;
}

function required<Verbs>(verbs: Verbs | undefined): Verbs {
  if (!verbs) throw new DeliveryError({ type: "reject", code: "general" }, "the messenger cannot do that");
  return verbs;
}

/** `lost`: what the agent is told of the losses. */
function outcomeOf({ clock }: StepDeps, job: Job, act: OutboundAct, work: Work, lost: string | undefined): Outcome {
  const { parts, losses, refused = [] } = work.progress;
  if (act.type !== "message") {
    const [first, last] = [refused[0], refused.at(-1)];
    if (last && appliedSteps(work).length === 0) throw refusalError(last);
    const end = { key: job.key, work, unsure: false, at: clock.now(), said: first?.said, hindrance: first?.hindrance };
    return { ...(act.type === "edited" && changesOf(work)), note: first && unchangedNote(act, end) };
  }
  const [first] = parts;
  if (!first)
    throw new DeliveryError({ type: "reject", code: "general" }, losses.at(-1)?.about ?? "nothing could be sent");
  const id = `note:${act.gatewayMessageId}` as MessengerMessageId;
  return {
    parts,
    ack: ackOf(act, { messengerMessageId: first.messengerMessageId }),
    note: lost
      ? { type: "note", key: `${id}:${job.key}`, chat: act.chat, messengerMessageId: id, at: clock.now(), text: lost }
      : undefined,
  };
}

function refusalError({ said, hindrance }: RefusedStep): DeliveryError {
  const error = new DeliveryError({ type: "reject", code: "general" }, said);
  error.hindrance = hindrance;
  return error;
}
