import { writeFileSync } from "node:fs";
import { driveAccount, driveLimits } from "./account.ts";
import { driveDialogs, driveLists, driveOwn, drivePeople, drivePrevious } from "./bots.ts";
import { driveChannels, openChannel } from "./channels.ts";
import { createCoverage } from "./coverage.ts";
import type { Area } from "./crm/area.ts";
import { AREAS } from "./crm/areas.ts";
import { driveCrm } from "./crm/drive.ts";
import { driveFilters } from "./filters.ts";
import { CODES, driveFailures, driveInbound, driveOutbound, driveRefusedWebhooks, openChat } from "./messages.ts";
import { driveNulls } from "./nulls.ts";
import { driveReferences } from "./references.ts";
import { driveRefusals } from "./refusals.ts";
import { driveRegistrations } from "./registrations.ts";
import { type Findings, printReport, totalsOf } from "./report.ts";
import { driveSockets } from "./sockets.ts";
import { type Stage, setStage } from "./stage.ts";
import { driveAgentTemplates, driveTemplates } from "./templates.ts";

export interface ConformanceOptions {
  print(line: string): void;
  /** File for the findings as JSON. */
  json?: string;
  /** Unknowns to override. */
  settings?: object;
}

/**
 * Drives every operation, webhook and event of the published contract; resolves with exit code 0 if all were met
 * without a fault.
 */
export async function conformance({ print, json, settings }: ConformanceOptions): Promise<number> {
  const stage = await setStage(settings);
  try {
    const findings = await findingsOn(stage);
    printReport(findings, print);
    const totals = totalsOf(findings);
    if (json !== undefined) writeFileSync(json, JSON.stringify({ totals, ...findings }, null, 2));
    return findings.faults.length === 0 && totals.every(({ met, of }) => met === of) ? 0 : 1;
  } finally {
    await stage.close();
  }
}

/** `areas`: what drives the CRM's whole API. */
export async function findingsOn(stage: Stage, areas: readonly Area[] = AREAS): Promise<Findings> {
  const coverage = createCoverage();
  const errorCodes = new Set<string>();
  await drive(stage);
  const faults = [...faultsIn(stage), ...refusedIn(stage)];
  const unmutated = stage.seen.length;
  await driveLimits(stage, callsIn(stage));
  const refusals = await driveRefusals(stage);
  const nulls = await driveNulls(stage);
  const registrations = await driveRegistrations(stage);
  const crm = await driveCrm(stage, areas);
  const bent = {
    sent: refusals.sent + registrations.sent + crm.bent.sent,
    leaks: [...refusals.leaks, ...registrations.leaks, ...crm.bent.leaks],
  };
  faults.push(...crm.faults);
  faults.push(...(await driveSockets(stage)));
  faults.push(...stage.withoutClientId.map((type) => `webhook ${type}: ClientId is not the module's`));
  for (const [n, exchange] of stage.seen.entries()) {
    coverage.see(exchange);
    if (n >= unmutated)
      faults.push(...exchange.faults.filter(isOurs).map((fault) => `${exchange.operation}: ${fault}`));
    for (const code of failureIn(exchange.request)) errorCodes.add(code);
  }
  return {
    operations: coverage.operations(),
    enums: coverage.enums(),
    statuses: coverage.statuses(),
    filters: coverage.filters(),
    errorCodes: CODES.map((code) => ({ code, met: errorCodes.has(code) })),
    bent,
    nulls,
    crm,
    faults: [...new Set(faults)],
  };
}

async function drive(stage: Stage): Promise<void> {
  await driveChannels(stage);
  const channel = await openChannel(stage);
  const chat = await openChat(stage, channel);
  const ref = { channel, chat };
  await driveTemplates(stage, channel);
  await driveInbound(stage, ref);
  await driveOutbound(stage, ref);
  await driveAgentTemplates(stage, channel, chat);
  await driveFailures(stage, ref);
  await driveRefusedWebhooks(stage, ref);
  await driveOwn(stage);
  await driveDialogs(stage, chat);
  await drivePeople(stage, chat);
  await driveLists(stage, channel);
  await driveReferences(stage, ref);
  await driveFilters(stage);
  await drivePrevious(stage, channel);
  await driveAccount(stage);
}

const isOurs = (fault: string): boolean => /^(answer|sandbox):/.test(fault);

/** The module's answers are mutated on purpose, so their faults do not count; the sandbox's do. */
function faultsIn({ seen }: Stage): string[] {
  return seen.flatMap(({ side, operation, faults }) =>
    faults
      .filter((fault) => !(side === "webhook" && fault.startsWith("answer:")))
      .map((fault) => `${side} ${operation}: ${fault}`),
  );
}

/** The drive sends only what the contract allows, so any refusal is a finding. */
function refusedIn({ seen }: Stage): string[] {
  return seen
    .filter(({ side, status }) => (side === "gateway" || side === "bot") && status >= 400)
    .map(({ side, operation, status, rule }) => `${side} ${operation}: refused with ${status} (${rule})`);
}

/** One real call per operation, to repeat beyond the limit. */
function callsIn({ seen }: Stage): { api: "gateway" | "bot"; method: string; path: string }[] {
  const calls = new Map<string, { api: "gateway" | "bot"; method: string; path: string }>();
  for (const { side, operation, method, path } of seen)
    if (side === "gateway" || side === "bot")
      calls.set(`${side} ${operation}`, { api: side, method, path: path.replace(/^\/api\/(bot|transport)\/v1/, "") });
  return [...calls.values()];
}

/** The error code of a message in a socket event. */
function failureIn(body: unknown): string[] {
  const code = (body as { data?: { message?: { error?: { code?: string } } } } | undefined)?.data?.message?.error?.code;
  return code ? [code] : [];
}
