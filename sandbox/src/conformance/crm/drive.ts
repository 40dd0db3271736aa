import { contractJudge, type Judge } from "../../judge.ts";
import type { Stage } from "../stage.ts";
import { driveAccepted } from "./accepted.ts";
import type { Area } from "./area.ts";
import { type Bent, driveBent } from "./bent.ts";
import { createCaller, type Sent } from "./caller.ts";
import { type CallRow, driveCalls } from "./calls.ts";
import { createLedger, type Row } from "./ledger.ts";
import type { Drive } from "./one.ts";
import { type CrmOperation, servedOperations } from "./operations.ts";
import { driveRate, driveRefused } from "./refused.ts";

export interface CrmFindings {
  rows: Row[];
  bent: Bent;
  /** The CRM's calls to modules. */
  calls: CallRow[];
  faults: string[];
}
/** Drives each served operation of the CRM's whole contract with the areas' data. */
export async function driveCrm(stage: Stage, areas: readonly Area[]): Promise<CrmFindings> {
  const operations = servedOperations();
  const ledger = createLedger(operations);
  const caller = createCaller(stage, operations);
  const faults: string[] = [];
  const judge = contractJudge();
  const bent: Bent = { sent: 0, leaks: [] };
  const from = stage.seen.length;
  for (const { setting, operations: scenarios } of areas) {
    await caller.steps(setting).catch((error: Error) => faults.push(`setting: ${error.message}`));
    for (const [id, scenario] of Object.entries(scenarios)) {
      const operation = operations.find((each) => each.id === id);
      if (!operation) faults.push(`${id}: not served, but has a scenario`);
      else await driveOne({ stage, ledger, caller, operation, scenario }, { judge, bent, faults });
    }
  }
  const calls = await driveCalls({ stage, caller }, faults);
  await driveRate({ stage, ledger, caller }, operations);
  for (const { operation, name, met, why } of ledger.rows)
    if (met && why) faults.push(`${operation}: excuses ${name}, which is met`);
  for (const { side, operation, faults: found } of stage.seen.slice(from))
    if (side === "crm") faults.push(...found.filter(isOurs).map((fault) => `${operation}: ${fault}`));
  return { rows: ledger.rows, bent, calls, faults: [...new Set(faults)] };
}

const isOurs = (fault: string): boolean => /^(answer|sandbox):/.test(fault);

interface Found extends Pick<CrmFindings, "bent" | "faults"> {
  judge: Judge;
}

async function driveOne(parts: Omit<Drive, "accepted">, { judge, bent, faults }: Found): Promise<void> {
  const { caller, ledger, operation, scenario } = parts;
  const accepted: Drive["accepted"] = async (data, what, key) => {
    await caller.steps(scenario.before);
    const sent = await caller.send(operation, data, key);
    const words = refusalIn(operation, sent);
    if (words) faults.push(`${operation.id} ${what}: ${words}`);
    return words ? undefined : sent;
  };
  const drive = { ...parts, accepted };
  for (const [name, why] of Object.entries(scenario.never ?? {}))
    if (!ledger.excuse(operation, name, why)) faults.push(`${operation.id}: excuses ${name}, which nothing expects`);
  try {
    await driveAccepted(drive);
    await driveRefused(drive);
    await driveBent(drive, judge, bent);
  } catch (error) {
    faults.push(`${operation.id}: ${(error as Error).message}`);
  }
}

/** Why a call that should succeed did not. */
function refusalIn({ id }: CrmOperation, { status, body, exchange }: Sent): string | undefined {
  if (status >= 300) return `refused with ${status} ${JSON.stringify(body)} (${exchange?.rule})`;
  if (exchange?.operation !== id) return `answered as ${exchange?.operation}`;
  return exchange.faults[0];
}
