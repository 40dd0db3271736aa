import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import { type CallLog, snippet } from "./calls.ts";
import type { FaultPlan, Faults } from "./faults.ts";
import type { Judge, Side } from "./judge.ts";

export type Env = { Bindings: Partial<HttpBindings>; Variables: { body: unknown; token: string } };

export interface ExchangeParts {
  side: Side;
  judge: Judge;
  calls: CallLog;
  faults: Faults;
  now(): number;
  /** The operation's path within the published contract. */
  path(c: Context<Env>): string;
  readBody(c: Context<Env>): Promise<{ body: unknown; text: string }>;
  refuse(c: Context<Env>, status: 400 | 404, message: string): Response;
  /** Runs first: a refusal of the caller, such as too many requests. */
  admit(c: Context<Env>): Response | undefined;
}

/** Around every call to the sandbox's APIs: faults on demand, judgement of request and answer, a line in the call log. */
export function exchange(parts: ExchangeParts): MiddlewareHandler<Env> {
  return async (c, next) => {
    const began = parts.now();
    const path = parts.path(c);
    const operation = parts.judge.operation(parts.side, c.req.method, path);
    const found: string[] = operation ? [] : ["the contract has no such operation"];
    const { body, text } = await parts.readBody(c);
    const plan = operation && parts.faults.next(operation.id);
    const answer = await (async () => {
      if (plan && (await misbehave(c, plan))) return planned(c, plan);
      const refused = parts.admit(c);
      if (refused) return refused;
      if (!operation) return parts.refuse(c, 404, "Not found");
      found.push(...parts.judge.request(operation, body));
      if (found.length > 0) return parts.refuse(c, 400, found[0] ?? "");
      c.set("body", body);
      await next();
      return c.res;
    })();
    const answerText = await answer.clone().text();
    if (operation && !plan?.status)
      found.push(...parts.judge.answer(operation, answer.status, parse(answerText)).map((f) => `answer: ${f}`));
    parts.calls.add({
      at: began,
      side: parts.side,
      operation: operation?.id ?? "(unknown)",
      method: c.req.method,
      path: c.req.path,
      status: plan?.drop ? 0 : answer.status,
      ms: parts.now() - began,
      faults: found,
      request: snippet(text),
      answer: plan?.drop ? "(connection cut)" : snippet(answerText),
    });
    if (plan?.drop === "after") c.env?.incoming?.socket.destroy();
    c.res = answer;
  };
}

/** True when the request must not take effect. */
async function misbehave(c: Context<Env>, plan: FaultPlan): Promise<boolean> {
  if (plan.delayMs) await new Promise((resolve) => setTimeout(resolve, plan.delayMs));
  if (plan.drop === "before") c.env?.incoming?.socket.destroy();
  return plan.drop === "before" || plan.status !== undefined;
}

function planned(c: Context<Env>, plan: FaultPlan): Response {
  if (plan.retryAfter) c.header("Retry-After", String(plan.retryAfter));
  return c.json({ errors: ["Planned fault"], success: false, errorMsg: "Planned fault" }, (plan.status ?? 500) as 500);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
