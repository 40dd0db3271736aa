import { randomUUID } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { systemClock } from "gangway-messenger/clock";
import type { ChatId } from "gangway-messenger/ids";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import type { SendStep } from "gangway-messenger/plan";
import { emptyStep } from "gangway-messenger/planning";
import { CUSTOMER, createEmulator, SECRET } from "../emulator/emulator.ts";
import http from "../src/index.ts";
import { fullId } from "../src/message-id.ts";
import { openApi } from "../src/openapi.ts";
import { signed } from "../src/signature.ts";

interface Signing {
  method?: "GET" | "POST";
  id?: string;
  secret?: string;
  /** ms. */
  now?: number;
}

export const fresh = () => new AbortController().signal;
export const CHAT = CUSTOMER.id as ChatId;
/** As the house names a message of the customer's chat. */
export const messageId = (id: string) => fullId(CHAT, id);

/** A request as an app signs it. */
export function signedRequest(url: string, body: string | object, given: Signing = {}): Request {
  const { method = "POST", id = randomUUID(), secret = SECRET, now = systemClock.now() } = given;
  const text = method === "GET" ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const headers = { "content-type": "application/json", ...signed([secret], id, text, now) };
  return new Request(url, { method, headers, ...(method === "POST" && { body: text }) });
}

export const step = (more: Partial<SendStep> = {}): SendStep => ({ ...emptyStep("text"), text: "hello", ...more });

type Json = Record<string, unknown>;
type Operation = { requestBody?: Content; responses: Record<string, Content> };
type Content = { content?: Record<string, { schema?: object }> };
const DOCUMENT = openApi() as {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(DOCUMENT as never, "document");

const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

/** What the published document says against a body, in words. */
function faultsIn(content: Content | undefined, body: unknown): string[] {
  const schema = content?.content?.["application/json"]?.schema;
  if (!schema) return content ? [] : ["no such request or answer is documented"];
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, validate);
  if (validate(body)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

const operationAt = (method: string, path: string): Operation | undefined => {
  const [first, second] = path.split("/").filter(Boolean);
  const template = { uploads: second ? "/{door}/uploads/{ticket}" : "/{door}/uploads", files: "/{door}/files/{file}" };
  return DOCUMENT.paths[first ? (template[first as keyof typeof template] ?? "") : "/{door}"]?.[method.toLowerCase()];
};
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Throws when a request that was taken, or an answer, is not as documented. Paths that nothing is at are not judged. */
export async function judge(path: string, request: Request, text: string, answer: Response): Promise<void> {
  const operation = operationAt(request.method, path);
  if (!operation) return;
  const isJson =
    answer.headers.get("content-type")?.startsWith("application/json") === true && !path.startsWith("/files");
  const faults = [
    ...(answer.ok && operation.requestBody && !path.startsWith("/uploads/")
      ? faultsIn(operation.requestBody, jsonOf(text))
      : []),
    ...(isJson ? faultsIn(operation.responses[answer.status], await answer.clone().json()) : []),
  ];
  if (faults.length > 0) throw new Error(`${request.method} ${path} → ${answer.status}: ${faults.join("; ")}`);
}

/** Throws when a callback is not as documented. */
export function judgeCallback(body: string): void {
  const faults = faultsIn(DOCUMENT.webhooks.event?.post.requestBody, JSON.parse(body));
  if (faults.length > 0) throw new Error(`callback: ${faults.join("; ")}`);
}

/** A channel beside an app, both judged by the published document. */
export function besideApp(own: Json = {}) {
  const { settings, open } = besideEmulator(http, createEmulator, own);
  const opened = async () => {
    const all = await open();
    const { session, context } = all;
    const { receive } = session;
    const { call } = context;
    session.receive = async (request, address) => {
      const text = await request.clone().text();
      const receipt = await receive(request, address);
      await judge(new URL(request.url).pathname.split("/").slice(3).join("/"), request, text, receipt.reply);
      return receipt;
    };
    context.call = async (request) => {
      if (request.method === "POST") judgeCallback(String(request.body));
      return call(request);
    };
    await session.connect(fresh());
    return all;
  };
  return { settings, open: opened };
}
