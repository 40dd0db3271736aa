import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { openapi } from "../../../../src/http/api/openapi.ts";

const document = openapi();

it("the API's document is OpenAPI 3.1, by its published schema", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
  expect(errors).toBeUndefined();
  expect([valid, validator.version]).toEqual([true, "3.1"]);
});

it("docs/api.json is the document of the schemas that parse", () => {
  const path = join(import.meta.dirname, "../../../../docs/api.json");
  const written = JSON.parse(readFileSync(path, "utf8"));
  expect(written, "npm run docs:api writes it").toEqual(JSON.parse(JSON.stringify(document)));
});

it("each operation names its scope and its parameters, and has a name of its own", () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path)) as {
    operationId: string;
    security: object[];
  }[];
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  expect(operations.every(({ security }) => security.length === 1)).toBe(true);
  expect(document.paths["/undelivered"]?.get).toMatchObject({
    parameters: expect.arrayContaining([
      expect.objectContaining({ name: "limit", in: "query", required: false }),
      expect.objectContaining({ name: "account", in: "query", required: false }),
    ]),
  });
  expect(document.paths["/accounts/{id}"]?.get).toMatchObject({
    parameters: [expect.objectContaining({ name: "id", in: "path", required: true })],
  });
});
