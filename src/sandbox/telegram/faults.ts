import { z } from "zod";
import { methodNamed } from "./parameters.ts";

/** A misbehaviour on demand. */
export const faultForm = z.strictObject({
  /** `*` is any. */
  method: z
    .string()
    .transform((name, c) => {
      const known = name === "*" ? name : methodNamed(name);
      if (!known) c.addIssue("There is no such method");
      return known ?? name;
    })
    .default("*"),
  /** Once unless told, or always when a probability is given. */
  times: z.int().min(1).optional(),
  probability: z.number().min(0).max(1).optional(),
  /** `lost` and `hang`: carried out and not answered; `reset`: cut before it is carried out. */
  type: z.enum(["status", "flood", "lost", "reset", "html", "hang"]),
  status: z.int().min(400).max(599).default(500),
  /** Seconds. */
  retryAfter: z.int().min(1).max(86_400).default(5),
  description: z.string().optional(),
  /** Whom a flood makes wait. */
  scope: z.enum(["bot", "chat"]).default("bot"),
});
export type FaultPlan = z.infer<typeof faultForm>;

export interface Faults {
  plan(plan: FaultPlan): void;
  list(): FaultPlan[];
  clear(): void;
  /** How often each type has happened. */
  happened(): Record<string, number>;
  /** The plan that this call falls under; it is used up by one. */
  next(method: string): FaultPlan | undefined;
}

export function createFaults(random: () => number): Faults {
  let plans: (FaultPlan & { left: number })[] = [];
  let counts: Record<string, number> = {};
  return {
    plan: (plan) =>
      void plans.push({ ...plan, left: plan.times ?? (plan.probability === undefined ? 1 : Number.POSITIVE_INFINITY) }),
    list: () => plans.map(({ left: _, ...plan }) => plan),
    clear: () => {
      plans = [];
      counts = {};
    },
    happened: () => ({ ...counts }),
    next(method) {
      const meant = plans.filter((plan) => plan.method === "*" || plan.method === method);
      const found = meant.find(({ probability = 1 }) => probability >= 1 || random() < probability);
      if (found) {
        found.left -= 1;
        counts[found.type] = (counts[found.type] ?? 0) + 1;
      }
      plans = plans.filter(({ left }) => left > 0);
      return found;
    },
  };
}
