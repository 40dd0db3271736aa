import type { Json, Spec } from "./judge.ts";

export type Normalization = "none" | "trim" | "trim+escape";

/** Does to a request's strings what the contract's `x-normalize` says, as far as `way` wants it. */
export function createNormalizer(spec: Spec) {
  const resolve = (ref: string): Json => {
    const [, path = ""] = ref.split("#/");
    return path.split("/").reduce<Json>((at, key) => (at[key] ?? {}) as Json, spec as unknown as Json);
  };
  const walk = (schema: Json, value: unknown, way: Normalization): unknown => {
    if (typeof schema.$ref === "string") return walk(resolve(schema.$ref), value, way);
    const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
    const done = parts.reduce<unknown>((before, part) => walk(part as Json, before, way), value);
    if (typeof done === "string") return schema["x-normalize"] ? tidy(done, way) : done;
    if (Array.isArray(done)) return normalizedList(schema, done, (item, entry) => walk(item, entry, way));
    if (typeof done !== "object" || done === null) return done;
    const properties = (schema.properties ?? {}) as Record<string, Json>;
    return Object.fromEntries(
      Object.entries(done).map(([key, entry]) => [key, properties[key] ? walk(properties[key], entry, way) : entry]),
    );
  };
  return (schema: unknown, value: unknown, way: Normalization): unknown =>
    way === "none" || schema === undefined ? value : walk(schema as Json, value, way);
}

/** A list of strings carries the mark on the list itself. */
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
