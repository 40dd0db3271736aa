import { z } from "zod";
import { shapeFaults } from "./shape.ts";

/** Statuses worth testing: a gateway's, a proxy's, and those of a wrong server. */
export const FAULT_STATUSES = [
  200, 201, 204, 301, 302, 307, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 425, 429, 500, 502, 503, 504, 520,
] as const;

export const FAULT_BODIES = [
  /** The contract's shape: a refusal, or the real answer where the call took effect and the status allows it. */
  "contract",
  "json",
  /** nginx's page for the status. */
  "html",
  "empty",
  /** The first half of `contract`. */
  "half",
  /** 10 MiB. */
  "large",
  "garbage",
  /** `contract`, dripping byte by byte. */
  "drip",
  "redirect",
] as const;

/** What goes wrong with a call; shared by both sides. */
const fault = {
  /** Wait first. */
  delayMs: z.number().int().min(0).max(600_000).optional(),
  status: z.number().int().min(200).max(599).optional(),
  body: z.enum(FAULT_BODIES).optional(),
  /** Whether the call takes effect before this answer. Default: `before`, it does not. */
  when: z.enum(["before", "after"]).optional(),
  /** Cut the connection before the call takes effect, or after it, unanswered. */
  drop: z.enum(["before", "after"]).optional(),
  /** Never answer; `when` says whether the call takes effect. */
  hang: z.boolean().optional(),
  /** Seconds. */
  retryAfter: z.number().int().min(0).max(86_400).optional(),
  /** The `Location` of a redirect. */
  location: z.string().min(1).max(2_000).optional(),
  /** The refusal's message. */
  description: z.string().max(2_000).optional(),
};

/** How often and how long. */
const extent = {
  /** Default: once; unlimited with `forMs` or `probability`. */
  times: z.number().int().min(1).max(1_000_000).optional(),
  /** Ends after this many ms: an outage. */
  forMs: z.number().int().min(1).max(3_600_000).optional(),
  probability: z.number().min(0).max(1).optional(),
};

export const faultFields = { ...extent, ...fault };
export type Fault = z.infer<z.ZodObject<typeof fault>>;
export type Extent = z.infer<z.ZodObject<typeof extent>>;

/** An operationId of the contract, with `bot:` for the Bot API; `*` is any call of a module, `bot:*` any of a bot. */
const plan = z.strictObject({ operation: z.string().min(1), ...faultFields });
export type FaultPlan = z.infer<typeof plan>;

/** A file's bytes: the contract gives them a URL but no operation. */
export const FILE_BYTES = "downloadFile";

/** Throws an Error that names each bad field. */
export function parseFaultPlan(body: unknown): FaultPlan {
  const parsed = plan.safeParse(body);
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  return parsed.data;
}

/** False: do not carry out the call. */
export const takesEffect = ({ drop, when, status, body, hang }: Fault): boolean =>
  drop !== "before" && (when === "after" || (status === undefined && body === undefined && !hang));

/** For the sandbox's own requests. False: send nothing. */
export const isSent = ({ drop, when, status }: Fault): boolean =>
  drop !== "before" && (status === undefined || when === "after");

/** The fault replaces the answer. */
export const replacesAnswer = ({ status, body }: Fault): boolean => status !== undefined || body !== undefined;

/** Handle of a plan. */
export interface Planned {
  /** Calls affected so far. */
  hits(): number;
  end(): void;
}

export interface Plans<Plan extends Extent, Call> {
  plan(plan: Plan): Planned;
  clear(): void;
  /** With the remaining `times`. */
  list(): Plan[];
  /** The plan that applies to this call; counts as one use. */
  next(call: Call): Plan | undefined;
}
export type Faults = Plans<FaultPlan, string>;

interface Entry<Plan> {
  plan: Plan;
  left: number;
  until: number;
  hits: number;
}

export function createPlans<Plan extends Extent, Call>(
  applies: (plan: Plan, call: Call) => boolean,
  { now, random }: { now(): number; random(): number },
): Plans<Plan, Call> {
  let entries: Entry<Plan>[] = [];
  const live = () => {
    entries = entries.filter(({ left, until }) => left > 0 && now() < until);
    return entries;
  };
  return {
    plan(added) {
      const { times, forMs, probability } = added;
      const once = forMs === undefined && probability === undefined;
      const left = times ?? (once ? 1 : Number.POSITIVE_INFINITY);
      const entry = { plan: { ...added }, left, until: now() + (forMs ?? Number.POSITIVE_INFINITY), hits: 0 };
      entries.push(entry);
      const end = () => {
        entry.left = 0;
      };
      return { hits: () => entry.hits, end };
    },
    clear: () => {
      entries = [];
    },
    list: () =>
      live().map((entry) => (Number.isFinite(entry.left) ? { ...entry.plan, times: entry.left } : entry.plan)),
    next(call) {
      const found = live().find(
        (entry) =>
          applies(entry.plan, call) && ((entry.plan.probability ?? 1) >= 1 || random() < (entry.plan.probability ?? 1)),
      );
      if (!found) return undefined;
      found.left -= 1;
      found.hits += 1;
      return found.plan;
    },
  };
}

const appliesTo = ({ operation }: FaultPlan, called: string): boolean =>
  operation === called || operation === (called.startsWith("bot:") ? "bot:*" : "*");

export const createFaults = (now: () => number, random: () => number = Math.random): Faults =>
  createPlans(appliesTo, { now, random });
