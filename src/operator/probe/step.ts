import type { Stage } from "./stage.ts";
import type { Unknown, Value } from "./unknowns.ts";

/** In the order in which they are made, after the probe has connected. */
export const STEP_NAMES = [
  "messages",
  "templates",
  "limits",
  "files",
  "rate",
  "crm-rate",
  "crm",
  // Somebody has to act in the CRM.
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

/** One look at the other side. */
export interface Step {
  name: StepName | "connect";
  /** What it will do, after "It will". */
  does: string;
  /** Somebody has to act in the CRM. */
  agent?: true;
  sees: readonly Unknown[];
  run(stage: Stage): Promise<void>;
}

export function see({ seen }: Stage, name: Unknown, value: Value, atLeast = false): void {
  seen.set(name, { value, ...(atLeast && { atLeast }) });
}
