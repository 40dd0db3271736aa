import type { Emulator } from "gangway-messenger/kit/emulator";
import { type FaultPlan, FILE_BYTES, parseFaultPlan } from "gangway-messenger/kit/emulator/faults";
import type { Bench } from "./exchange.ts";

/** Plans faults of both sides; a messenger's operations are `<kind>:<name>`. */
export interface FaultControl {
  /** Throws an Error that names each bad field. */
  plan(body: unknown): void;
  list(): FaultPlan[];
  clear(): void;
  /** Every operation that a fault can hit. */
  targets(): { group: string; names: string[] }[];
}

export function createFaultControl(
  { faults, judge }: Bench,
  emulators: Record<string, Pick<Emulator, "faults">> = {},
): FaultControl {
  const messengers = Object.entries(emulators).flatMap(([kind, { faults: its }]) => (its ? [{ kind, its }] : []));
  const targets = () => [
    ...judge.operations(),
    { group: "Files of the gateway", names: [FILE_BYTES] },
    ...messengers.map(({ kind, its }) => ({
      group: kind[0]?.toUpperCase() + kind.slice(1),
      names: ["*", ...its.targets].map((name) => `${kind}:${name}`),
    })),
  ];
  return {
    targets,
    plan(body) {
      const { operation, ...fault } = parseFaultPlan(body);
      const known = ["*", "bot:*", ...targets().flatMap(({ names }) => names)];
      if (!known.includes(operation)) throw new Error(`Unknown operation ${operation}`);
      const messenger = messengers.find(({ kind }) => operation.startsWith(`${kind}:`));
      if (messenger) messenger.its.plan({ operation: operation.slice(messenger.kind.length + 1), ...fault });
      else faults.plan({ operation, ...fault });
    },
    list: () => [
      ...faults.list(),
      ...messengers.flatMap(({ kind, its }) =>
        its.list().map((plan) => ({ ...plan, operation: `${kind}:${plan.operation}` })),
      ),
    ],
    clear() {
      faults.clear();
      for (const { its } of messengers) its.clear();
    },
  };
}
