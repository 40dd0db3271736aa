import type { EmulatorFaults } from "gangway-messenger/kit/emulator";
import { createPlans, faultFields, type Plans } from "gangway-messenger/kit/emulator/faults";
import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { z } from "zod";

/** Fault targets that are no calls: a webhook, its handshake, a file's bytes, and what becomes of an accepted message. */
export const WEBHOOK = "webhook";
export const HANDSHAKE = "handshake";
export const FILE = "file";
export const OUTCOME = "outcome";
export const OTHER_TARGETS: readonly string[] = [WEBHOOK, HANDSHAKE, FILE, OUTCOME];

/** `*` is any call. */
const plan = z.strictObject({
  operation: z.string().min(1).default("*"),
  ...faultFields,
  /** Refuse with Graph's own words for this code; at `outcome`, the message fails with it after the 200. */
  code: z.int().optional(),
  subcode: z.int().optional(),
});
export type MetaFault = z.infer<typeof plan>;
export type MetaFaults = Plans<MetaFault, string>;

/** Throws an Error that names each bad field. */
export function parseMetaFault(body: unknown, operations: readonly string[]): MetaFault {
  const parsed = plan.safeParse(body);
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  if (!["*", ...OTHER_TARGETS, ...operations].includes(parsed.data.operation))
    throw new Error(`Unknown operation ${parsed.data.operation}`);
  return parsed.data;
}

const appliesTo = ({ operation }: MetaFault, called: string): boolean =>
  operation === called || (operation === "*" && !OTHER_TARGETS.includes(called));

/** For the sandbox's page and API of faults. */
export const plannable = (faults: MetaFaults, operations: readonly string[]): EmulatorFaults => ({
  targets: [...OTHER_TARGETS, ...operations],
  plan: (fault) => void faults.plan(parseMetaFault(fault, operations)),
  list: faults.list,
  clear: faults.clear,
});

export const createMetaFaults = (now: () => number, random: () => number): MetaFaults =>
  createPlans(appliesTo, { now, random });
