import { module } from "./account.ts";

// Valid CRM requests: a form per operation.

export const MODULE = {
  ...module({
    active: true,
    accountUrl: "http://m.example/a",
    actions: { activity: "/a" },
    availableCountries: ["MT"],
  }),
  integrations: { mgTransport: { webhookUrl: "http://127.0.0.1:9/hook", refreshToken: false } },
};
export const NOTIFICATION = { type: "api.info", message: "Hello", userGroups: ["superadmins"], userIds: [1, 2] };

const PRODUCT = {
  externalId: "oar",
  catalogId: 1,
  article: "OAR-2",
  name: "Ash oar",
  url: "https://shop.example/oar",
  description: "Two metres",
  manufacturer: "Quay",
  type: "product",
  groups: [{ id: 2, externalId: "rigging" }],
  popular: true,
  active: false,
};

/** Contractor data, in which the filters of the spec's lists find each value. */
export const CONTRAGENT = {
  contragentType: "legal-entity",
  legalName: "Firm Ltd",
  INN: "1",
  KPP: "2",
  BIK: "3",
  corrAccount: "4",
  bankAccount: "5",
};

/** A valid form per operation. */
export const FORMS: Record<string, [path: string, form: Record<string, unknown>]> = {
  editIntegrationModule: ["/api/v5/integration-modules/m/edit", { integrationModule: MODULE }],
  updateScopes: ["/api/v5/integration-modules/m/update-scopes", { requires: { scopes: ["integration_read"] } }],
  sendNotification: ["/api/v5/notifications/send", { notification: NOTIFICATION }],
  storeProductsBatchCreate: ["/api/v5/store/products/batch/create", { products: [PRODUCT] }],
  storeProductsBatchEdit: [
    "/api/v5/store/products/batch/edit",
    { products: [{ ...PRODUCT, id: 101, externalId: "rope", site: "shop" }] },
  ],
};
