import { z } from "zod";

const plan = z.strictObject({
  /** An operationId of the contract, `bot:` before one of the Bot API; `*` is any of a module's, `bot:*` any of a bot's. */
  operation: z.string().min(1),
  times: z.number().int().min(1).max(1_000_000).default(1),
  status: z.number().int().min(400).max(599).optional(),
  delayMs: z.number().int().min(0).max(600_000).optional(),
  /** Cut the connection before the request takes effect, or after it without an answer. */
  drop: z.enum(["before", "after"]).optional(),
  /** Seconds, with a 429 or 503. */
  retryAfter: z.number().int().min(0).max(86_400).optional(),
});

/** A misbehaviour on demand: the next `times` calls of an operation go wrong. */
export type FaultPlan = z.infer<typeof plan>;

/** Throws an Error that names what is wrong with the plan. */
export function parseFaultPlan(body: unknown): FaultPlan {
  const parsed = plan.safeParse(body);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  return parsed.data;
}

export interface Faults {
  plan(plan: FaultPlan): void;
  clear(): void;
  list(): FaultPlan[];
  /** The plan that the next call of this operation falls under; it is used up by one. */
  next(operation: string): FaultPlan | undefined;
}

export function createFaults(): Faults {
  let plans: FaultPlan[] = [];
  return {
    plan: (added) => void plans.push({ ...added }),
    clear: () => {
      plans = [];
    },
    list: () => plans.map((each) => ({ ...each })),
    next(operation) {
      const any = operation.startsWith("bot:") ? "bot:*" : "*";
      const found = plans.find((p) => p.operation === any || p.operation === operation);
      if (found) found.times -= 1;
      plans = plans.filter((p) => p.times > 0);
      return found;
    },
  };
}
