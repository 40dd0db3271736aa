import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Judges traffic by the published contract, and by nothing of the module's own. */
export interface Judge {
  /** The operation a request is meant for; undefined when the contract has none such. */
  operation(side: Side, method: string, path: string): Operation | undefined;
  request(operation: Operation, body: unknown): string[];
  answer(operation: Operation, status: number, body: unknown): string[];
}
export type Side = "crm" | "gateway" | "webhook";
export interface Operation {
  side: Side;
  id: string;
  path: RegExp;
  method: string;
  requestBody?: { required: boolean; validate?: ValidateFunction };
  answers: Map<string, ValidateFunction | undefined>;
}

type Json = Record<string, unknown>;
interface Spec {
  paths: Record<string, Record<string, Json>>;
  webhooks: Record<string, Record<string, Json>>;
  components: { responses?: Record<string, Json> };
}

const load = (name: string): Spec => JSON.parse(readFileSync(new URL(`./contract/${name}`, import.meta.url), "utf8"));

export function createJudge(): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const format of ["int64", "int32", "double", "binary"]) ajv.addFormat(format, true);
  const crm = readSpec(ajv, load("crm-modules.openapi.json"), "crm");
  const gateway = readSpec(ajv, load("transport-api.openapi.json"), "gateway");
  const operations = [...crm, ...gateway];
  return {
    operation: (side, method, path) =>
      operations.find((o) => o.side === side && o.method === method && o.path.test(path)),
    request: ({ requestBody }, body) => {
      if (body === undefined) return requestBody?.required ? ["(body) is missing"] : [];
      return requestBody?.validate ? faults(requestBody.validate, body) : [];
    },
    answer(operation, status, body) {
      const key = [String(status), `${String(status)[0]}XX`, "default"].find((k) => operation.answers.has(k));
      if (!key) return [`the status ${status} is not in the contract`];
      const validate = operation.answers.get(key);
      return validate ? faults(validate, body) : [];
    },
  };
}

function faults(validate: ValidateFunction, body: unknown): string[] {
  if (validate(body)) return [];
  return (validate.errors ?? []).map((e) => `${e.instancePath || "(body)"} ${e.message ?? "is wrong"}`);
}

function readSpec(ajv: Ajv2020, spec: Spec, side: "crm" | "gateway"): Operation[] {
  ajv.addSchema(spec as never, side);
  /** Local references are made absolute, so that a piece of the document compiles alone. */
  const compile = (schema: unknown): ValidateFunction | undefined =>
    schema === undefined
      ? undefined
      : ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${side}#/`)));
  const resolve = (item: Json): Json => {
    const name = typeof item.$ref === "string" ? item.$ref.split("/").at(-1) : undefined;
    return name ? (spec.components.responses?.[name] ?? {}) : item;
  };
  const read = (at: Side, path: RegExp, method: string, raw: Json): Operation => {
    const body = raw.requestBody as Json | undefined;
    const answers = Object.entries(raw.responses as Record<string, Json>).map(
      ([status, answer]) => [status, compile(schemaOf(resolve(answer)))] as const,
    );
    return {
      side: at,
      id: String(raw.operationId),
      path,
      method: method.toUpperCase(),
      requestBody: body && { required: body.required === true, validate: compile(schemaOf(body)) },
      answers: new Map(answers),
    };
  };
  const own = Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => read(side, pattern(path), method, raw)),
  );
  const hooks = Object.entries(spec.webhooks).flatMap(([name, methods]) =>
    Object.entries(methods).map(([method, raw]) => read("webhook", new RegExp(`^${name}$`), method, raw)),
  );
  return [...own, ...hooks];
}

const pattern = (path: string) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);

/** Raw bytes have no schema worth judging. */
function schemaOf(body: Json): unknown {
  const content = (body.content ?? {}) as Record<string, { schema?: unknown }>;
  return (content["application/json"] ?? content["application/x-www-form-urlencoded"])?.schema;
}
