import type { Answer, Call, CallRequest } from "gangway-messenger/call";
import { answerText } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import type { Features } from "gangway-messenger/features";
import { type ChatId, type CustomerId, type MessengerMessageId, newSecret } from "gangway-messenger/ids";
import { type Crm, createCrm, type Registration } from "../../crm/client.ts";
import type { GatewayChannelId } from "../../domain/ids.ts";
import { createGateway, type Gateway } from "../../gateway/client.ts";
import { createPermits, type Permits } from "../../gateway/limiter.ts";
import { emptyAnswers } from "../../gateway/sending.ts";
import { writeJson } from "../../gateway/wire.ts";
import { createListener, type Listener, type Received } from "./listener.ts";
import { createTrace, jsonOf, type Trace } from "./trace.ts";
import type { Seen, Unknown } from "./unknowns.ts";

/** The permits' account key. */
const ACCOUNT = "probe";
/** Below the CRM's limit of ten requests per second and key. */
const CRM_PER_SECOND = 8;
export const MODULE_NAME = "Gangway probe";
/** Prefix of all external ids that a probe makes. */
export const PREFIX = "gangway-probe-";
export const MIB = 1024 ** 2;

/** Features of the probe's channel: everything in the contract, so that nothing is refused as unannounced. */
export const FEATURES: Features = {
  type: "custom",
  text: {
    ...{ creating: "both", editing: "both", quoting: "both", deleting: "both", reaction: "both", maxLength: 65_535 },
    formats: ["bold", "italic", "underline", "strikethrough", "code", "pre", "link"],
  },
  file: { creating: "both", deleting: "both", maxCount: 20, maxSize: 20 * MIB, maxNote: 64_000 },
  delivered: "both",
  read: "both",
  firstContact: "text",
  afterReplyTimeout: "no",
  templates: { creation: true },
};

export type Chat = "A" | "B";

/** The person who runs the probe, and may act in the CRM. */
export interface Person {
  tell(line: string): void;
  /** Resolves with the answer; undefined if nobody answers within `ms`. */
  ask(question: string, ms: number): Promise<string | undefined>;
}

export interface StageParts {
  call: Call;
  clock: Clock;
  person: Person;
  signal: AbortSignal;
  crmUrl: string;
  apiKey: string;
  code: string;
  /** Code of the published module that the probe poses as. */
  integrationCode: string;
  listen: { port: number; host: string; publicUrl?: string };
  /** How long a person may take for one act, and how long repeats and deadlines are watched, ms. */
  personMs: number;
  limitMs: number;
}

/** The environment that the steps act on. */
export interface Stage extends Pick<StageParts, "clock" | "person" | "signal" | "personMs" | "limitMs"> {
  trace: Trace;
  listener: Listener;
  crm: Crm;
  /** Calls the CRM within its rate limit. */
  askCrm: Call;
  gateway: Gateway;
  permits: Permits;
  module: Registration;
  channel: { id?: GatewayChannelId; externalId: string };
  /** Texts that the probe made itself: only these appear in the trace. */
  own: Set<string>;
  secrets: string[];
  /** The CRM's origin and key, the gateway's URL and token. */
  access: { crmUrl: string; apiKey: string; gatewayUrl: string; gatewayToken: string };
  seen: Map<Unknown, Seen>;
  also: { about: string; seen: string }[];
  /** Chats that agents can see. */
  opened: Set<Chat>;
  /** Whether the CRM was asked to register the module. */
  isRegistered(): boolean;
  registering(): void;
}

export async function openStage(parts: StageParts): Promise<Stage> {
  const { clock, person, signal, personMs, limitMs, crmUrl, apiKey } = parts;
  const trace = createTrace(parts.call, clock);
  const [secret, clientId, run] = [newSecret(), newSecret(), newSecret().slice(0, 8)];
  const own = new Set<string>([MODULE_NAME, parts.code, parts.integrationCode]);
  const heard = ({ kind, body, data, ...one }: Received, status: number, ms: number) =>
    trace.add({
      from: kind === "webhook" ? "gateway" : "crm",
      what: kind === "webhook" ? `webhook ${body.type}` : `${one.method} ${kind}`,
      ...{ status, ms: Math.round(ms) },
      asked: kind === "webhook" ? { ...body, data } : body,
    });
  const listener = await createListener({ ...parts.listen, clock, secret, clientId, heard });
  const baseUrl = parts.listen.publicUrl ?? `http://127.0.0.1:${listener.port}`;
  const access = { crmUrl, apiKey, gatewayUrl: "", gatewayToken: "" };
  const permits = createPermits(clock);
  const crmPermits = createPermits(clock, undefined, CRM_PER_SECOND);
  const askCrm: Call = (request) => crmPermits.run(ACCOUNT, "message", () => trace.call(request), request.signal);
  let asked = false;
  return {
    ...{ clock, person, signal, personMs, limitMs, trace, listener, own, access, permits },
    ...{ askCrm, crm: createCrm({ call: askCrm, crmUrl, apiKey, signal }) },
    gateway: createGateway({
      ...{ call: trace.call, clock, permits, account: ACCOUNT, isDone: emptyAnswers() },
      access: { url: () => access.gatewayUrl, token: () => access.gatewayToken, renew: async () => undefined },
    }),
    module: {
      ...{
        code: parts.code,
        integrationCode: parts.integrationCode,
        active: true,
        name: MODULE_NAME,
        clientId,
        baseUrl,
      },
      accountUrl: `${baseUrl}/account/${secret}`,
      actions: { activity: "/activity", settings: "/settings" },
      integrations: { mgTransport: { webhookUrl: `${baseUrl}/webhook/${secret}` } },
    },
    channel: { externalId: `${PREFIX}${run}` },
    secrets: [secret, clientId, apiKey, new URL(crmUrl).host, new URL(baseUrl).host],
    isRegistered: () => asked,
    registering: () => {
      asked = true;
    },
    seen: new Map(),
    also: [],
    opened: new Set(),
  };
}

/** Registers the module; may be repeated. */
export async function register({ crm, module, access, secrets, registering }: Stage): Promise<void> {
  registering();
  Object.assign(access, await crm.register(module));
  secrets.push(access.gatewayToken, new URL(access.gatewayUrl).host);
}

export const channelOf = ({ channel }: Stage): GatewayChannelId => {
  if (channel.id === undefined) throw new Error("the channel is not open");
  return channel.id;
};

/** The raw response, even if the client took it for a failure; undefined if none came. */
export async function answerTo({ trace }: Stage, act: Promise<unknown>): Promise<Answer | undefined> {
  trace.forget();
  await act.catch(() => {});
  return trace.newest();
}

/** A call that the client does not offer. Undefined: no response. */
export async function askGateway(
  stage: Stage,
  method: CallRequest["method"],
  path: string,
  body?: unknown,
): Promise<Answer | undefined> {
  const { access, trace, signal, permits } = stage;
  const headers = { accept: "application/json", "x-transport-token": access.gatewayToken };
  const sent = body !== undefined && {
    headers: { ...headers, "content-type": "application/json" },
    body: writeJson(body),
  };
  const request = { method, url: access.gatewayUrl + path, headers, timeoutMs: CALL_MS, signal, ...sent };
  const result = await permits.run(ACCOUNT, "message", () => trace.call(request), signal);
  return result.type === "answer" ? result : undefined;
}

/** A call to the CRM that the client does not offer. The body is a form or JSON. */
export async function askCrm(
  stage: Stage,
  path: string,
  sent?: { type: string; body: string },
): Promise<Answer | undefined> {
  const { access, signal } = stage;
  const headers = {
    accept: "application/json",
    "x-api-key": access.apiKey,
    ...(sent && { "content-type": sent.type }),
  };
  const method = sent ? "POST" : "GET";
  const result = await stage.askCrm({
    ...{ method, url: access.crmUrl + path, headers, body: sent?.body, timeoutMs: CALL_MS, signal },
  });
  return result.type === "answer" ? result : undefined;
}

/** Deadline of a call, ms. */
const CALL_MS = 30_000;

export const isTaken = (answer: Answer | undefined): boolean =>
  answer !== undefined && answer.status >= 200 && answer.status < 300;
export const bodyOf = (answer: Answer | undefined): Record<string, unknown> =>
  Object(answer && jsonOf(answerText(answer)));

/**
 * Whether a response shows how the other side behaves: it accepted the call, or refused it in the contract's format.
 * Proxies' pages, rate limits, failures and responses after an interruption show nothing.
 */
export function isEvidence(answer: Answer | undefined, { aborted }: AbortSignal): answer is Answer {
  if (!answer || aborted || /^\s*</.test(answerText(answer))) return false;
  return isTaken(answer) || ([400, 422].includes(answer.status) && isRefusal(answer));
}
/** Whether the response has an error body of the contract. */
export const isRefusal = (answer: Answer | undefined): boolean => {
  const { errors, errorMsg } = bodyOf(answer);
  return errors !== undefined || errorMsg !== undefined;
};

const CHATS: Record<Chat, string> = { A: "Gangway probe A", B: "Gangway probe B" };
const nameOf = (chat: Chat): string => CHATS[chat];

/** An event written by one of the probe's customers. */
export function eventOf({ channel, own, clock }: Stage, chat: Chat, id: string, text: string) {
  const externalChat = `${channel.externalId}-${chat}`;
  for (const each of [text, text.trim(), externalChat, id, nameOf(chat)]) own.add(each);
  return {
    type: "message" as const,
    key: id,
    originator: "customer" as const,
    chat: externalChat as ChatId,
    customer: { id: externalChat as CustomerId, nickname: nameOf(chat) },
    messengerMessageId: id as MessengerMessageId,
    at: clock.now(),
    content: { type: "text" as const, text },
  };
}

export async function say(stage: Stage, chat: Chat, id: string, text: string): Promise<Answer | undefined> {
  const { gateway, signal, opened } = stage;
  const sent = gateway.sendMessage(channelOf(stage), { event: eventOf(stage, chat, id, text), files: [] }, signal);
  const answer = await answerTo(stage, sent);
  if (isTaken(answer)) opened.add(chat);
  return answer;
}

/** Whether a message was sent, accepted or not. */
export const hasSaid = ({ own }: Stage): boolean => Object.values(CHATS).some((name) => own.has(name));

/** Makes the chats visible to agents. Throws if one cannot be opened. */
export async function openChats(stage: Stage, ...chats: Chat[]): Promise<void> {
  for (const chat of chats) {
    if (stage.opened.has(chat)) continue;
    const answer = await say(stage, chat, `open-${chat}`, `The Gangway probe's chat ${chat}`);
    if (!isTaken(answer)) throw new Error(`the chat ${chat} could not be opened: ${outcomeOf(answer)}`);
  }
}

export const outcomeOf = (answer: Answer | undefined): string => (answer ? `status ${answer.status}` : "no answer");

/** Asks a person to write in the CRM, and waits for the message. */
export async function written(stage: Stage, chat: Chat, text: string, how = "write"): Promise<Received | undefined> {
  const { person, listener, personMs, signal, own } = stage;
  await openChats(stage, chat);
  own.add(text);
  const from = listener.received.length;
  const isIt = newIn(stage, chat);
  const coming = listener.next(isIt, personMs, signal, from);
  person.tell(`In the CRM, in the chat "${nameOf(chat)}", ${how}: ${text}`);
  const message = await coming;
  if (!message && !signal.aborted) person.tell("Nothing came: this stays unseen.");
  return message;
}

/** Matches messages that come from now on, but not late repeats of earlier ones. */
export function newIn(stage: Stage, chat: Chat): (one: Received) => boolean {
  const known = new Set(stage.listener.received.map(idOf));
  return (one) => isMessageIn(stage, chat, one) && !known.has(idOf(one));
}
export const idOf = ({ data }: Received): string => String(data.id);

export const isMessageIn = ({ channel }: Stage, chat: Chat, { body, data }: Received): boolean =>
  body.type === "message_sent" && data.external_chat_id === `${channel.externalId}-${chat}`;
