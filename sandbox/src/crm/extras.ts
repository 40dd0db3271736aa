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

/**
 * What a transport module tells of a customer on the shop's site. The answers are types of retailcrm/api-client-go
 * (ChatCustomerOnline, ChatVisitsResponse); no source describes the requests.
 */
const time = { type: "string", pattern: String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$` };
const count = { type: "integer", minimum: 0 };
const object = (required: Json, more: Json = {}) => ({
  type: "object",
  required: Object.keys(required),
  properties: { ...required, ...more },
});
const page = object({ dateTime: time, url: plain }, { title: plain });
const lastVisit = object(
  { createdAt: time, source: plain, pages: { type: "array", items: page }, duration: count },
  { endedAt: time },
);
const visit = object(
  {
    device: object({ lang: plain, browser: plain, os: plain }),
    ...{ country: plain, city: plain, lastVisit, countVisits: count },
  },
  { utm: object({ source: plain, medium: plain, campaign: plain }) },
);
const ofCustomer = object({ channel_id: { type: "integer" }, external_user_id: text });
const told = (operationId: string, action: string, schema: Json) => ({
  operationId,
  requestBody: form({ clientId: text, [action]: ofCustomer }),
  responses: {
    200: {
      description: "Known, or not",
      content: { "application/json": { schema: { anyOf: [schema, object({ success: { const: false } })] } } },
    },
    default: refusal,
  },
});

export const CRM_EXTRAS: Spec = {
  webhooks: {
    settings: { post: settings },
    online: { post: told("onOnline", "online", object({ lastOnline: time })) },
    visits: { post: told("onVisits", "visits", visit) },
  },
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
