import { contractJudge } from "../judge.ts";
import type { Json } from "../spec.ts";
import { put } from "./mutations.ts";
import { type ApiSide, BASES, CALLS_A_SECOND, type Leak, RAW_BODIES, resolve, samplesIn, send } from "./refusals.ts";
import type { Stage } from "./stage.ts";

interface Nulled {
  how: string;
  body: unknown;
  absent: unknown;
}

/** One body per property with null for it, and one per list with a null in it. */
export function nulledBodies(schema: unknown, valid: unknown, resolveRef: (ref: string) => Json): Nulled[] {
  const found = new Map<string, Nulled>();
  const add = (path: string[], body: unknown, absent: unknown) =>
    found.set(path.join("."), { how: `${path.join(".")} is null`, body, absent });
  const walk = (at: Json, path: string[], value: unknown) => {
    if (typeof at.$ref === "string") return walk(resolveRef(at.$ref), path, value);
    for (const part of [at.allOf, at.anyOf, at.oneOf].flat().filter(Boolean)) walk(part as Json, path, value);
    if (Array.isArray(value)) {
      add([...path, "[]"], put(valid, path, [null, ...value]), valid);
      if (value.length > 0) walk((at.items ?? {}) as Json, [...path, "0"], value[0]);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries((at.properties ?? {}) as Record<string, Json>)) {
      const inner = [...path, key];
      add(inner, put(valid, inner, null), put(valid, inner, undefined));
      if (key in value) walk(part, inner, (value as Json)[key]);
    }
  };
  walk((schema ?? {}) as Json, [], valid);
  return [...found.values()];
}

/** Repeats an accepted request of each shape with each optional property null: none may be refused. */
export async function driveNulls(stage: Stage): Promise<{ sent: number; leaks: Leak[] }> {
  const judge = contractJudge();
  const leaks: Leak[] = [];
  let sent = 0;
  for (const { side, method, path, request } of samplesIn(stage.seen)) {
    const api = side as ApiSide;
    const ownPath = path.slice(BASES[api].length);
    const operation = judge.operation(api, method, ownPath);
    if (!operation || RAW_BODIES.includes(operation.id)) continue;
    const bodies = nulledBodies(operation.schema, request, (ref) => resolve(api, ref)).filter(
      ({ absent }) => judge.request(operation, absent).length === 0,
    );
    for (const { how, body } of bodies) {
      if (sent % CALLS_A_SECOND === 0) await stage.control("POST", "/clock", { jumpMs: 1_001 });
      const { status } = await send(stage, api, { how, path: ownPath, method, body: JSON.stringify(body) });
      sent += 1;
      const rule = stage.seen.findLast((exchange) => exchange.side === api)?.rule;
      if (rule === "contract" || status >= 500) leaks.push({ operation: operation.id, how, status });
    }
  }
  return { sent, leaks };
}
