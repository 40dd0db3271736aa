import type { Clock } from "gangway-messenger/kit/emulator/clock";
import { isCorrupted, type OutgoingRequest, send } from "gangway-messenger/kit/emulator/corrupted-request";
import { type Fault, isSent } from "gangway-messenger/kit/emulator/faults";
import { type CallLog, snippet } from "../calls.ts";
import { type Bench, parse } from "../exchange.ts";
import { withoutNulls } from "../normalize.ts";
import type { Message, SandboxChannel, World } from "../world.ts";

/** Delivers events to the module, in order within a channel, with retries. */
export interface Courier {
  /** `message`: its status follows the module's answer. */
  send(channel: SandboxChannel, type: string, data: Record<string, unknown>, message?: Message): void;
  /** Calls back with the module's answer; undefined when no valid one came. */
  ask(channel: SandboxChannel, type: string, data: Record<string, unknown>, callback: (answer: unknown) => void): void;
  stop(): void;
}
export interface CourierParts extends Bench {
  world: World;
  /** The message's outcome; `code` is one of the contract's MessageErrorCode. */
  fail(message: Message, code: string, text?: string): void;
  delivered(message: Message): void;
  /** The module accepted the message and will ack it. */
  accepted(message: Message): void;
}

// Short pauses: a module that restarts misses little.
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 2_000;

interface Answer {
  async?: boolean;
  external_message_id?: string;
  external_chat_id?: string;
  external_customer_id?: string;
  error?: { code: string; message: string };
}
type Outcome = { type: "retry" } | { type: "malformed" } | { type: "accepted"; answer: Answer };
type Callback = (outcome: Outcome) => void;

export function createCourier(parts: CourierParts): Courier {
  const queues = new Map<number, Promise<void>>();
  const stopped = new AbortController();
  const queue = (channel: SandboxChannel, type: string, data: Record<string, unknown>, callback: Callback) => {
    const body = { type, meta: { timestamp: Math.floor(parts.clock.now() / 1000) }, data };
    const since = parts.clock.now();
    const before = queues.get(channel.id) ?? Promise.resolve();
    queues.set(
      channel.id,
      before
        .then(() => deliver(parts, channel, { body, since, callback }, stopped.signal))
        .catch((error: unknown) => logBug(parts, body, error)),
    );
  };
  return {
    stop: () => stopped.abort(),
    send: (channel, type, data, message) =>
      queue(channel, type, data, (outcome) => message && settle(parts, message, outcome)),
    ask: (channel, type, data, callback) =>
      queue(channel, type, data, (outcome) => callback(outcome.type === "accepted" ? outcome.answer : undefined)),
  };
}

type Body = { type: string; data: unknown };

/** A bug of the sandbox stops neither it nor the channel's queue; the call log shows it. */
function logBug({ calls, clock }: CourierParts, body: Body, error: unknown): void {
  const fault = `sandbox: ${error instanceof Error ? error.stack : String(error)}`;
  const nothing = { path: "", query: {}, status: 0, ms: 0, answer: undefined };
  const entry = { at: clock.now(), side: "webhook", operation: body.type, method: "POST", ...nothing } as const;
  calls.add({ ...entry, faults: [fault], request: body });
}

interface Delivery {
  body: Body;
  /** When the event happened. Retry time counts from here, queueing included. */
  since: number;
  callback: Callback;
}

async function deliver(
  parts: CourierParts,
  channel: SandboxChannel,
  { body, since, callback }: Delivery,
  stop: AbortSignal,
) {
  let pause = FIRST_PAUSE_MS;
  while (!stop.aborted) {
    const outcome = await attempt(parts, channel, body, stop);
    const over = parts.clock.now() - since >= parts.unknowns().webhookRetryForMs;
    if (stop.aborted) return;
    if (outcome.type !== "retry" || over) return callback(outcome);
    await new Promise<void>((resolve) => parts.clock.after(pause, resolve));
    pause = Math.min(MAX_PAUSE_MS, pause * 2);
  }
}

function settle(parts: CourierParts, message: Message, outcome: Outcome): void {
  // The ack can precede the webhook's answer.
  if (message.acked) return;
  const failed = failureOf(outcome) ?? duplicateId(parts.world, message, outcome);
  if (outcome.type === "accepted") learnIds(parts.world, message, outcome.answer);
  const externalId = outcome.type === "accepted" ? outcome.answer.external_message_id : undefined;
  if (externalId && failed?.code !== "malformed_response") parts.world.setExternalId(message, externalId);
  if (failed) parts.fail(message, failed.code, failed.message);
  else if (outcome.type === "accepted" && outcome.answer.async) awaitAck(parts, message);
  else parts.delivered(message);
}

/** The contract's MessageError, if the webhook's answer fails the message. */
function failureOf(outcome: Outcome): { code: string; message?: string } | undefined {
  if (outcome.type === "retry") return { code: "network_error" };
  if (outcome.type === "malformed") return { code: "malformed_response" };
  const { error, external_message_id: externalId, async: later } = outcome.answer;
  if (error) return error;
  return externalId || later ? undefined : { code: "malformed_response" };
}

/** A messenger id belongs to one message. */
function duplicateId(world: World, message: Message, outcome: Outcome): { code: string; message: string } | undefined {
  const id = outcome.type === "accepted" ? outcome.answer.external_message_id : undefined;
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

/** The answer may carry better ids of chat and customer. */
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
  const asText = parts.unknowns().webhookData === "text";
  const text = JSON.stringify(asText ? { ...body, data: JSON.stringify(body.data) } : body);
  const faults = parts.judge.request(operation, body).map((fault) => `sandbox: ${fault}`);
  const write = writer(parts, operation.id, new URL(url).pathname, body, faults);
  try {
    const plan: Fault = parts.faults.next(operation.id) ?? {};
    if (plan.delayMs) await new Promise((resolve) => setTimeout(resolve, plan.delayMs));
    if (!isSent(plan)) {
      write(0, "(planned fault)", undefined, "planned fault");
      return { type: "retry" };
    }
    const headers = { "content-type": "application/json", clientid: module.registration.clientId };
    const patience = { stop, ms: parts.unknowns().webhookTimeoutMs };
    const { status, answer } = await post({ url, headers, body: text }, patience, plan);
    if (isCorrupted(plan)) {
      write(status, answer, undefined, "planned fault");
      return { type: "retry" };
    }
    const again = status >= 500 || status === 429;
    const json = again ? undefined : withoutNulls(parse(answer || "{}"));
    if (!again) faults.push(...parts.judge.answer(operation, status, json).map((fault) => `answer: ${fault}`));
    write(status, answer, json);
    // A lost answer: the module has the event, the gateway does not know.
    if (again || plan.drop === "after" || plan.status !== undefined) return { type: "retry" };
    const broken = faults.some((fault) => fault.startsWith("answer:"));
    return json === undefined || broken ? { type: "malformed" } : { type: "accepted", answer: json as Answer };
  } catch (error) {
    write(0, `(no answer: ${error instanceof Error ? error.name : "?"})`);
    return { type: "retry" };
  }
}

interface Limits {
  ms: number;
  stop: AbortSignal;
}

/** Own timer: Node may garbage-collect an `AbortSignal.any` over a timeout. */
async function post(request: Omit<OutgoingRequest, "signal">, { ms, stop }: Limits, fault: Fault) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, ms);
  stop.addEventListener("abort", abort);
  try {
    return await send({ ...request, signal: controller.signal }, fault);
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
