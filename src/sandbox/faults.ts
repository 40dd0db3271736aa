/** A misbehaviour on demand: the next `times` calls of an operation go wrong. */
export interface FaultPlan {
  /** An operationId of the contract, or `*`. */
  operation: string;
  times: number;
  status?: number;
  delayMs?: number;
  /** Cut the connection before the request takes effect, or after it without an answer. */
  drop?: "before" | "after";
  /** Seconds, with a 429 or 503. */
  retryAfter?: number;
}

export interface Faults {
  plan(plan: FaultPlan): void;
  clear(): void;
  /** The plan that the next call of this operation falls under; it is used up by one. */
  next(operation: string): FaultPlan | undefined;
}

export function createFaults(): Faults {
  let plans: FaultPlan[] = [];
  return {
    plan: (plan) => void plans.push({ ...plan }),
    clear: () => {
      plans = [];
    },
    next(operation) {
      const plan = plans.find((p) => p.times > 0 && (p.operation === "*" || p.operation === operation));
      if (plan) plan.times -= 1;
      plans = plans.filter((p) => p.times > 0);
      return plan;
    },
  };
}
