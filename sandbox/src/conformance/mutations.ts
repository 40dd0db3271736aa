import type { Json } from "../spec.ts";

export interface Mutation {
  /** The mutation, in words. */
  how: string;
  body: unknown;
}

/** One body per schema rule that the valid body can break; the judge decides later which are invalid. */
export function mutations(schema: unknown, valid: unknown, resolve: (ref: string) => Json): Mutation[] {
  const found: Mutation[] = [{ how: "the body is a list", body: [valid] }];
  const walk = (at: Json, path: string[], value: unknown) => {
    if (typeof at.$ref === "string") return walk(resolve(at.$ref), path, value);
    for (const part of [at.allOf, at.anyOf, at.oneOf].flat().filter(Boolean)) walk(part as Json, path, value);
    for (const [how, wrong] of wrongFor(at, value))
      found.push({ how: `${path.join(".") || "(body)"} ${how}`, body: put(valid, path, wrong) });
    for (const key of (at.required ?? []) as string[])
      found.push({ how: `${[...path, key].join(".")} is missing`, body: put(valid, [...path, key], undefined) });
    if (Array.isArray(value) && value.length > 0) walk((at.items ?? {}) as Json, [...path, "0"], value[0]);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const [key, part] of Object.entries((at.properties ?? {}) as Record<string, Json>))
      if (key in value) walk(part, [...path, key], (value as Json)[key]);
  };
  walk((schema ?? {}) as Json, [], valid);
  return found;
}

function wrongFor(schema: Json, value: unknown): [string, unknown][] {
  const wrong: [string, unknown][] = [];
  const types = [schema.type].flat();
  if (types.includes("string")) wrong.push(["is a number", 7]);
  if (types.includes("integer") || types.includes("number")) wrong.push(["is a word", "seven"]);
  if (types.includes("boolean")) wrong.push(["is a word", "perhaps"]);
  if (types.includes("array")) wrong.push(["is no list", "list"]);
  if (types.includes("object")) wrong.push(["is no object", "object"]);
  if (schema.enum) wrong.push(["is no listed value", "no-such-value"]);
  if (typeof schema.maxLength === "number") wrong.push(["is too long", "é".repeat(schema.maxLength + 1)]);
  if (typeof schema.minLength === "number" && schema.minLength > 0) wrong.push(["is empty", ""]);
  if (typeof schema.minimum === "number") wrong.push(["is too small", schema.minimum - 1]);
  if (typeof schema.maximum === "number") wrong.push(["is too large", schema.maximum + 1]);
  if (schema["x-nonzero"]) wrong.push(["is zero", 0]);
  if (typeof schema.format === "string" && types.includes("string"))
    wrong.push([`is no ${schema.format}`, "not at all"]);
  if (Array.isArray(value) && typeof schema.maxItems === "number")
    wrong.push(["has too many", Array.from({ length: schema.maxItems + 1 }, () => value[0])]);
  if (Array.isArray(value) && typeof schema.minItems === "number") wrong.push(["is an empty list", []]);
  return wrong;
}

/** A copy with the value at the path; undefined removes the key. */
export function put(root: unknown, path: string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root)) return root.map((entry, n) => (String(n) === key ? put(entry, rest, value) : entry));
  const object = root as Json;
  if (rest.length > 0) return { ...object, [key]: put(object[key], rest, value) };
  const { [key]: _, ...others } = object;
  return value === undefined ? others : { ...others, [key]: value };
}
