import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { inbound, outbound } from "../../src/events.ts";
import { openApi } from "../../src/openapi.ts";
import { besideApp, judgeCallback } from "../support.ts";

const document = openApi();
const text = JSON.stringify(document);

describe("the document of the API", () => {
  it("is OpenAPI 3.1, by its published schema", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(text));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  it("has each event, and no reference that leads nowhere", () => {
    for (const type of [...Object.keys(inbound), ...Object.keys(outbound)]) expect(text).toContain(`"const":"${type}"`);
    const schemas = (document as { components: { schemas: object } }).components.schemas;
    const named = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? "");
    expect(named.length).toBeGreaterThan(10);
    for (const name of named) expect(schemas).toHaveProperty(name);
    expect(text).not.toContain('"$id"');
  });

  it("judges what is not as it says", async () => {
    expect(() => judgeCallback('{"type":"message.created"}')).toThrow(/required/);
    const { session, context } = await besideApp().open();
    Object.assign(context, { doorUrl: "https://gangway.example/m/door" });
    expect((await session.receive(new Request(context.doorUrl))).reply.status).toBe(401);
  });
});
