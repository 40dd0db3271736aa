import { type Clock, pause } from "gangway-messenger/clock";
import { DeliveryError, errorText, type Hindrance, type Verdict } from "gangway-messenger/errors";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { Unchanged } from "gangway-messenger/message";
import type { SendStep, SentPart, Step } from "gangway-messenger/plan";
import type { ChannelAdapter, ChannelSession, Sent } from "gangway-messenger/port";
import { type Account, works } from "../../domain/account.ts";
import { type Channel, REMOVED } from "../../domain/channel.ts";
import { ackOf, type Job, type NextState, type Postponed, type Work } from "../../domain/delivery.ts";
import type { OutboundAct } from "../../domain/message.ts";
import { appliedSteps, unappliedSteps } from "../../domain/revision.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { AgentNote, Notices, Overdue } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";

// What agents read next to an undelivered message in the CRM.

export const LATE = "The message could not be delivered in time";

/** `why`: the error of the last attempt. */
const lateBecause = (why: string | undefined): string => (why && why !== LATE ? `${LATE} (${why})` : LATE);

/** Unknown outcome; `why`: the error of the last attempt. */
export const unknownOutcome = (why: string | undefined): string =>
  `It is not known whether this message has reached the customer${why ? ` (${why})` : ""}. Ask before you send it again`;

interface Ending {
  /** The outcome of the last step is unknown. */
  unsure: boolean;
  hindrance?: Hindrance;
  at: number;
}

interface Failed extends Ending {
  verdict: Verdict;
  next: NextState;
  /** Error of the last attempt. */
  error: string;
  /** The channel is gone, so no note can be written in its chats. */
  removed: boolean;
}

/** For work that is not retried unless a person asks for it. */
export function failureReport({ task, key, work }: Job, failed: Failed): Notices {
  const { verdict, next, unsure, error, removed, at } = failed;
  if (next.state === "ready" || task.direction !== "outbound") return {};
  const code = next.state === "dead" ? next.code : "general";
  const externalCode = next.state === "dead" ? next.externalCode : undefined;
  const isLate = verdict.type === "retry";
  const message = unsure ? unknownOutcome(error) : isLate ? lateBecause(error) : error;
  const ack = ackOf(task.act, { error: { code, message, externalCode } });
  const hindrance = isLate ? { code: "late" as const } : failed.hindrance;
  const why = { said: error === LATE ? undefined : error, hindrance };
  return { ack, note: removed ? undefined : unchangedNote(task.act, { key, work, unsure, at, ...why }) };
}

/** For work whose deadline passed before it was certainly sent. */
export function overdueReport(act: OutboundAct, why: Overdue, at: number): Notices {
  const { unsure, error, stopped, work, key } = why;
  const message = unsure ? unknownOutcome(error) : (stopped ?? lateBecause(error));
  const code = !unsure && stopped !== undefined ? "access_restricted" : "general";
  const hindrance = { code: "late" as const };
  const note = unchangedNote(act, { key, work, unsure, said: stopped ?? error, hindrance, at });
  return { ack: ackOf(act, { error: { code, message } }), note };
}

/** For work that waits in a channel which is about to be removed. */
const closingReport = (act: OutboundAct, { unsure, error = REMOVED }: Overdue): Notices => ({
  ack: ackOf(act, { error: { code: "general", message: unsure ? unknownOutcome(error) : error } }),
});

interface Unfinished extends Ending {
  key: string;
  /** Absent if never planned. */
  work?: Work;
  said?: string;
}

/** The note for a change that failed, or partly failed; undefined for other acts. */
export function unchangedNote(act: OutboundAct, { key, work, unsure, at, ...why }: Unfinished): AgentNote | undefined {
  if (act.type !== "edited" && act.type !== "deleted") return undefined;
  const seen = unsure ? "unknown" : work ? seenOf(act, work) : "before";
  const [left] = work ? unappliedSteps(work).flatMap(oldPartOf) : [];
  const { chat, messengerMessageId: of } = act;
  const id = `note:${of}:${key}:${seen}` as MessengerMessageId;
  const change: Unchanged = { act: act.type, seen, words: left?.words, ...why };
  return { type: "unchanged", key: id, chat, messengerMessageId: id, at, of, change };
}

function seenOf({ type }: OutboundAct, work: Work): Unchanged["seen"] {
  const done = appliedSteps(work);
  if (done.length === 0) return "before";
  const saysNew = done.some((step) => step.do !== "delete");
  const saysOld = unappliedSteps(work).some((step) => step.do !== "send");
  return type === "edited" && !saysNew && !saysOld ? "nothing" : "partly";
}

/** The part the customer still sees if the step is not applied, or that is gone without its replacement. */
const oldPartOf = (step: Step): SentPart[] => {
  if (step.do === "send") return step.instead ? [step.instead] : [];
  return [step.part];
};

// A step may have been carried out: the process ended in the middle, or the messenger gave no clear answer.

type Idempotency = Pick<ChannelAdapter, "sendIdempotency" | "idempotencyMs">;

/** Until when a doubtful step may be repeated, or looked up, whatever the policy; ms. */
export function repeatableUntil(idempotency: Idempotency | undefined, since: number): number {
  if (!idempotency || idempotency.sendIdempotency === "none") return 0;
  return since + (idempotency.idempotencyMs ?? Number.POSITIVE_INFINITY);
}

/** Shortest time between two questions about a step, ms. */
const MIN_ASK_MS = 500;
/** What is left before a message's deadline when the policy sends it again, ms. */
const SEND_MS = 15_000;

interface Messenger {
  adapter: Idempotency;
  session: Pick<ChannelSession, "identify" | "lookup">;
  channel: Pick<Channel, "unsure">;
}
interface DoubtfulStep {
  step: SendStep;
  chat: ChatId;
  key: string;
}

/**
 * Resolves with the result if the step was carried out, undefined if it must be sent. Postponed: the messenger may be able
 * to tell later, which is no attempt. Throws DeliveryError.
 */
export async function resolveDoubt(
  { adapter, session, channel }: Messenger,
  { unsure, doubtAt: since = 0, deadlineAt }: Pick<Job, "unsure" | "doubtAt" | "deadlineAt">,
  { step, chat, key }: DoubtfulStep,
  now: number,
  signal: AbortSignal,
): Promise<Sent | Postponed | undefined> {
  // The policy or a person has already decided.
  if (adapter.sendIdempotency === "none") return ensureReachable(session, signal);
  const until = repeatableUntil(adapter, since);
  // A person has decided to send it.
  const isDecided = unsure === 0;
  const resends = channel.unsure === "resend" && unsure === 1;
  if (now < until) {
    if (adapter.sendIdempotency === "native") return undefined;
    const asked = async () => session.lookup?.(step, { chat, key, since }, signal);
    const answer = (await asRetry(asked)) ?? { found: "unknown" as const };
    if (answer.found === "arrived") return answer;
    if (answer.found === "absent") return undefined;
    const spare = resends ? Math.min(SEND_MS, Math.floor((deadlineAt - since) / 2)) : 0;
    const left = isDecided ? 0 : Math.min(until, deadlineAt - spare) - now;
    if (answer.askAgainMs !== undefined && left > 0)
      return { postponedMs: Math.min(Math.max(answer.askAgainMs, MIN_ASK_MS), left) };
  }
  if (isDecided || resends) return ensureReachable(session, signal);
  throw new DeliveryError({ type: "unsure", asked: true }, "the messenger cannot tell whether it arrived");
}

/** Do not spend the only repeat on an outage: it might leave a duplicate and still be in doubt. */
async function ensureReachable(session: Messenger["session"], signal: AbortSignal): Promise<undefined> {
  await asRetry(async () => session.identify?.(signal));
}

/** A query delivers nothing, so any failure of it is a retry. */
async function asRetry<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof DeliveryError && ["retry", "reconnect"].includes(error.verdict.type)) throw error;
    throw new DeliveryError({ type: "retry" }, errorText(error));
  }
}

/**
 * Ends a channel's unsent outbound messages and waits until the gateway has their acks, which it refuses once the
 * channel is deactivated. Throws DeliveryError, ending nothing, when the gateway does not answer.
 */
type CloseChannel = (account: Account, channel: Channel, signal: AbortSignal) => Promise<void>;

interface ClosingDeps {
  store: Pick<Store, "messages" | "outbox">;
  gatewayOf(account: Account): Gateway;
  wake(account: Account): void;
  clock: Clock;
}

/** How long a person waits for the acks, and the polling interval, ms. */
const ACKS_MS = 15_000;
const LOOK_MS = 100;

export const createCloseChannel =
  ({ store, gatewayOf, wake, clock }: ClosingDeps): CloseChannel =>
  async (account, { id: channelId, gatewayChannelId }, signal) => {
    const waits = () => store.messages.hasOutbound(channelId);
    // An account that is switched off makes no calls.
    if (!gatewayChannelId || !works(account) || !(await waits())) return;
    await gatewayOf(account).check(signal);
    const until = clock.monotonic() + ACKS_MS;
    do {
      // In batches, including what arrives meanwhile.
      await store.outbox.endChannel(channelId, closingReport);
      wake(account);
      await pause(clock, LOOK_MS, signal);
    } while (!signal.aborted && clock.monotonic() < until && (await waits()));
  };
