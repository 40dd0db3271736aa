import { createPlans, type Fault, faultFields, type Plans } from "gangway-messenger/kit/emulator/faults";
import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { z } from "zod";
import { methodNamed } from "./parameters.ts";

/** Fault targets that are not methods: a file's bytes, and the delivery of an update to a webhook. */
export const FILE = "file";
export const UPDATE = "update";
const OTHERS: string[] = ["*", FILE, UPDATE];

/** `lost` and `hang`: carried out but not answered; `reset`: cut before it is carried out. */
const TYPES = ["status", "flood", "lost", "reset", "html", "hang"] as const;

/** One of the types, or the fields shared with the gateway. */
export const faultForm = z.strictObject({
  ...faultFields,
  /** `*`: any method. */
  method: z
    .string()
    .transform((name, c) => {
      const known = OTHERS.includes(name) ? name : methodNamed(name);
      if (!known) c.addIssue("There is no such method");
      return known ?? name;
    })
    .default("*"),
  /** Only this bot. */
  bot: z.int().optional(),
  type: z.enum(TYPES).optional(),
  /** Whom a flood blocks. */
  scope: z.enum(["bot", "chat"]).optional(),
});
export type FaultPlan = z.infer<typeof faultForm>;

/** Throws an Error that names each bad field. */
export function parseMessengerFault(body: unknown): FaultPlan {
  const parsed = faultForm.safeParse(body);
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  return parsed.data;
}

export interface Faults extends Plans<FaultPlan, Called> {
  /** Count by type; plans without one count as `answer`. */
  happened(): Record<string, number>;
}
export interface Called {
  method: string;
  bot: number;
}

const DEFAULT_WAIT_S = 5;

/** As a shared fault; `flood` has no equivalent there. */
export function faultOf({ type, ...plan }: FaultPlan): Fault & { flood?: { scope: "bot" | "chat"; seconds: number } } {
  switch (type) {
    case "status":
      return { status: plan.status ?? 500, description: plan.description };
    case "html":
      return { status: 502, body: "html" };
    case "reset":
      return { drop: "before" };
    case "lost":
      return { drop: "after" };
    case "hang":
      return { hang: true, when: "after" };
    case "flood":
      return { flood: { scope: plan.scope ?? "bot", seconds: plan.retryAfter ?? DEFAULT_WAIT_S } };
    default:
      return plan;
  }
}

const appliesTo = (plan: FaultPlan, { method, bot }: Called): boolean =>
  (plan.method === method || (plan.method === "*" && !OTHERS.includes(method))) && (plan.bot ?? bot) === bot;

export function createFaults(now: () => number, random: () => number): Faults {
  const plans = createPlans(appliesTo, { now, random });
  let counts: Record<string, number> = {};
  return {
    ...plans,
    next(called) {
      const found = plans.next(called);
      const type = found?.type ?? "answer";
      if (found) counts[type] = (counts[type] ?? 0) + 1;
      return found;
    },
    clear() {
      plans.clear();
      counts = {};
    },
    happened: () => ({ ...counts }),
  };
}
