import type { CrmFindings } from "./drive.ts";
import type { Kind } from "./expected.ts";
import type { Row } from "./ledger.ts";

const KINDS: Record<Kind, [total: string, column: string]> = {
  operation: ["operations of the CRM's whole API", "ok"],
  parameter: ["… query parameters", "finding"],
  empty: ["… filters that find nothing", "empty"],
  value: ["… enum values", "values"],
  error: ["… documented errors", "errors"],
};
const kinds = Object.keys(KINDS) as Kind[];
const WIDTH = 9;

const isCounted = ({ why }: Row): boolean => why === undefined;
const of = (rows: Row[], kind: Kind): Row[] => rows.filter((row) => row.kind === kind && isCounted(row));
const metIn = (rows: Row[]): number => rows.filter(({ met }) => met).length;

export const crmTotals = ({ rows, calls }: CrmFindings) => [
  ...kinds.map((kind) => ({ what: KINDS[kind][0], met: metIn(of(rows, kind)), of: of(rows, kind).length })),
  { what: "… calls to modules", met: calls.filter(({ met }) => met).length, of: calls.length },
];

/** A line for each operation, then what it lacks and what cannot be provoked. */
export function printCrm({ rows, calls }: CrmFindings, print: (line: string) => void): void {
  print(`\n${"CRM, whole".padEnd(34)}${kinds.map((kind) => KINDS[kind][1].padStart(WIDTH)).join("")}`);
  for (const [id, own] of byOperation(rows)) {
    const columns = kinds.map((kind) => shareOf(of(own, kind)).padStart(WIDTH)).join("");
    const lacking = own.filter((row) => isCounted(row) && !row.met);
    print(`  ${id.padEnd(32)}${columns}${lacking.length > 0 ? "   MISSING" : ""}`);
    for (const { kind, name, got } of lacking)
      print(`    not driven: ${KINDS[kind][1]} ${name}${got === undefined ? "" : `, got ${got}`}`);
  }
  for (const { operation, met } of calls) print(`  ${operation.padEnd(32)}${met ? "called" : "   MISSING"}`);
  for (const [why, names] of excuses(rows)) print(`  not provoked, ${why}: ${names.join(", ")}`);
}

function byOperation(rows: Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) found.set(row.operation, [...(found.get(row.operation) ?? []), row]);
  return found;
}

const shareOf = (rows: Row[]): string => (rows.length === 0 ? "–" : `${metIn(rows)}/${rows.length}`);

function excuses(rows: Row[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { why, operation, name } of rows)
    if (why !== undefined) found.set(why, [...new Set([...(found.get(why) ?? []), `${operation} ${name}`])]);
  return found;
}
