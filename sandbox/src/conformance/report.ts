import type { EnumRow, OperationRow } from "./coverage.ts";
import type { CrmFindings } from "./crm/drive.ts";
import { crmTotals, printCrm } from "./crm/report.ts";
import type { Leak } from "./refusals.ts";

export interface Findings {
  operations: OperationRow[];
  enums: EnumRow[];
  statuses: { status: string; met: boolean }[];
  filters: { filter: string; met: boolean }[];
  errorCodes: { code: string; met: boolean }[];
  bent: { sent: number; leaks: Leak[] };
  /** Requests with nulls, and those refused for it. */
  nulls: { sent: number; leaks: Leak[] };
  /** The CRM's whole API, as far as it is served. */
  crm: CrmFindings;
  /** Faults in unmutated traffic. */
  faults: string[];
}
export interface Total {
  what: string;
  met: number;
  of: number;
}
const NAMES = { crm: "CRM", gateway: "Transport API", bot: "Bot API", socket: "Bot socket" };
/** The CRM's limit is an unknown, off by default. */
const LIMITED = ["gateway", "bot"];

const isMet = ({ sort, api, ok, refused, tooMany }: OperationRow): boolean => {
  // Socket events and the activity callback cannot be refused.
  if (sort === "event" || (sort === "webhook" && api === "crm")) return ok > 0;
  if (sort === "webhook" || api === "crm") return ok > 0 && refused > 0;
  return ok > 0 && refused > 0 && (!LIMITED.includes(api) || tooMany > 0);
};

export function totalsOf({ operations, enums, statuses, filters, errorCodes, bent, nulls, crm }: Findings): Total[] {
  const total = (what: string, rows: boolean[]) => ({ what, met: rows.filter(Boolean).length, of: rows.length });
  const sorted = (sort: OperationRow["sort"], api?: string) =>
    operations.filter((row) => row.sort === sort && (api === undefined || row.api === api)).map(isMet);
  const reachable = enums.filter((row) => !row.unreachable);
  const values = reachable.reduce((sum, { met, missing }) => sum + met.length + missing.length, 0);
  return [
    total("operations of the CRM", sorted("operation", "crm")),
    total("operations of the Transport API", sorted("operation", "gateway")),
    total("operations of the Bot API", sorted("operation", "bot")),
    total("webhooks and callbacks", sorted("webhook")),
    total("events of the socket", sorted("event")),
    total(
      "query parameters",
      filters.map(({ met }) => met),
    ),
    { what: "enum values", met: reachable.reduce((sum, { met }) => sum + met.length, 0), of: values },
    total(
      "error codes of messages",
      errorCodes.map(({ met }) => met),
    ),
    total(
      "refusing statuses of the CRM",
      statuses.map(({ met }) => met),
    ),
    { what: "invalid requests refused", met: bent.sent - bent.leaks.length, of: bent.sent },
    { what: "nulls accepted as absent", met: nulls.sent - nulls.leaks.length, of: nulls.sent },
    ...crmTotals(crm),
  ];
}

export function printReport(findings: Findings, print: (line: string) => void): void {
  const { operations, enums, faults, bent, nulls } = findings;
  for (const [api, name] of Object.entries(NAMES)) {
    print(`\n${name.padEnd(34)} ${"ok".padStart(6)} ${"refused".padStart(8)} ${"429".padStart(5)}`);
    for (const row of operations.filter((each) => each.api === api))
      print(
        `  ${`${row.sort === "operation" ? "" : `${row.sort} `}${row.id}`.padEnd(32)} ${String(row.ok).padStart(6)} ${String(row.refused).padStart(8)} ${String(row.tooMany).padStart(5)}${isMet(row) ? "" : "   MISSING"}`,
      );
    const own = enums.filter((row) => row.api === api);
    const counted = own.filter((row) => !row.unreachable);
    const values = counted.reduce((sum, { met, missing }) => sum + met.length + missing.length, 0);
    print(`  enum values ${counted.reduce((sum, { met }) => sum + met.length, 0)}/${values}`);
    for (const { at, missing } of own.filter((row) => !row.unreachable && row.missing.length > 0))
      print(`  never seen at ${at}: ${missing.join(", ")}`);
    const unreachable = own.filter((row) => row.unreachable && row.missing.length > 0).map(({ at }) => at);
    if (unreachable.length > 0) print(`  unreachable in traffic: ${unreachable.join(", ")}`);
  }
  printCrm(findings.crm, print);
  for (const { filter } of findings.filters.filter(({ met }) => !met)) print(`never used: ${filter}`);
  for (const { operation, how, status } of bent.leaks) print(`NOT REFUSED  ${operation}: ${how} (${status})`);
  for (const { operation, how, status } of nulls.leaks) print(`NULL REFUSED  ${operation}: ${how} (${status})`);
  for (const fault of faults) print(`FAULT  ${fault}`);
  print("");
  for (const { what, met, of } of totalsOf(findings))
    print(`${what.padEnd(34)} ${`${met}/${of}`.padStart(10)}  ${percent(met, of)}`);
  print(`${"contract faults".padEnd(34)} ${String(faults.length).padStart(10)}`);
}

const percent = (met: number, of: number) => `${of === 0 ? 0 : Math.floor((100 * met) / of)} %`;
