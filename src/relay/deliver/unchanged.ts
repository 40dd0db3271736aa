import type { MessengerMessageId } from "../../domain/ids.ts";
import type { Hindrance, OutboundAct, Unchanged } from "../../domain/message.ts";
import type { SentPart, Step } from "../../domain/plan.ts";
import { appliedSteps, unappliedSteps } from "../../domain/revision.ts";
import type { Work } from "../../domain/work.ts";
import type { AgentNote } from "../../store/outbox.ts";

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
export function unchangedNote(act: OutboundAct, { key, work, unsure, at, ...why }: Ended): AgentNote | undefined {
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
