import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

type Json = { [key: string]: unknown };

const read = (name: string): Json =>
  JSON.parse(readFileSync(new URL(`../../../sandbox/contract/${name}.openapi.json`, import.meta.url), "utf8"));

/** The contract's objects are open for readers. Close them for writers: an unknown field is our invention. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== "object" || node === null) return node;
  // Conditions list only the properties they test.
  const inner = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === "allOf" ? value : closed(value)]),
  );
  const open = inner.type === "object" && inner.properties && inner.additionalProperties === undefined;
  return open ? { ...inner, additionalProperties: false } : inner;
}

/** The faults of a request body against the contract's operation, unknown fields included. */
export function strictJudge(name: "transport-api" | "crm-modules"): (operationId: string, body: unknown) => string[] {
  const contract = closed(read(name)) as { paths: Record<string, Record<string, Json>> };
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const format of ["int64", "int32", "double", "binary"]) ajv.addFormat(format, true);
  ajv.addSchema(contract as never, name);
  const operations = Object.values(contract.paths).flatMap((methods) => Object.values(methods));
  return (operationId, body) => {
    const operation = operations.find((o) => o.operationId === operationId);
    const content = (operation?.requestBody as { content?: Record<string, { schema: unknown }> } | undefined)?.content;
    const schema = (content?.["application/json"] ?? content?.["application/x-www-form-urlencoded"])?.schema;
    if (!schema) return body === undefined && operation ? [] : [`${operationId} takes no body`];
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${name}#/`)));
    if (validate(body)) return [];
    return (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
  };
}
