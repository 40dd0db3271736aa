import type { Stage } from "./stage.ts";

const MODULE = "/api/v5/integration-modules/transport";

/** CRM calls, their refusals, and the activity callback. */
export async function driveAccount(stage: Stage): Promise<void> {
  const { crm, control } = stage;
  for (const path of ["/api/api-versions", "/api/credentials", MODULE, "/api/v5/integration-modules/bot"])
    await crm("GET", path);
  for (const key of ["", "wrong"])
    for (const path of ["/api/api-versions", "/api/credentials", MODULE]) await crm("GET", path, undefined, key);
  await control("POST", "/keys", { key: "reader", scopes: ["integration_read"] });
  await crm("POST", `${MODULE}/edit`, edit({}), "reader");
  await crm("GET", "/api/v5/integration-modules/none");
  await crm("POST", `${MODULE}/edit`, edit({ code: "other" }));
  await control("POST", "/switches", { unpaid: true });
  await crm("POST", `${MODULE}/edit`, edit({}));
  await control("POST", "/switches", { unpaid: false });
  for (const crmTooMany of [429, 503]) {
    await control("PUT", "/settings", { crmPerSecond: 1, crmTooMany });
    for (let n = 0; n < 3; n++) await crm("GET", "/api/credentials");
  }
  await control("PUT", "/settings", { crmPerSecond: 0 });
  await control("POST", "/activity", { code: "transport", active: true, freeze: false });
}

const edit = (change: object) => ({
  integrationModule: {
    code: "transport",
    name: "transport",
    clientId: "client-transport",
    baseUrl: "http://127.0.0.1:9",
    integrations: { mgTransport: { webhookUrl: "http://127.0.0.1:9/hook" } },
    ...change,
  },
});

const MORE_THAN_ALLOWED = 31;

/** Exceeds the limit: every operation of the token answers 429, the other API's token still works. */
export async function driveLimits(
  { running: { origin }, tokens, control, inOneInstant }: Stage,
  operations: { api: "gateway" | "bot"; method: string; path: string }[],
): Promise<void> {
  for (const api of ["gateway", "bot"] as const) {
    await control("POST", "/clock", { jumpMs: 1_001 });
    const [base, header, token] =
      api === "bot" ? ["bot", "x-bot-token", tokens.bot] : ["transport", "x-transport-token", tokens.transport];
    const call = (method: string, path: string) =>
      fetch(`${origin}/api/${base}/v1${path}`, { method, headers: { [header]: token } }).then((answer) =>
        answer.text(),
      );
    await inOneInstant(async () => {
      for (let n = 0; n < MORE_THAN_ALLOWED; n++) await call("GET", "/channels");
      for (const { method, path } of operations.filter((operation) => operation.api === api)) await call(method, path);
    });
    await control("POST", "/clock", { jumpMs: 1_001 });
  }
}
