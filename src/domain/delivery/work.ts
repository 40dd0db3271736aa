import type { Hindrance } from "../message/message.ts";
import type { Loss } from "./loss.ts";
import type { Plan, SentPart } from "./plan.ts";

/** How far a plan has been carried out; stored with it, so that a crash repeats at most one step. */
export interface Progress {
  /** Number of finished steps. */
  done: number;
  /** The parts that the messenger created. */
  parts: SentPart[];
  losses: Loss[];
  /** Of a change: the steps the messenger refused. */
  refused?: RefusedStep[];
}
export interface RefusedStep {
  step: number;
  /** The messenger's own message. */
  said: string;
  hindrance?: Hindrance;
}
export interface Work {
  plan: Plan;
  progress: Progress;
}

export const newWork = (plan: Plan): Work => ({ plan, progress: { done: 0, parts: [], losses: plan.losses } });
