import { z } from "zod";
import { shapeFaults } from "./shape.ts";

/** The statuses worth playing: of a gateway, of what stands before it, and of who is not the gateway at all. */
export const FAULT_STATUSES = [
  200, 201, 204, 301, 302, 307, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 425, 429, 500, 502, 503, 504, 520,
] as const;

export const FAULT_BODIES = [
  /** The contract's own: a refusal, or the real answer where it took effect and the status says so. */
  "contract",
  "json",
  /** nginx's page of that status. */
  "html",
  "empty",
  /** The first half of what `contract` says. */
  "half",
  /** 10 MiB. */
  "large",
  "garbage",
  /** What `contract` says, a byte now and then. */
  "drip",
  "redirect",
] as const;

/** What goes wrong with one call: the vocabulary of both sides. */
const fault = {
  /** Wait first. */
  delayMs: z.number().int().min(0).max(600_000).optional(),
  status: z.number().int().min(200).max(599).optional(),
  body: z.enum(FAULT_BODIES).optional(),
  /** Whether the call takes effect before it is answered so. Default: before it does. */
  when: z.enum(["before", "after"]).optional(),
  /** Cut the connection before the request takes effect, or after it without an answer. */
  drop: z.enum(["before", "after"]).optional(),
  /** Never answer; `when` tells whether it takes effect. */
  hang: z.boolean().optional(),
  /** Seconds. */
  retryAfter: z.number().int().min(0).max(86_400).optional(),
  /** Where a redirect leads. */
  location: z.string().min(1).max(2_000).optional(),
  /** The words of a refusal. */
  description: z.string().max(2_000).optional(),
};

/** How often, and how long. */
const extent = {
  /** Default: once, or always where a time or a probability is given. */
  times: z.number().int().min(1).max(1_000_000).optional(),
  /** Over after so many ms: an outage. */
  forMs: z.number().int().min(1).max(3_600_000).optional(),
  probability: z.number().min(0).max(1).optional(),
};

export const faultFields = { ...extent, ...fault };
export type Fault = z.infer<z.ZodObject<typeof fault>>;
export type Extent = z.infer<z.ZodObject<typeof extent>>;

/** An operationId of the contract, `bot:` before one of the Bot API; `*` is any of a module's, `bot:*` any of a bot's. */
const plan = z.strictObject({ operation: z.string().min(1), ...faultFields });
/** A misbehaviour on demand. */
export type FaultPlan = z.infer<typeof plan>;

/** The bytes of a file, which the contract gives an address but no operation. */
export const FILE_BYTES = "downloadFile";

/** Throws an Error that names what is wrong with the plan. */
export function parseFaultPlan(body: unknown): FaultPlan {
  const parsed = plan.safeParse(body);
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  return parsed.data;
}

/** False: the request must not be carried out. */
export const takesEffect = ({ drop, when, status, body, hang }: Fault): boolean =>
  drop !== "before" && (when === "after" || (status === undefined && body === undefined && !hang));

/** False: of what the sandbox sends, nothing leaves it. */
export const goesOut = ({ drop, when, status }: Fault): boolean =>
  drop !== "before" && (status === undefined || when === "after");

/** The answer is not the one that would be given. */
export const isBent = ({ status, body }: Fault): boolean => status !== undefined || body !== undefined;

/** A plan that was made, to whoever made it. */
export interface Planned {
  /** How many calls fell under it. */
  hits(): number;
  end(): void;
}

export interface Plans<Plan extends Extent, Call> {
  plan(plan: Plan): Planned;
  clear(): void;
  /** With the times that are left. */
  list(): Plan[];
  /** The plan that this call falls under; it is used up by one. */
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
  meant: (plan: Plan, call: Call) => boolean,
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
          meant(entry.plan, call) && ((entry.plan.probability ?? 1) >= 1 || random() < (entry.plan.probability ?? 1)),
      );
      if (!found) return undefined;
      found.left -= 1;
      found.hits += 1;
      return found.plan;
    },
  };
}

const isMeant = ({ operation }: FaultPlan, called: string): boolean =>
  operation === called || operation === (called.startsWith("bot:") ? "bot:*" : "*");

export const createFaults = (now: () => number, random: () => number = Math.random): Faults =>
  createPlans(isMeant, { now, random });
