import { type ListName, listParameters } from "../../../sandbox/src/crm/filters.ts";
import { module } from "./account.ts";

// Valid CRM requests: a form per operation, a value per list filter.

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

export const PATHS: Record<ListName, string> = {
  orders: "/api/v5/orders",
};

const SAMPLES: Record<string, string> = { "crm-day": "2026-01-15", "crm-second": "2026-01-15 10:20:30" };

/** A value that the schema allows. */
function sampleOf({ enum: choices, items, type, format, pattern }: Record<string, unknown>): string {
  if (items) return sampleOf(items as Record<string, unknown>);
  if (Array.isArray(choices)) return String(choices[0]);
  if (type === "integer") return "1";
  return SAMPLES[String(format)] ?? (pattern ? "10:20:30" : "x");
}
/** A list's documented filters. */
export const documented = (name: ListName) =>
  listParameters(name).flatMap(({ name: parameter, schema }) => {
    const filter = /^filter\[(\w+)\]/.exec(String(parameter))?.[1];
    return filter ? [{ filter, parameter: String(parameter), schema: schema as Record<string, unknown> }] : [];
  });

/** A query with a valid value; maps get a key. */
export const queryOf = (parameter: string, schema: Record<string, unknown>): string =>
  `?${new URLSearchParams({ [schema.type === "object" ? `${parameter}[code]` : parameter]: sampleOf(schema) })}`;
