import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { contractDocuments } from "../src/documents.ts";

/** Every schema of a document, wherever it stands. */
function schemasIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    if (key === "schemas") return Object.values(each as Record<string, object>);
    return key === "schema" ? [each as object] : schemasIn(each);
  });
}

describe("the documents that calls are judged by", () => {
  it.each(contractDocuments())("$name has valid schemas", ({ spec }) => {
    const ajv = new Ajv2020({ strict: false });
    const schemas = schemasIn(spec);
    expect(schemas.length).toBeGreaterThan(10);
    for (const schema of schemas) expect([schema, ajv.validateSchema(schema)]).toEqual([schema, true]);
  });
});
