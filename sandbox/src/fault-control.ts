import type { Bench } from "./exchange.ts";
import { type FaultPlan, FILE_BYTES, parseFaultPlan } from "./faults.ts";
import { SERVED_METHODS } from "./telegram/catalogue.ts";
import { FILE, type Faults as MessengerFaults, parseMessengerFault, UPDATE } from "./telegram/faults.ts";

/** Plans faults of both sides; the messenger's operations are `telegram:<method>`. */
export interface FaultControl {
  /** Throws an Error that names each bad field. */
  plan(body: unknown): void;
  list(): FaultPlan[];
  clear(): void;
  /** Every operation that a fault can hit. */
  targets(): { group: string; names: string[] }[];
}

const MESSENGER = "telegram:";

export function createFaultControl({ faults, judge }: Bench, messenger: MessengerFaults): FaultControl {
  const targets = () => [
    ...judge.operations(),
    { group: "Files of the gateway", names: [FILE_BYTES] },
    { group: "Telegram", names: ["*", FILE, UPDATE, ...SERVED_METHODS].map((name) => MESSENGER + name) },
  ];
  return {
    targets,
    plan(body) {
      const { operation, ...fault } = parseFaultPlan(body);
      const known = ["*", "bot:*", ...targets().flatMap(({ names }) => names)];
      if (!known.includes(operation)) throw new Error(`Unknown operation ${operation}`);
      if (!operation.startsWith(MESSENGER)) faults.plan({ operation, ...fault });
      else messenger.plan(parseMessengerFault({ method: operation.slice(MESSENGER.length), ...fault }));
    },
    list: () => [
      ...faults.list(),
      ...messenger.list().map(({ method, ...fault }) => ({ operation: MESSENGER + method, ...fault })),
    ],
    clear() {
      faults.clear();
      messenger.clear();
    },
  };
}
