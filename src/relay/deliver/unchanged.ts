import type { MessengerMessageId } from "../../domain/ids.ts";
import type { Hindrance, OutboundAct, Unchanged } from "../../domain/message.ts";
import type { SentPart, Step, Work } from "../../domain/plan.ts";
import { carriedOut, leftUndone } from "../../domain/revision.ts";
import type { AgentNote } from "../../store/outbox.ts";

interface Ended {
  key: string;
  /** Absent where it was never planned. */
  work?: Work;
  /** Whether its last step was carried out nobody knows. */
  unsure: boolean;
  said?: string;
  hindrance?: Hindrance;
  at: number;
}

/** The line for a change that has ended otherwise than the agent made it; undefined for what needs none. */
export function unchangedNote(act: OutboundAct, { key, work, unsure, at, ...why }: Ended): AgentNote | undefined {
  if (act.type !== "edited" && act.type !== "deleted") return undefined;
  const seen = unsure ? "unknown" : work ? seenOf(act, work) : "before";
  const [left] = work ? leftUndone(work).flatMap(oldPartOf) : [];
  const { chat, messengerMessageId: of } = act;
  const id = `note:${of}:${key}:${seen}` as MessengerMessageId;
  const change: Unchanged = { act: act.type, seen, words: left?.words, ...why };
  return { type: "unchanged", key: id, chat, messengerMessageId: id, at, of, change };
}

/** Of one that was carried out as far as the messenger let it; undefined where that is all of it. */
export function refusedNote(act: OutboundAct, work: Work, key: string, at: number): AgentNote | undefined {
  const [first] = work.progress.refused ?? [];
  if (!first) return undefined;
  return unchangedNote(act, { key, work, unsure: false, at, said: first.said, hindrance: first.hindrance });
}

function seenOf({ type }: OutboundAct, work: Work): Unchanged["seen"] {
  const done = carriedOut(work);
  if (done.length === 0) return "before";
  const saysNew = done.some((step) => step.do !== "delete");
  const saysOld = leftUndone(work).some((step) => step.do !== "send");
  return type === "edited" && !saysNew && !saysOld ? "nothing" : "partly";
}

/** The part that stays as it is when a step is not carried out, or that is gone without another in its place. */
const oldPartOf = (step: Step): SentPart[] => {
  if (step.do === "send") return step.instead ? [step.instead] : [];
  return [step.part];
};
