import { servedContract } from "../../crm/contract.ts";
import { resolver } from "../../normalize.ts";
import type { Json, Spec } from "../../spec.ts";

/** An operation of the served contract, as the run needs it. */
export interface CrmOperation {
  id: string;
  method: string;
  path: string;
  inPath: Parameter[];
  inQuery: Parameter[];
  /** Schema of the form. */
  form?: Json;
  /** Documented statuses, without successes. */
  refusals: string[];
  scopes: string[];
  /** Refusals seen in recordings (`x-errors`). */
  recorded: Recorded[];
  resolve(ref: string): Json;
}
export interface Parameter {
  name: string;
  schema: Json;
  /** A parameter that cannot stand beside this one. */
  notWith?: string;
}
export interface Recorded {
  status: number;
  errorMsg: string;
  errors?: Record<string, string> | string[];
}

const FORM = "application/x-www-form-urlencoded";

export const servedOperations = (): CrmOperation[] => servedContract().flatMap(([, spec]) => operationsIn(spec));

function operationsIn(spec: Spec): CrmOperation[] {
  const resolve = resolver(spec);
  const plain = (schema: Json): Json => (typeof schema.$ref === "string" ? plain(resolve(schema.$ref)) : schema);
  const read = (path: string, method: string, raw: Json): CrmOperation => {
    const parameters = ((raw.parameters ?? []) as Json[]).map((given) => ({
      at: given.in,
      name: String(given.name),
      schema: plain((given.schema ?? {}) as Json),
      ...(typeof given["x-not-with"] === "string" && { notWith: given["x-not-with"] }),
    }));
    const { content = {} } = (raw.requestBody ?? {}) as { content?: Record<string, { schema?: Json }> };
    return {
      id: String(raw.operationId),
      method: method.toUpperCase(),
      path,
      inPath: parameters.filter(({ at }) => at === "path"),
      inQuery: parameters.filter(({ at }) => at === "query"),
      ...(content[FORM]?.schema && { form: plain(content[FORM].schema) }),
      refusals: Object.keys(raw.responses as Json).filter((status) => Number(status) >= 400),
      scopes: (raw["x-scopes"] ?? []) as string[],
      recorded: (raw["x-errors"] ?? []) as Recorded[],
      resolve,
    };
  };
  return Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => read(path, method, raw)),
  );
}
