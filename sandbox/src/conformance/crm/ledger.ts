import { type Expected, expectedOf, type Kind } from "./expected.ts";
import type { CrmOperation } from "./operations.ts";

export interface Row extends Expected {
  operation: string;
  met: boolean;
  /** What came instead. */
  got?: string;
  /** Why it cannot be met. */
  why?: string;
}

/** What of the contract a run has met. */
export interface Ledger {
  rows: Row[];
  meet(operation: CrmOperation, kind: Kind, name: string): void;
  miss(operation: CrmOperation, kind: Kind, name: string, got: string): void;
  /** Also true where there is nothing to meet. */
  isMet(operation: CrmOperation, kind: Kind, name: string): boolean;
  /** False: the contract expects nothing of this name. */
  excuse(operation: CrmOperation, name: string, why: string): boolean;
}

export function createLedger(operations: CrmOperation[]): Ledger {
  const rows = operations.flatMap((operation) =>
    expectedOf(operation).map((expected): Row => ({ operation: operation.id, ...expected, met: false })),
  );
  const byName = new Map(rows.map((row) => [`${row.operation} ${row.kind} ${row.name}`, row]));
  const row = ({ id }: CrmOperation, kind: Kind, name: string) => byName.get(`${id} ${kind} ${name}`);
  return {
    rows,
    meet(operation, kind, name) {
      const known = row(operation, kind, name);
      if (known) known.met = true;
    },
    miss(operation, kind, name, got) {
      const known = row(operation, kind, name);
      if (known) known.got = got;
    },
    isMet(operation, kind, name) {
      const known = row(operation, kind, name);
      return !known || known.met || known.why !== undefined;
    },
    excuse({ id }, name, why) {
      const known = rows.filter(
        (each) =>
          each.operation === id && [each.name, `${each.kind} ${each.name}`, each.name.split("=")[0]].includes(name),
      );
      for (const each of known) each.why = why;
      return known.length > 0;
    },
  };
}
