import { isSpoiled, type Sending, send } from "../bent-request.ts";
import { type CallLog, snippet } from "../calls.ts";
import type { Clock } from "../clock.ts";
import { type Bench, parse } from "../exchange.ts";
import { type Fault, goesOut } from "../faults.ts";
import { withoutNulls } from "../normalize.ts";
import type { Message, SandboxChannel, World } from "../world.ts";

/** Brings events to the module: in order within a channel, again and again until it takes them. */
export interface Courier {
  /** `message`: whose status the module's answer decides. */
  send(channel: SandboxChannel, type: string, data: Record<string, unknown>, message?: Message): void;
  /** Tells what the module answered; undefined when it was never a right answer. */
  ask(channel: SandboxChannel, type: string, data: Record<string, unknown>, told: (answer: unknown) => void): void;
  stop(): void;
}
export interface CourierParts extends Bench {
  world: World;
  /** A message's fate: a code of the contract's MessageErrorCode, or delivered. */
  fail(message: Message, code: string, text?: string): void;
  delivered(message: Message): void;
  /** The module has it and will ack. */
  accepted(message: Message): void;
}

// Ours repeats quickly, so that a restart of the module is bridged.
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

interface Answer {
  async?: boolean;
  external_message_id?: string;
  external_chat_id?: string;
  external_customer_id?: string;
  error?: { code: string; message: string };
}
type Outcome = { type: "again" } | { type: "malformed" } | { type: "taken"; answer: Answer };
type Told = (outcome: Outcome) => void;

export function createCourier(parts: CourierParts): Courier {
  const queues = new Map<number, Promise<void>>();
  const stopped = new AbortController();
  const queue = (channel: SandboxChannel, type: string, data: Record<string, unknown>, told: Told) => {
    const body = { type, meta: { timestamp: Math.floor(parts.clock.now() / 1000) }, data };
    const since = parts.clock.now();
    const before = queues.get(channel.id) ?? Promise.resolve();
    queues.set(
      channel.id,
      before
        .then(() => deliver(parts, channel, { body, since, told }, stopped.signal))
        .catch((error: unknown) => broken(parts, body, error)),
    );
  };
  return {
    stop: () => stopped.abort(),
    send: (channel, type, data, message) =>
      queue(channel, type, data, (outcome) => message && settle(parts, message, outcome)),
    ask: (channel, type, data, told) =>
      queue(channel, type, data, (outcome) => told(outcome.type === "taken" ? outcome.answer : undefined)),
  };
}

type Body = { type: string; data: unknown };

/** A defect of the sandbox stops neither it nor the channel's queue; the call log shows it. */
function broken({ calls, clock }: CourierParts, body: Body, error: unknown): void {
  const fault = `sandbox: ${error instanceof Error ? error.stack : String(error)}`;
  const nothing = { path: "", query: {}, status: 0, ms: 0, answer: undefined };
  const entry = { at: clock.now(), side: "webhook", operation: body.type, method: "POST", ...nothing } as const;
  calls.add({ ...entry, faults: [fault], request: body });
}

interface Errand {
  body: Body;
  /** When it happened: the time for which it is repeated counts from then, also while others are before it. */
  since: number;
  told: Told;
}

async function deliver(parts: CourierParts, channel: SandboxChannel, { body, since, told }: Errand, stop: AbortSignal) {
  let pause = FIRST_PAUSE_MS;
  while (!stop.aborted) {
    const outcome = await attempt(parts, channel, body, stop);
    const over = parts.clock.now() - since >= parts.unknowns().webhookRetryForMs;
    if (stop.aborted) return;
    if (outcome.type !== "again" || over) return told(outcome);
    await new Promise<void>((resolve) => parts.clock.after(pause, resolve));
    pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
  }
}

function settle(parts: CourierParts, message: Message, outcome: Outcome): void {
  // An ack may have come before the answer to the webhook.
  if (message.acked) return;
  const failed = failureOf(outcome) ?? takenName(parts.world, message, outcome);
  if (outcome.type === "taken") learnIds(parts.world, message, outcome.answer);
  const externalId = outcome.type === "taken" ? outcome.answer.external_message_id : undefined;
  if (externalId && failed?.code !== "malformed_response") parts.world.nameMessage(message, externalId);
  if (failed) parts.fail(message, failed.code, failed.message);
  else if (outcome.type === "taken" && outcome.answer.async) awaitAck(parts, message);
  else parts.delivered(message);
}

/** Why the webhook's answer fails the message, as the contract's MessageError. */
function failureOf(outcome: Outcome): { code: string; message?: string } | undefined {
  if (outcome.type === "again") return { code: "network_error" };
  if (outcome.type === "malformed") return { code: "malformed_response" };
  const { error, external_message_id: externalId, async: later } = outcome.answer;
  if (error) return error;
  return externalId || later ? undefined : { code: "malformed_response" };
}

/** An id in the messenger is one message's. */
function takenName(world: World, message: Message, outcome: Outcome): { code: string; message: string } | undefined {
  const id = outcome.type === "taken" ? outcome.answer.external_message_id : undefined;
  const other = id ? world.findMessage(message.channelId, { external_id: id }) : undefined;
  if (!other || other === message) return undefined;
  return { code: "malformed_response", message: `external_message_id ${id} is message ${other.id}'s` };
}

function awaitAck(parts: CourierParts, message: Message): void {
  if (message.status === "sending") parts.accepted(message);
  parts.clock.after(parts.unknowns().ackDeadlineMs, () => {
    if (!message.acked && message.status === "sent") parts.fail(message, "async_send_timeout");
  });
}

/** The module may know better ids of chat and customer by then. */
function learnIds(world: World, message: Message, answer: Answer): void {
  const chat = world.chats.get(message.chatId);
  const customer = chat && world.customers.get(chat.customerId);
  const learn = (known: { externalId: string; otherIds: string[] } | undefined, id: string | undefined) => {
    if (!known || !id || id === known.externalId) return;
    known.otherIds = [...new Set([...known.otherIds, known.externalId])];
    known.externalId = id;
  };
  learn(chat, answer.external_chat_id);
  learn(customer, answer.external_customer_id);
}

async function attempt(parts: CourierParts, channel: SandboxChannel, body: Body, stop: AbortSignal): Promise<Outcome> {
  const module = parts.world.modules.get(channel.moduleCode);
  const url = module?.registration.integrations.mgTransport?.webhookUrl;
  const operation = parts.judge.operation("webhook", "POST", body.type);
  if (!module || !url || !operation) return { type: "malformed" };
  const text = JSON.stringify(body);
  const faults = parts.judge.request(operation, body).map((fault) => `sandbox: ${fault}`);
  const write = writer(parts, operation.id, new URL(url).pathname, body, faults);
  try {
    const plan: Fault = parts.faults.next(operation.id) ?? {};
    if (plan.delayMs) await new Promise((resolve) => setTimeout(resolve, plan.delayMs));
    if (!goesOut(plan)) {
      write(0, "(planned fault)", undefined, "planned fault");
      return { type: "again" };
    }
    const headers = { "content-type": "application/json", clientid: module.registration.clientId };
    const patience = { stop, ms: parts.unknowns().webhookTimeoutMs };
    const { status, answer } = await post({ url, headers, body: text }, patience, plan);
    if (isSpoiled(plan)) {
      write(status, answer, undefined, "planned fault");
      return { type: "again" };
    }
    const again = status >= 500 || status === 429;
    const json = again ? undefined : withoutNulls(parse(answer || "{}"));
    if (!again) faults.push(...parts.judge.answer(operation, status, json).map((fault) => `answer: ${fault}`));
    write(status, answer, json);
    // An answer that got lost on its way: the module has taken the event, the gateway does not know it.
    if (again || plan.drop === "after" || plan.status !== undefined) return { type: "again" };
    const broken = faults.some((fault) => fault.startsWith("answer:"));
    return json === undefined || broken ? { type: "malformed" } : { type: "taken", answer: json as Answer };
  } catch (error) {
    write(0, `(no answer: ${error instanceof Error ? error.name : "?"})`);
    return { type: "again" };
  }
}

interface Patience {
  ms: number;
  stop: AbortSignal;
}

/** Its own timer, since Node 20 loses `AbortSignal.any` over a timeout to the garbage collector. */
async function post(sending: Omit<Sending, "signal">, { ms, stop }: Patience, fault: Fault) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, ms);
  stop.addEventListener("abort", abort);
  try {
    return await send({ ...sending, signal: controller.signal }, fault);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", abort);
  }
}

function writer(
  { calls, clock }: { calls: CallLog; clock: Clock },
  operation: string,
  path: string,
  body: Body,
  faults: string[],
) {
  const at = clock.now();
  return (status: number, answer: string, parsed?: unknown, rule?: string) =>
    calls.add(
      {
        at,
        side: "webhook",
        operation,
        method: "POST",
        path: snippet(path),
        query: {},
        status,
        ms: clock.now() - at,
        faults,
        rule,
        request: body,
        answer: parsed,
      },
      { answer },
    );
}
