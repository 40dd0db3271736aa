import type { EmulatorFaults } from "gangway-messenger/kit/emulator";
import { createPlans, faultFields, type Plans } from "gangway-messenger/kit/emulator/faults";
import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { z } from "zod";

/** Fault targets that are no calls of the API: a webhook, and a file's bytes. */
export const WEBHOOK = "webhook";
export const FILE = "file";
const OTHER_TARGETS: readonly string[] = [WEBHOOK, FILE];

const plan = z.strictObject({
  /** `*` is any call. */
  operation: z.string().min(1).default("*"),
  ...faultFields,
  /** Refuses with this code, and `description` as its message; with `status`. */
  code: z.string().optional(),
});
export type MaxFault = z.infer<typeof plan>;
export type MaxFaults = Plans<MaxFault, string>;

export const createMaxFaults = (now: () => number, random: () => number): MaxFaults =>
  createPlans(
    ({ operation }, called) => operation === called || (operation === "*" && !OTHER_TARGETS.includes(called)),
    {
      now,
      random,
    },
  );

/** Throws an Error that names each bad field. */
export function parseMaxFault(body: unknown, operations: readonly string[]): MaxFault {
  const parsed = plan.safeParse(body);
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  if (!["*", ...OTHER_TARGETS, ...operations].includes(parsed.data.operation))
    throw new Error(`Unknown operation ${parsed.data.operation}`);
  return parsed.data;
}

/** For the sandbox's page and API of faults. */
export const plannable = (faults: MaxFaults, operations: readonly string[]): EmulatorFaults => ({
  targets: [...OTHER_TARGETS, ...operations],
  plan: (fault) => void faults.plan(parseMaxFault(fault, operations)),
  list: faults.list,
  clear: faults.clear,
});
