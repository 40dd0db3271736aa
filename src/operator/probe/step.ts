import type { Stage } from "./stage.ts";
import type { Unknown, Value } from "./unknowns.ts";

/** In execution order, after the connect step. */
export const STEP_NAMES = [
  "messages",
  "templates",
  "limits",
  "files",
  "rate",
  "crm-rate",
  "crm",
  // These need a person who acts in the CRM.
  "texts",
  "reads",
  "patience",
  "parallel",
  "repeats",
  "acks",
  "account-page",
  "callbacks",
  "ack-deadline",
  "waiting",
  "disabled",
] as const;
export type StepName = (typeof STEP_NAMES)[number];

/** One experiment on the other side. */
export interface Step {
  name: StepName | "connect";
  /** What the step will do; follows "It will". */
  does: string;
  /** Needs a person who acts in the CRM. */
  agent?: true;
  sees: readonly Unknown[];
  run(stage: Stage): Promise<void>;
}

export function see({ seen }: Stage, name: Unknown, value: Value, atLeast = false): void {
  seen.set(name, { value, ...(atLeast && { atLeast }) });
}
