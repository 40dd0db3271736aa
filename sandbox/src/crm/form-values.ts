import type { Json } from "../spec.ts";

const FLAGS: Record<string, boolean> = { true: true, "1": true, false: false, "0": false };

/** Casts form values to their schema's types: forms carry only text, and PHP writes an empty object as a list. */
export function createFormReader(resolve: (ref: string) => Json) {
  const plain = (schema: Json): Json => {
    if (typeof schema.$ref === "string") return plain(resolve(schema.$ref));
    // A reference that stands beside notes.
    const [only, ...more] = (schema.allOf ?? []) as Json[];
    return only && more.length === 0 ? { ...plain(only), ...schema } : schema;
  };
  const walk = (given: Json, value: unknown): unknown => {
    const schema = plain(given);
    const types = [schema.type].flat();
    if (types.includes("object") && (value === "" || (Array.isArray(value) && value.length === 0))) return {};
    if (typeof value === "string") return meant(types, value);
    if (Array.isArray(value)) return value.map((entry) => walk((schema.items ?? {}) as Json, entry));
    if (typeof value !== "object" || value === null) return value;
    const properties = (schema.properties ?? {}) as Record<string, Json>;
    const of = (key: string) => (Object.hasOwn(properties, key) && properties[key]) || {};
    const read = Object.entries(value).map(([key, entry]) => [key, walk(of(key), entry)] as const);
    return Object.fromEntries(read.filter(([key, entry]) => entry !== "" || mayBeEmpty(plain(of(key)))));
  };
  return (schema: unknown, value: unknown): unknown => (schema === undefined ? value : walk(schema as Json, value));
}

function meant(types: unknown[], text: string): unknown {
  if (types.includes("boolean")) return FLAGS[text] ?? text;
  if (types.includes("integer") && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (types.includes("number") && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  return text;
}

/** An empty text in a non-text field means absent. */
function mayBeEmpty({ type, minLength, format, enum: choices }: Json): boolean {
  if (choices || format || minLength) return false;
  return type === undefined || type === "string";
}
