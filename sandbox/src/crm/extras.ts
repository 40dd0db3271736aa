import type { Json, Spec } from "../spec.ts";

// CRM calls beyond the module contract. Paths and fields are those of the service's description; the schemas are as
// loose as it is.

const answer = (properties: Json, required: string[] = []) => ({
  description: "Success",
  content: {
    "application/json": {
      schema: {
        type: "object",
        required: ["success", ...required],
        properties: { success: { const: true }, ...properties },
      },
    },
  },
});
const refusal = {
  description: "Error",
  content: {
    "application/json": {
      schema: {
        type: "object",
        required: ["success"],
        properties: { success: { const: false }, errorMsg: { type: "string" } },
      },
    },
  },
};
const form = (properties: Json) => ({
  required: true,
  content: {
    "application/x-www-form-urlencoded": { schema: { type: "object", required: Object.keys(properties), properties } },
  },
});
const text = { type: "string", minLength: 1 };
const inPath = (name: string) => [{ name, in: "path", required: true, schema: { type: "string", minLength: 1 } }];

const notification = {
  type: "object",
  required: ["type", "message"],
  properties: {
    type: { enum: ["api.error", "api.info"] },
    message: text,
    userGroups: { type: "array", items: { type: "string" } },
    userIds: { type: "array", items: { type: "integer" } },
  },
  anyOf: [{ required: ["userGroups"] }, { required: ["userIds"] }],
};
export const CRM_EXTRAS: Spec = {
  paths: {
    "/api/system-info": {
      get: {
        operationId: "systemInfo",
        responses: { 200: answer({ publicUrl: text, technicalUrl: text, systemVersion: text }), default: refusal },
      },
    },
    "/api/v5/integration-modules/{code}/update-scopes": {
      post: {
        operationId: "updateScopes",
        parameters: inPath("code"),
        requestBody: form({
          requires: { type: "object", required: ["scopes"], properties: { scopes: { type: "array", items: text } } },
        }),
        responses: { 200: answer({ apiKey: text }, ["apiKey"]), default: refusal },
      },
    },
    "/api/v5/notifications/send": {
      post: {
        operationId: "sendNotification",
        requestBody: form({ notification }),
        responses: { 200: answer({}), default: refusal },
      },
    },
  },
  components: {},
};
