import type { Judge, Sandbox, WhatsApp } from "gangway-sandbox";
import type { Chance } from "./chance.ts";
import type { Network } from "./network.ts";
import type { Program } from "./program.ts";
import type { Time } from "./time.ts";

/** What the built sandbox exports to the simulation. */
export interface World {
  createSandbox(options: object): Sandbox;
  contractJudge(): Judge;
  /** Their emulators; `chosen`: of the messenger that the first account has. */
  whatsapp: unknown;
  chosen?: unknown;
}

/** No contract describes the answers of a server that is briefly away, or of a proxy in its place. */
const AWAY = /^answer: the status (429|5\d\d) is not in the contract$/;

/** How WhatsApp says that a call has a parameter too many, too few, or of another shape. */
const BAD_PARAMETER = 100;

/** Findings of the sandboxes' contracts in exchanges, the messengers' included. */
export function faultsOf(crms: Sandbox[]): () => string[] {
  const found: string[] = [];
  for (const { observe } of crms)
    observe(({ method, path, faults: all }) => {
      const faults = all.filter((fault) => !AWAY.test(fault));
      if (faults.length > 0) found.push(`${method} ${path}: ${faults.join("; ")}`);
    });
  const [first] = crms;
  (first?.emulators.whatsapp as WhatsApp | undefined)?.network.core.journal.observe(({ kind, operation, answer }) => {
    const { error } = (answer ?? {}) as { error?: { code: number; message: string } };
    if (kind === "call" && error?.code === BAD_PARAMETER) found.push(`${operation}: ${error.message}`);
  });
  return () => [
    ...found,
    ...(first?.telegram.calls.list().entries ?? []).flatMap(({ method, faults }) =>
      faults.length > 0 ? [`${method}: ${faults.join("; ")}`] : [],
    ),
  ];
}

interface Base {
  time: Time;
  chance: Chance;
  network: Network;
}

/** One for each account; they never die and forget nothing. `began`: Unix time, ms. */
export function sandboxesOf(
  { time, chance, network, contract }: Base & { contract: Judge },
  program: Program<World>,
  { count, messenger, moduleUrl, began }: { count: number; messenger?: string; moduleUrl: string; began: number },
): { origin: string; crm: Sandbox }[] {
  const { createSandbox, whatsapp, chosen } = program({
    ...{ time, startedAt: 0, random: chance.stream("world"), fetch: network.fetch },
    ...{ wall: () => began + time.now(), operation: () => {}, isGone: () => false },
  });
  const emulators = { whatsapp, ...(messenger && { [messenger]: chosen }) };
  return Array.from({ length: count }, (_, n) => {
    const origin = `http://127.0.0.1:${7001 + n}`;
    const crm = createSandbox({ origin: () => origin, moduleUrl, judge: contract, emulators });
    network.serve(origin, async (request) => crm.fetch(request, {} as never));
    return { origin, crm };
  });
}
