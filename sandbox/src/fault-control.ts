import type { Emulator } from "gangway-messenger/kit/emulator";
import { type FaultPlan, FILE_BYTES, parseFaultPlan } from "gangway-messenger/kit/emulator/faults";
import { SERVED_METHODS } from "gangway-telegram/emulator/catalogue";
import { FILE, type Faults as MessengerFaults, parseMessengerFault, UPDATE } from "gangway-telegram/emulator/faults";
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

const MESSENGER = "telegram:";

export function createFaultControl(
  { faults, judge }: Bench,
  messenger: MessengerFaults,
  emulators: Record<string, Pick<Emulator, "faults">> = {},
): FaultControl {
  const others = Object.entries(emulators).flatMap(([kind, { faults: its }]) => (its ? [{ kind, its }] : []));
  const targets = () => [
    ...judge.operations(),
    { group: "Files of the gateway", names: [FILE_BYTES] },
    { group: "Telegram", names: ["*", FILE, UPDATE, ...SERVED_METHODS].map((name) => MESSENGER + name) },
    ...others.map(({ kind, its }) => ({
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
      const other = others.find(({ kind }) => operation.startsWith(`${kind}:`));
      if (other) other.its.plan({ operation: operation.slice(other.kind.length + 1), ...fault });
      else if (!operation.startsWith(MESSENGER)) faults.plan({ operation, ...fault });
      else messenger.plan(parseMessengerFault({ method: operation.slice(MESSENGER.length), ...fault }));
    },
    list: () => [
      ...faults.list(),
      ...messenger.list().map(({ method, ...fault }) => ({ operation: MESSENGER + method, ...fault })),
      ...others.flatMap(({ kind, its }) =>
        its.list().map((plan) => ({ ...plan, operation: `${kind}:${plan.operation}` })),
      ),
    ],
    clear() {
      faults.clear();
      messenger.clear();
      for (const { its } of others) its.clear();
    },
  };
}
