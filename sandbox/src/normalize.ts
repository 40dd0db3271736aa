import type { Json, Spec } from "./spec.ts";

export type Normalization = "none" | "trim" | "trim+escape";

/** Levels of a request; `exchange` refuses one with more. */
export const MAX_DEPTH = 64;

/** Null counts as absent, at every level and in lists. */
export function withoutNulls(value: unknown, levels = MAX_DEPTH): unknown {
  if (value === null) return undefined;
  if (typeof value !== "object" || levels === 0) return value;
  if (Array.isArray(value))
    return value.filter((entry) => entry !== null).map((entry) => withoutNulls(entry, levels - 1));
  const given = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(given.map(([key, entry]) => [key, withoutNulls(entry, levels - 1)]));
}

/** Reads `name[0]` as `name[]` and drops empty values, as the APIs do. */
export function plainQuery(query: URLSearchParams): URLSearchParams {
  const plain = [...query].map(([name, value]): [string, string] => [name.replace(/\[\d+\]$/, "[]"), value]);
  return new URLSearchParams(plain.filter(([, value]) => value !== ""));
}

const partsOf = (schema: Json): Json[] =>
  [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));

export const resolver =
  (spec: Spec) =>
  (ref: string): Json => {
    const [, path = ""] = ref.split("#/");
    return path.split("/").reduce<Json>((at, key) => (at[key] ?? {}) as Json, spec as unknown as Json);
  };

/** Normalizes strings that the contract marks with `x-normalize`. */
export function createNormalizer(spec: Spec) {
  const resolve = resolver(spec);
  const isChoice = (schema: Json): boolean =>
    typeof schema.$ref === "string" ? isChoice(resolve(schema.$ref)) : Array.isArray(schema.enum);
  const walk = (schema: Json, value: unknown, way: Normalization): unknown => {
    if (typeof schema.$ref === "string") return walk(resolve(schema.$ref), value, way);
    const done = partsOf(schema).reduce<unknown>((before, part) => walk(part, before, way), value);
    if (typeof done === "string") return schema["x-normalize"] && way !== "none" ? tidy(done, way) : done;
    if (Array.isArray(done)) return normalizedList(schema, done, (item, entry) => walk(item, entry, way));
    if (typeof done !== "object" || done === null) return done;
    const properties = (schema.properties ?? {}) as Record<string, Json>;
    const required = (schema.required ?? []) as string[];
    // Older clients send an unset choice as an empty string.
    const isUnmade = (key: string, entry: unknown) =>
      entry === "" && !required.includes(key) && isChoice(properties[key] ?? {});
    return Object.fromEntries(
      Object.entries(done)
        .filter(([key, entry]) => !isUnmade(key, entry))
        .map(([key, entry]) => [key, properties[key] ? walk(properties[key], entry, way) : entry]),
    );
  };
  return (schema: unknown, value: unknown, way: Normalization): unknown =>
    schema === undefined ? value : walk(schema as Json, value, way);
}

/** A list of strings carries `x-normalize` on the list itself. */
function normalizedList(schema: Json, list: unknown[], each: (item: Json, entry: unknown) => unknown): unknown[] {
  const item = (schema.items ?? {}) as Json;
  const marked = schema["x-normalize"] ? { ...item, "x-normalize": schema["x-normalize"] } : item;
  return list.map((entry) => each(marked, entry));
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };

function tidy(text: string, way: Normalization): string {
  const trimmed = text.trim();
  return way === "trim" ? trimmed : trimmed.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
