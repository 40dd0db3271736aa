import type { Json } from "../../spec.ts";
import { schemaOf } from "../contract.ts";
import type { Entry } from "../records.ts";

// Both directions of a record, by the contract: some fields are only read, some only written.

/** What the API takes of a given record. It ignores fields that it does not know or only reads. */
export const written = (schema: string, given: Entry): Entry => without("R", schemaOf(schema), given) as Entry;

/** Does the API take this field? */
export const takes = (schema: string, field: string): boolean =>
  Object.hasOwn((schemaOf(schema).properties ?? {}) as Record<string, Json>, field);

/** What the API shows of a kept record. */
export const shownBy = (schema: string, kept: Entry): Entry => without("W", schemaOf(schema), kept) as Entry;

function without(direction: "R" | "W", given: Json, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const schema = plain(given);
  if (Array.isArray(value)) return value.map((each) => without(direction, (schema.items ?? {}) as Json, each));
  const properties = schema.properties as Record<string, Json> | undefined;
  if (!properties) return value;
  const kept: Entry = {};
  for (const [field, each] of Object.entries(value)) {
    const property = Object.hasOwn(properties, field) ? properties[field] : undefined;
    if (property && property["x-dir"] !== direction) kept[field] = without(direction, property, each);
  }
  return kept;
}

/** A reference may stand beside notes. */
function plain(schema: Json): Json {
  if (typeof schema.$ref === "string") return schemaOf(schema.$ref.split("/").at(-1) ?? "");
  const [only] = (schema.allOf ?? []) as Json[];
  return only ? plain(only) : schema;
}
