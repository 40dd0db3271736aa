import { contractJudge } from "../judge.ts";
import { type Json, loadSpec } from "../spec.ts";
import { mutations } from "./mutations.ts";
import type { Leak } from "./refusals.ts";
import type { Stage } from "./stage.ts";

const PATH = "/api/v5/integration-modules/mutated/edit";
const VALID = {
  code: "mutated",
  name: "Bent",
  clientId: "client-mutated",
  baseUrl: "http://127.0.0.1:9",
  active: true,
  availableCountries: ["DE"],
  actions: { activity: "/activity" },
  integrations: { mgTransport: { webhookUrl: "http://127.0.0.1:9/hook", refreshToken: true } },
};

/** Mutates a registration in every way the contract forbids: the CRM must refuse each and register nothing. */
export async function driveRegistrations({ crm, running }: Stage): Promise<{ sent: number; leaks: Leak[] }> {
  const judge = contractJudge();
  const operation = judge.operation("crm", "POST", PATH);
  if (!operation) throw new Error("the contract has no registration operation");
  const samples = [VALID, { ...VALID, integrations: { mgBot: {} } }].map((integrationModule) => ({
    integrationModule,
  }));
  const bodies = samples
    .flatMap((valid) => [
      ...mutations(operation.schema, valid, resolve),
      { how: "mgBot holds something", body: { integrationModule: { ...VALID, integrations: { mgBot: { a: 1 } } } } },
      { how: "no integration", body: { integrationModule: { ...VALID, integrations: {} } } },
    ])
    .filter(({ body }) => !Array.isArray(body) && judge.request(operation, body).length > 0);
  const leaks: Leak[] = [];
  for (const { how, body } of bodies) {
    const { status, body: answer } = await crm("POST", PATH, body as Record<string, unknown>);
    const refused = status >= 400 && status < 500 && answer.success === false && Boolean(answer.errorMsg);
    if (!refused || running.sandbox.world.modules.has("mutated")) leaks.push({ operation: operation.id, how, status });
  }
  return { sent: bodies.length, leaks };
}

function resolve(ref: string): Json {
  const path = ref.slice(ref.indexOf("#/") + 2).split("/");
  return path.reduce<Json>((at, key) => (at[key] ?? {}) as Json, loadSpec<Json>("crm-modules.openapi.json"));
}
