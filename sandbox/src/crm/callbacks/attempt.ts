import { isCorrupted } from "gangway-messenger/kit/emulator/corrupted-request";
import { isSent } from "gangway-messenger/kit/emulator/faults";
import { snippet } from "../../calls.ts";
import { type Bench, parse } from "../../exchange.ts";
import { withoutNulls } from "../../normalize.ts";
import { post, type Result } from "./post.ts";

/** A call of the contract's webhooks, as it stands now. */
export interface CallbackRequest {
  /** The webhook's name and its form field. */
  action: string;
  url: string;
  /** Form fields; objects are sent as JSON. */
  body: Record<string, unknown>;
}
export type Ended =
  | { type: "done"; result: unknown }
  | { type: "refused"; errorMsg?: string }
  /** The answer breaks the contract. */
  | { type: "malformed" };
export interface Attempt extends Result {
  /** `again`: no answer, or one that says that the module is down. */
  outcome: Ended | { type: "again" };
}

/** One call, judged and logged. */
export async function attempt(bench: Bench, request: CallbackRequest): Promise<Attempt> {
  const { judge, clock, faults: plans } = bench;
  const { action, url, body } = request;
  const at = clock.now();
  const operation = judge.operation("callback", "POST", action);
  const plan = operation && plans.next(operation.id);
  if (plan?.delayMs) await new Promise((resolve) => setTimeout(resolve, plan.delayMs));
  if (plan && !isSent(plan)) return { status: 0, answer: "(planned fault)", outcome: { type: "again" } };
  const fields = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const reply = await post(url, Object.fromEntries(fields), { fault: plan, ms: bench.unknowns().callbackTimeoutMs });
  const lost = plan !== undefined && (isCorrupted(plan) || plan.drop === "after" || plan.status !== undefined);
  const answer = withoutNulls(parse(reply.answer));
  const wrong = operation && reply.status && !lost ? judge.answer(operation, reply.status, answer) : [];
  const sent = operation ? judge.request(operation, body) : ["the contract has no such callback"];
  const faults = [...sent.map((fault) => `sandbox: ${fault}`), ...wrong.map((fault) => `answer: ${fault}`)];
  log(bench, {
    request,
    id: operation?.id ?? action,
    at,
    reply,
    answer,
    faults,
    rule: lost ? "planned fault" : undefined,
  });
  return { ...reply, outcome: lost ? { type: "again" } : outcomeOf(reply.status, answer, wrong.length > 0) };
}

interface Logged {
  request: CallbackRequest;
  id: string;
  at: number;
  reply: Result;
  answer: unknown;
  faults: string[];
  rule?: string;
}

function log({ calls, clock }: Bench, { request, id, at, reply, answer, faults, rule }: Logged): void {
  const entry = { at, side: "callback", operation: id, method: "POST", path: snippet(request.url), query: {} } as const;
  const ended = { status: reply.status, ms: clock.now() - at, faults, rule };
  calls.add({ ...entry, ...ended, request: request.body, answer }, { answer: reply.answer });
}

function outcomeOf(status: number, answer: unknown, wrong: boolean): Attempt["outcome"] {
  if (status === 0 || status === 429 || status >= 500) return { type: "again" };
  if (wrong) return { type: "malformed" };
  const { success, result, errorMsg } = answer as { success?: boolean; result?: unknown; errorMsg?: string };
  if (success === false) return { type: "refused", errorMsg };
  // Without `success` the answer is the result.
  return { type: "done", result: success ? result : answer };
}
