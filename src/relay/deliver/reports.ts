import { REMOVED } from "../../domain/channel/channel.ts";
import type { Ack, Job, NextState, Verdict } from "../../domain/delivery/delivery.ts";
import type { SentPart, Step } from "../../domain/delivery/plan.ts";
import type { Work } from "../../domain/delivery/work.ts";
import type { MessengerMessageId } from "../../domain/ids.ts";
import type { Hindrance, OutboundAct, Unchanged } from "../../domain/message/message.ts";
import { appliedSteps, unappliedSteps } from "../../domain/message/revision.ts";
import type { AgentNote, Notices, Overdue } from "../../store/outbox.ts";

// What agents read next to an undelivered message in the CRM.

export const LATE = "The message could not be delivered in time";

/** `why`: the error of the last attempt. */
export const lateBecause = (why: string | undefined): string => (why && why !== LATE ? `${LATE} (${why})` : LATE);

/** Unknown outcome; `why`: the error of the last attempt. */
export const unknownOutcome = (why: string | undefined): string =>
  `It is not known whether this message has reached the customer${why ? ` (${why})` : ""}. Ask before you send it again`;

/** The ack for an act; the gateway expects one for messages only. */
export function ackOf(act: OutboundAct, result: Omit<Ack, "gatewayMessageId">): Ack | undefined {
  return act.type === "message" ? { gatewayMessageId: act.gatewayMessageId, ...result } : undefined;
}

interface Failure {
  verdict: Verdict;
  next: NextState;
  unsure: boolean;
  /** Error of the last attempt. */
  error: string;
  hindrance?: Hindrance;
  /** The channel is gone, so no note can be written in its chats. */
  removed: boolean;
  at: number;
}

/** For work that is not retried unless a person asks for it. */
export function failureReport({ task, key, work }: Job, failure: Failure): Notices {
  const { verdict, next, unsure, error, removed, at } = failure;
  if (next.state === "ready" || task.direction !== "outbound") return {};
  const code = next.state === "dead" ? next.code : "general";
  const externalCode = next.state === "dead" ? next.externalCode : undefined;
  const isLate = verdict.type === "retry";
  const message = unsure ? unknownOutcome(error) : isLate ? lateBecause(error) : error;
  const ack = ackOf(task.act, { error: { code, message, externalCode } });
  const hindrance = isLate ? { code: "late" as const } : failure.hindrance;
  const why = { said: error === LATE ? undefined : error, hindrance };
  return { ack, note: removed ? undefined : unchangedNote(task.act, { key, work, unsure, at, ...why }) };
}

/** For work whose deadline passed before it was certainly sent. */
export function overdueReport(act: OutboundAct, why: Overdue, at: number): Notices {
  const { unsure, error, stopped, work, key } = why;
  const hindrance = { code: "late" as const };
  const note = unchangedNote(act, { key, work, unsure, said: stopped ?? error, hindrance, at });
  return { ack: ackOf(act, { error: overdueError(why) }), note };
}

/** For work that waits in a channel which is about to be removed. */
export const closingReport = (act: OutboundAct, { unsure, error = REMOVED }: Overdue): Notices => ({
  ack: ackOf(act, { error: { code: "general", message: unsure ? unknownOutcome(error) : error } }),
});

function overdueError({ unsure, error, stopped }: Overdue): NonNullable<Ack["error"]> {
  if (unsure) return { code: "general", message: unknownOutcome(error) };
  if (stopped !== undefined) return { code: "access_restricted", message: stopped };
  return { code: "general", message: lateBecause(error) };
}

interface Ended {
  key: string;
  /** Absent if never planned. */
  work?: Work;
  /** The outcome of its last step is unknown. */
  unsure: boolean;
  said?: string;
  hindrance?: Hindrance;
  at: number;
}

/** The note for a change that failed, or partly failed; undefined for other acts. */
function unchangedNote(act: OutboundAct, { key, work, unsure, at, ...why }: Ended): AgentNote | undefined {
  if (act.type !== "edited" && act.type !== "deleted") return undefined;
  const seen = unsure ? "unknown" : work ? seenOf(act, work) : "before";
  const [left] = work ? unappliedSteps(work).flatMap(oldPartOf) : [];
  const { chat, messengerMessageId: of } = act;
  const id = `note:${of}:${key}:${seen}` as MessengerMessageId;
  const change: Unchanged = { act: act.type, seen, words: left?.words, ...why };
  return { type: "unchanged", key: id, chat, messengerMessageId: id, at, of, change };
}

/** The note for a change with refused steps; undefined if none was refused. */
export function refusedNote(act: OutboundAct, work: Work, key: string, at: number): AgentNote | undefined {
  const [first] = work.progress.refused ?? [];
  if (!first) return undefined;
  return unchangedNote(act, { key, work, unsure: false, at, said: first.said, hindrance: first.hindrance });
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
