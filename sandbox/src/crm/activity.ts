import { snippet } from "../calls.ts";
import { send } from "../corrupted-request.ts";
import { type Bench, parse } from "../exchange.ts";
import { type Fault, isSent } from "../faults.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { withoutNulls } from "../normalize.ts";
import type { Module, World } from "../world.ts";
import { setActive } from "./modules.ts";

export interface Activity {
  active: boolean;
  freeze: boolean;
}
export interface Result {
  status: number;
  answer: string;
}
const TIMEOUT_MS = 10_000;

/** Stores the user's switch and reports it to `{baseUrl}/{actions.activity}` (spec: Callbacks). */
export async function setActivity(gateway: Gateway, bench: Bench, code: string, activity: Activity): Promise<Result> {
  const module = gateway.world.modules.get(code);
  if (!module) return { status: 404, answer: "There is no such module" };
  const { mgTransport } = module.registration.integrations;
  if (activity.active && !(mgTransport ? gateway.world.gatewayOn : gateway.world.chatsOn))
    return {
      status: 409,
      answer: `The module was not called: switch ${mgTransport ? "the gateway" : "chats"} on first`,
    };
  setActive(gateway, module, activity);
  return callActivity(gateway, bench, module);
}

export async function callActivity(gateway: Gateway, bench: Bench, module: Module): Promise<Result> {
  const { active, freeze, registration } = module;
  const { baseUrl, actions, clientId } = registration;
  if (!actions?.activity) return { status: 200, answer: "The module has no activity action" };
  const body = {
    clientId,
    activity: { active, freeze },
    systemUrl: gateway.world.settings.publicUrl ?? gateway.origin(),
  };
  const url = `${baseUrl.replace(/\/+$/, "")}/${actions.activity.replace(/^\/+/, "")}`;
  const at = bench.clock.now();
  const operation = bench.judge.operation("callback", "POST", "activity");
  const plan = operation && bench.faults.next(operation.id);
  if (plan?.delayMs) await new Promise((resolve) => setTimeout(resolve, plan.delayMs));
  if (plan && !isSent(plan)) return { status: 0, answer: "(planned fault)" };
  const result = await post(url, { ...body, activity: JSON.stringify(body.activity) }, plan);
  const answer = withoutNulls(parse(result.answer));
  const faults = operation
    ? [
        ...bench.judge.request(operation, body).map((fault) => `sandbox: ${fault}`),
        ...(result.status
          ? bench.judge.answer(operation, result.status, answer).map((fault) => `answer: ${fault}`)
          : []),
      ]
    : [];
  const { status } = result;
  const entry = {
    at,
    side: "callback",
    operation: "onActivity",
    method: "POST",
    path: snippet(url),
    query: {},
  } as const;
  bench.calls.add(
    { ...entry, status, ms: bench.clock.now() - at, faults, request: body, answer },
    { answer: result.answer },
  );
  return result;
}

/** Moves the account to a new public address and reports it to each module; the sandbox's own address stays the technical one. */
export async function moveAccount(gateway: Gateway, bench: Bench, publicUrl: string): Promise<Result[]> {
  gateway.world.settings.publicUrl = publicUrl;
  return Promise.all([...gateway.world.modules.values()].map((module) => callActivity(gateway, bench, module)));
}

/** Stores the account's settings and reports them to each module's settings action. */
export async function setSettings(gateway: Gateway, settings: World["settings"]): Promise<Result[]> {
  const { world } = gateway;
  Object.assign(world.settings, settings);
  const shown = { system_language: settings.language, timezone: settings.timeZone };
  const calls = [...world.modules.values()].map(({ registration: { baseUrl, actions, clientId } }) =>
    actions?.settings
      ? post(`${baseUrl.replace(/\/+$/, "")}/${actions.settings.replace(/^\/+/, "")}`, {
          clientId,
          settings: JSON.stringify(shown),
        })
      : { status: 200, answer: "The module has no settings action" },
  );
  return Promise.all(calls);
}

export async function post(url: string, fields: Record<string, string>, fault?: Fault): Promise<Result> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams(fields).toString();
  try {
    const { status, answer } = await send({ url, headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) }, fault);
    return { status, answer };
  } catch (error) {
    return { status: 0, answer: `(no answer: ${error instanceof Error ? error.name : "?"})` };
  }
}
