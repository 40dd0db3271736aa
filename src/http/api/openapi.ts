import * as z from "zod";
import { SCOPES } from "../../domain/vendor.ts";
import { ROUTES, type Route } from "./routes.ts";

export const API = "/api/v1";

/** An error response (RFC 9457). */
export const problem = z.strictObject({
  ...{ title: z.string(), status: z.int(), detail: z.string().optional() },
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});

function jsonSchema(of: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(of, { io });
  return schema;
}

const PROBLEM = { $ref: "#/components/responses/problem" };

function parameters({ params, query }: Route): object[] {
  const of = (place: "path" | "query", type: z.ZodType | undefined) => {
    const { properties = {}, required = [] } = (type ? jsonSchema(type, "input") : {}) as {
      properties?: Record<string, { description?: string }>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      ...{ name, in: place, required: required.includes(name), ...(description && { description }), schema },
    }));
  };
  return [...of("path", params), ...of("query", query)];
}

const operation = (route: Route) => ({
  operationId: `${route.method} ${route.path}`.replaceAll(/[^a-z]+/g, "-").replace(/-$/, ""),
  summary: route.summary,
  description: `Needs the scope \`${route.scope}\`.`,
  security: [{ token: [route.scope] }],
  parameters: parameters(route),
  ...(route.body && {
    requestBody: { required: true, content: { "application/json": { schema: jsonSchema(route.body, "input") } } },
  }),
  responses: {
    200: {
      description: "Done.",
      content: { "application/json": { schema: jsonSchema(route.answer, "output") } },
    },
    default: PROBLEM,
  },
});

/** OpenAPI 3.1, generated from the schemas that parse. */
export function openapi() {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES) paths[route.path] = { ...paths[route.path], [route.method]: operation(route) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Gangway, for the vendor",
      version: "1",
      license: { name: "MIT", identifier: "MIT" },
      description: `All accounts of one server. Scopes of tokens: ${SCOPES.join(", ")}.`,
    },
    servers: [{ url: API }],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "Made by `gangway tokens add`." },
      },
      responses: {
        problem: {
          description: "It was refused, or has failed: 400, 401, 403, 404, 413, 500, 503.",
          content: { "application/problem+json": { schema: jsonSchema(problem, "output") } },
        },
      },
    },
  };
}
