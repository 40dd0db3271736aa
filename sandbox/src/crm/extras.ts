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
const flag = { type: "boolean" };
const plain = { type: "string" };
const ids = { id: { type: "integer" }, externalId: plain };
const product = {
  type: "object",
  properties: {
    ...ids,
    site: plain,
    catalogId: { type: "integer" },
    article: plain,
    name: plain,
    url: plain,
    description: plain,
    manufacturer: plain,
    type: { enum: ["product", "service"] },
    groups: { type: "array", items: { type: "object", properties: ids } },
    popular: flag,
    stock: flag,
    novelty: flag,
    recommended: flag,
    markable: flag,
    active: flag,
  },
};
const batch = (operationId: string, more: Json) => ({
  post: {
    operationId,
    requestBody: form({ products: { type: "array", minItems: 1, maxItems: 50, items: product } }),
    responses: { 200: answer({ processedProductsCount: { type: "integer" }, ...more }), default: refusal },
  },
});

/** No document has this call; the service's own clients read the settings of `GET /api/v5/settings` from it. */
const settings = {
  operationId: "onSettings",
  requestBody: form({ clientId: text, settings: { $ref: "crm-extra#/components/schemas/Settings" } }),
  responses: { 200: answer({}), default: refusal },
};

export const CRM_EXTRAS: Spec = {
  webhooks: { settings: { post: settings } },
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
    "/api/v5/store/products/batch/create": batch("storeProductsBatchCreate", {
      addedProducts: { type: "array", items: { type: "integer" } },
    }),
    "/api/v5/store/products/batch/edit": batch("storeProductsBatchEdit", {
      notFoundProducts: { type: "array", items: { type: "object", properties: { id: plain, externalId: plain } } },
    }),
  },
  components: {},
};
