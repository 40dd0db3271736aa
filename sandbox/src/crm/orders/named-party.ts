import type { Entry } from "../records.ts";
import { recordIn, type Table } from "../resource/table.ts";
import { entityFault } from "../writing.ts";

const NAMES = ["id", "externalId"] as const;

/** The customer that is named; undefined: nothing names one. Throws a Refusal. */
export function namedIn(table: Table, given: Entry, field: string, own: string): Entry | undefined {
  const name = NAMES.find((each) => given[each] !== undefined);
  if (!name) return undefined;
  const known = recordIn(table, { [name]: given[name], site: given.site }, own);
  if (known) return known;
  throw entityFault("order", `${field}.${name}`, `Customer with ${name}=${given[name]} not found.`);
}
