import type { Json } from "../../spec.ts";

/** An enumeration that a request can set. `0` in its path is a list's first entry. */
export interface Choice {
  path: string[];
  values: unknown[];
}

/** All that a writer may set below the schema. Fields that are only read (`x-dir`) are left out, as are repetitions. */
export function choicesIn(schema: Json, resolve: (ref: string) => Json): Choice[] {
  const found = new Map<string, Choice>();
  const walk = (given: Json, path: string[], within: string[]): void => {
    const ref = typeof given.$ref === "string" ? given.$ref : undefined;
    if (ref && within.includes(ref)) return;
    const inside = ref ? [...within, ref] : within;
    const at = ref ? { ...resolve(ref), ...given, $ref: undefined } : given;
    if (at["x-dir"] === "R") return;
    if (Array.isArray(at.enum)) found.set(path.join("."), { path, values: at.enum });
    for (const part of [at.allOf, at.anyOf, at.oneOf].flat().filter(Boolean)) walk(part as Json, path, inside);
    if (typeof at.items === "object" && at.items !== null) walk(at.items as Json, [...path, "0"], inside);
    for (const [name, part] of Object.entries((at.properties ?? {}) as Record<string, Json>))
      walk(part, [...path, name], inside);
  };
  walk(schema, [], []);
  return [...found.values()];
}

/** A copy with the value at the path; creates what is missing on the way. */
export function withValue(root: unknown, [key, ...rest]: string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (key === "0") {
    const [first, ...others] = Array.isArray(root) ? root : [];
    return [withValue(first, rest, value), ...others];
  }
  const object = (typeof root === "object" && root !== null ? root : {}) as Json;
  return { ...object, [key]: withValue(object[key], rest, value) };
}

/** `*` is the first entry that has the rest of the path. */
export function valueAt(root: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return root;
  if (key !== "*") return valueAt((root as Json | undefined | null)?.[key], rest);
  const all = Array.isArray(root) ? root : [];
  return all.map((entry) => valueAt(entry, rest)).find((value) => value !== undefined);
}
