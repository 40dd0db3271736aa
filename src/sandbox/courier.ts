import { type CallLog, snippet } from "./calls.ts";
import type { Faults } from "./faults.ts";
import type { Judge } from "./judge.ts";
import type { Message, SandboxChannel, World } from "./world.ts";

/** Brings events to the module: in order within a channel, again and again until it takes them. */
export interface Courier {
  send(channel: SandboxChannel, type: string, data: Record<string, unknown>, message?: Message): void;
  stop(): void;
}
export interface CourierParts {
  world: World;
  judge: Judge;
  calls: CallLog;
  faults: Faults;
  now(): number;
  timeoutMs?: number;
}

// Not known of the real gateway; ours repeats quickly, so that a restart of the module is bridged.
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
const PATIENCE_MS = 120_000;
const TIMEOUT_MS = 10_000;

interface Answer {
  async?: boolean;
  external_message_id?: string;
  error?: { code: string; message: string };
}
type Outcome = { type: "again" } | { type: "malformed" } | { type: "taken"; answer: Answer };

export function createCourier(parts: CourierParts): Courier {
  const queues = new Map<number, Promise<void>>();
  const stopped = new AbortController();
  return {
    stop: () => stopped.abort(),
    send(channel, type, data, message) {
      const body = { type, meta: { timestamp: Math.floor(parts.now() / 1000) }, data };
      const before = queues.get(channel.id) ?? Promise.resolve();
      queues.set(
        channel.id,
        before.then(() => deliver(parts, channel, body, message, stopped.signal)),
      );
    },
  };
}

type Body = { type: string; data: unknown };

async function deliver(
  parts: CourierParts,
  channel: SandboxChannel,
  body: Body,
  message: Message | undefined,
  stop: AbortSignal,
) {
  const until = parts.now() + PATIENCE_MS;
  let pause = FIRST_PAUSE_MS;
  while (!stop.aborted) {
    const outcome = await attempt(parts, channel, body, stop);
    if (outcome.type !== "again") return settle(parts.world, message, outcome);
    if (parts.now() > until) return settle(parts.world, message, { type: "again" });
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
  }
}

function settle(world: World, message: Message | undefined, outcome: Outcome): void {
  if (!message) return;
  world.version += 1;
  const fail = (code: string, text?: string) =>
    Object.assign(message, { status: "failed", error: { code, message: text } });
  if (outcome.type === "again") fail("network_error");
  else if (outcome.type === "malformed") fail("malformed_response");
  else if (outcome.answer.error) fail(outcome.answer.error.code, outcome.answer.error.message);
  else if (outcome.answer.external_message_id)
    Object.assign(message, { externalId: outcome.answer.external_message_id, status: "received" });
  else if (!outcome.answer.async) fail("malformed_response");
  else if (message.status === "sending") message.status = "sent";
}

async function attempt(parts: CourierParts, channel: SandboxChannel, body: Body, stop: AbortSignal): Promise<Outcome> {
  const module = parts.world.modules.get(channel.moduleCode);
  const url = module?.registration.integrations.mgTransport?.webhookUrl;
  const operation = parts.judge.operation("webhook", "POST", body.type);
  if (!module || !url || !operation) return { type: "malformed" };
  const began = parts.now();
  const text = JSON.stringify(body);
  const faults = parts.judge.request(operation, body).map((fault) => `sandbox: ${fault}`);
  const write = (status: number, answer: string) =>
    parts.calls.add({
      at: began,
      side: "webhook",
      operation: body.type,
      method: "POST",
      path: snippet(new URL(url).pathname),
      status,
      ms: parts.now() - began,
      faults,
      request: snippet(text),
      answer: snippet(answer),
    });
  try {
    const plan = parts.faults.next(operation.id);
    if (plan?.delayMs) await new Promise((resolve) => setTimeout(resolve, plan.delayMs));
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/json", clientid: module.registration.clientId },
      body: text,
      signal: AbortSignal.any([stop, AbortSignal.timeout(parts.timeoutMs ?? TIMEOUT_MS)]),
    });
    const answer = await response.text();
    const again = response.status >= 500 || response.status === 429;
    const json = again ? undefined : parse(answer);
    if (!again) faults.push(...parts.judge.answer(operation, response.status, json).map((fault) => `answer: ${fault}`));
    write(response.status, answer);
    // An answer that got lost on its way: the module has taken the event, the gateway does not know it.
    if (again || plan?.drop === "after") return { type: "again" };
    return json === undefined || faults.length > 0 ? { type: "malformed" } : { type: "taken", answer: json as Answer };
  } catch (error) {
    write(0, `(no answer: ${error instanceof Error ? error.name : "?"})`);
    return { type: "again" };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return undefined;
  }
}
