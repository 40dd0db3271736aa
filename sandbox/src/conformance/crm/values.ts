import type { Json } from "../../spec.ts";
import type { Parameter } from "./operations.ts";

/** `filter[ids][]` is `ids`. */
export const bareName = (name: string): string => /^filter\[(\w+)\]/.exec(name)?.[1] ?? name.replace("[]", "");
const kindOf = ({ schema }: Parameter): Json => (schema.items as Json | undefined) ?? schema;
/** The values of a parameter that has only some. */
export const choicesOf = (parameter: Parameter): unknown[] => (kindOf(parameter).enum ?? []) as unknown[];

const MANY = "999999999";
const LEAST = /^(min|since)[A-Z]|From$|^startDate$/;
const MOST = /^max[A-Z]|To$|^endDate$/;

interface Bounds {
  low: string;
  high: string;
}

function boundsOf(name: string, { type, pattern = "", format }: Json): Bounds {
  const text = pattern === "" && /(At|Date)(From|To)$/.test(name) ? "^\\d{4}" : String(pattern);
  if (text.startsWith("^\\d{2}:")) return { low: "00:00:00", high: "23:59:59" };
  if (text.includes(" ") || format === "crm-second") return { low: "1990-01-01 00:00:00", high: "2100-01-01 00:00:00" };
  if (text.startsWith("^\\d{4}") || format === "crm-day") return { low: "1990-01-01", high: "2100-01-01" };
  return { low: type === "integer" ? "0" : "-1", high: MANY };
}

/** Of a parameter that bounds a value: what lets everything through, and what lets nothing. */
export function boundary(parameter: Parameter): { all: string; none?: string } | undefined {
  const name = bareName(parameter.name);
  if (name === "page") return { all: "1", none: "1000" };
  const { low, high } = boundsOf(name, parameter.schema);
  if (LEAST.test(name)) return { all: low, none: high };
  // Zero is a sum or a number that many have.
  return MOST.test(name) ? { all: high, ...(low !== "0" && low !== "00:00:00" && { none: low }) } : undefined;
}

/** A value that no entry has; undefined where each value has entries or the key is unknown. */
export function strange(parameter: Parameter): string | undefined {
  const bounds = boundary(parameter);
  if (bounds) return bounds.none;
  const { type, enum: choices } = kindOf(parameter);
  if (choices || type === "object" || type === "boolean") return undefined;
  return type === "integer" ? MANY : "no-such-value";
}

/** A value outside the schema; undefined where every text fits. */
export function invalid(parameter: Parameter): string | undefined {
  if (parameter.name === "limit") return "30";
  const { type, enum: choices, pattern, format } = kindOf(parameter);
  return choices || pattern || format || ["integer", "boolean", "number"].includes(String(type))
    ? "perhaps"
    : undefined;
}

type Entry = Record<string, unknown>;

/** What the entries hold under a filter's name: `customerIds` is `customer.id`, `externalIds` is `externalId`. */
export function held(entries: unknown[], { name }: Parameter): string[] {
  const bare = bareName(name);
  const single = bare.replace(/s$/, "");
  const [, owner = "", field = ""] = /^(\w+?)(Id|ExternalId|XmlId|Name|Article|Number)$/.exec(single) ?? [];
  const inner = field.charAt(0).toLowerCase() + field.slice(1);
  const owners = (entry: Entry) => [entry[owner] ?? entry[`${owner}s`] ?? []].flat() as Entry[];
  const read = (entry: Entry): unknown[] => [entry[bare], entry[single], ...owners(entry).map((each) => each[inner])];
  const values = entries.flatMap((entry) => read(entry as Entry).flat()).flatMap(plain);
  return [...new Set(values)].slice(0, 3);
}

/** A reference is filtered by its code, id or name. */
function plain(value: unknown): string[] {
  if (typeof value === "object" && value !== null) {
    const { code, id, name } = value as Entry;
    return plain(code ?? id ?? name);
  }
  return value === undefined || value === null || value === "" ? [] : [String(value)];
}
