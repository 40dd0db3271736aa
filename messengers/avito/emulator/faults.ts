import type { EmulatorFaults } from "gangway-messenger/kit/emulator";
import { createPlans, faultFields, type Plans } from "gangway-messenger/kit/emulator/faults";
import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { z } from "zod";

/** Fault targets that are no calls: a webhook, and a file's bytes. */
export const [WEBHOOK, FILE] = ["webhook", "file"] as const;
const OTHERS: readonly string[] = [WEBHOOK, FILE];

/** `*` is any call. */
const plan = z.strictObject({ operation: z.string().min(1).default("*"), ...faultFields });
export type AvitoFault = z.infer<typeof plan>;
export type AvitoFaults = Plans<AvitoFault, string>;

/** Throws an Error that names each bad field. */
export function parseFault(body: unknown, operations: readonly string[]): AvitoFault {
  const parsed = plan.safeParse(body);
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  if (!["*", ...OTHERS, ...operations].includes(parsed.data.operation))
    throw new Error(`Unknown operation ${parsed.data.operation}`);
  return parsed.data;
}

const appliesTo = ({ operation }: AvitoFault, called: string): boolean =>
  operation === called || (operation === "*" && !OTHERS.includes(called));

export const createAvitoFaults = (now: () => number, random: () => number): AvitoFaults =>
  createPlans(appliesTo, { now, random });

/** For the sandbox's page and API of faults. */
export const plannable = (faults: AvitoFaults, operations: readonly string[]): EmulatorFaults => ({
  targets: [...OTHERS, ...operations],
  plan: (fault) => void faults.plan(parseFault(fault, operations)),
  list: faults.list,
  clear: faults.clear,
});
