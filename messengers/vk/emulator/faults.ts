import type { EmulatorFaults } from "gangway-messenger/kit/emulator";
import { createPlans, faultFields, type Plans } from "gangway-messenger/kit/emulator/faults";
import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { z } from "zod";

/** Fault targets that are no methods: an event, a confirmation, uploads, a file's bytes, the long poll. */
export const OTHERS = ["callback", "confirmation", "photoUpload", "docUpload", "file", "longPoll"] as const;

const plan = z.strictObject({
  /** `*` is any method. */
  operation: z.string().min(1).default("*"),
  ...faultFields,
  /** Refuse with VK's own words for this code; with `inside`, in the list of a `peer_ids` answer. */
  code: z.int().optional(),
  inside: z.boolean().optional(),
});
export type VkFault = z.infer<typeof plan>;
export type VkFaults = Plans<VkFault, string>;

/** Throws an Error that names each bad field. */
export function parseFault(body: unknown, methods: readonly string[]): VkFault {
  const parsed = plan.safeParse(body);
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  if (!["*", ...OTHERS, ...methods].includes(parsed.data.operation))
    throw new Error(`Unknown operation ${parsed.data.operation}`);
  return parsed.data;
}

const appliesTo = ({ operation }: VkFault, called: string): boolean =>
  operation === called || (operation === "*" && !OTHERS.some((other) => other === called));

export const createVkFaults = (now: () => number, random: () => number): VkFaults =>
  createPlans(appliesTo, { now, random });

export const plannable = (faults: VkFaults, methods: readonly string[]): EmulatorFaults => ({
  targets: [...OTHERS, ...methods],
  plan: (fault) => void faults.plan(parseFault(fault, methods)),
  list: faults.list,
  clear: faults.clear,
});
