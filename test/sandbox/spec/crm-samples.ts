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

/** A valid form per operation. */
export const FORMS: Record<string, [path: string, form: Record<string, unknown>]> = {
  editIntegrationModule: ["/api/v5/integration-modules/m/edit", { integrationModule: MODULE }],
  updateScopes: ["/api/v5/integration-modules/m/update-scopes", { requires: { scopes: ["integration_read"] } }],
  sendNotification: ["/api/v5/notifications/send", { notification: NOTIFICATION }],
};
