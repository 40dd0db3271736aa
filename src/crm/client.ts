import type { z } from "zod";
import { type Answer, answerText, type Call, type CallRequest } from "../domain/call.ts";
import { type Credentials, credentialsBody, doneBody, editBody, errorBody, moduleBody, versionsBody } from "./wire.ts";

export type CrmFault =
  | "not-a-crm"
  | "unreachable"
  | "blocked"
  | "wrong-key"
  | "no-account"
  | "no-access"
  | "unpaid"
  | "gateway-off"
  | "busy"
  | "refused";

/** The CRM did not do as asked. `detail` is the CRM's own words, cleaned; never a key. */
export class CrmError extends Error {
  readonly reason: CrmFault;
  readonly detail: string;
  constructor(reason: CrmFault, detail = "") {
    super(detail ? `CRM: ${reason} (${detail})` : `CRM: ${reason}`);
    this.name = "CrmError";
    this.reason = reason;
    this.detail = detail;
  }
}

/** The CRM itself has not spoken: nobody answered, or something between us and it did. It may the next time. */
export const isAway = ({ reason }: CrmError): boolean => ["unreachable", "busy", "not-a-crm"].includes(reason);

/** What the module tells the CRM of itself (spec: Integration module). */
export interface Registration {
  code: string;
  integrationCode: string;
  active: boolean;
  name: string;
  logo?: string;
  clientId: string;
  baseUrl: string;
  accountUrl: string;
  actions: { activity: string };
  integrations: { mgTransport: { webhookUrl: string } };
}
export interface GatewayBinding {
  /** Ends in `/api/transport/v1`, no trailing slash. */
  gatewayUrl: string;
  gatewayToken: string;
}
export interface ModuleState {
  /** Absent where the CRM does not say. */
  active?: boolean;
  frozen: boolean;
  gatewayToken?: string;
  gatewayUrl?: string;
}

/** The calls a module makes to its account's CRM. Every method throws CrmError. */
export interface Crm {
  versions(): Promise<string[]>;
  credentials(): Promise<Credentials>;
  register(module: Registration): Promise<GatewayBinding>;
  readModule(code: string): Promise<ModuleState>;
  /** Tells the account's administrators. Needs a right of its own, which an account may not have given. */
  notify(notification: Notification): Promise<void>;
}
export interface Notification {
  type: "api.error" | "api.info";
  message: string;
}

export interface CrmParts {
  call: Call;
  /** Origin of the account, no trailing slash. */
  crmUrl: string;
  apiKey: string;
}

const TIMEOUT_MS = 20_000;
/** The part of the path every transport address ends in (spec). */
const TRANSPORT_PATH = "/api/transport/v1";
const DETAIL_LENGTH = 300;

/** Rights a key needs (scopes), and what stands for them in keys that are older than scopes. */
const SCOPES = ["integration_read", "integration_write"];
const oldRights = (code: string) => [`/api/integration-modules/${code}`, `/api/integration-modules/${code}/edit`];

/** The rights this key lacks, by the CRM's own names. */
export function missingRights({ scopes = [], credentials = [] }: Credentials, code: string): string[] {
  if (scopes.length > 0) return SCOPES.filter((right) => !scopes.includes(right));
  const given = credentials.map((path) => path.replace("{code}", code));
  return oldRights(code).every((path) => given.includes(path)) ? [] : SCOPES;
}

export const supportsVersion5 = (versions: string[]): boolean => versions.some((version) => /^5(\.|$)/.test(version));

/** Samples show a bare host, the spec an address with the path: both are made one. */
export function transportUrl(endpointUrl: string): string {
  const bare = (/^https?:\/\//i.test(endpointUrl) ? endpointUrl : `https://${endpointUrl}`).replace(/(?<!\/)\/+$/, "");
  return bare.endsWith(TRANSPORT_PATH) ? bare : bare + TRANSPORT_PATH;
}

export function createCrm({ call, crmUrl, apiKey }: CrmParts): Crm {
  const ask = async <Schema extends z.ZodType>(schema: Schema, path: string, form?: Record<string, string>) => {
    const request: CallRequest = {
      method: form ? "POST" : "GET",
      url: crmUrl + path,
      headers: {
        accept: "application/json",
        "x-api-key": apiKey,
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      },
      body: form && new URLSearchParams(form).toString(),
      timeoutMs: TIMEOUT_MS,
    };
    const result = await call(request);
    if (result.type === "failure")
      throw new CrmError(result.reason === "blocked" ? "blocked" : "unreachable", result.detail);
    return readAnswer(result, schema, apiKey);
  };
  const moduleAt = (code: string) => `/api/v5/integration-modules/${encodeURIComponent(code)}`;

  const readModule = async (code: string): Promise<ModuleState> => {
    const { integrationModule } = await ask(moduleBody, moduleAt(code));
    const { mgTransport } = integrationModule.integrations ?? {};
    return {
      active: integrationModule.active,
      frozen: integrationModule.freeze ?? false,
      gatewayToken: mgTransport?.token,
      gatewayUrl: mgTransport?.endpointUrl && transportUrl(mgTransport.endpointUrl),
    };
  };

  return {
    versions: async () => (await ask(versionsBody, "/api/api-versions")).versions ?? [],
    credentials: () => ask(credentialsBody, "/api/credentials"),
    readModule,
    async notify({ type, message }) {
      const notification = JSON.stringify({ userGroups: ["superadmins"], type, message });
      await ask(doneBody, "/api/v5/notifications/send", { notification });
    },
    async register(module) {
      const form = { integrationModule: JSON.stringify(module) };
      const { info } = await ask(editBody, `${moduleAt(module.code)}/edit`, form);
      const { endpointUrl, token } = info?.mgTransport ?? {};
      if (endpointUrl && token) return { gatewayUrl: transportUrl(endpointUrl), gatewayToken: token };
      // Registered, but the answer did not say where the gateway is: it may be told on asking.
      const state = await readModule(module.code);
      const gatewayUrl = endpointUrl ? transportUrl(endpointUrl) : state.gatewayUrl;
      const gatewayToken = token ?? state.gatewayToken;
      if (!gatewayUrl || !gatewayToken) throw new CrmError("gateway-off");
      return { gatewayUrl, gatewayToken };
    },
  };
}

function readAnswer<Schema extends z.ZodType>(answer: Answer, schema: Schema, apiKey: string): z.infer<Schema> {
  let body: unknown;
  try {
    body = JSON.parse(answerText(answer));
  } catch {
    throw absence(answer.status, "") ?? new CrmError("not-a-crm");
  }
  const read = schema.safeParse(body);
  if (answer.status >= 200 && answer.status < 300 && read.success) return read.data;
  throw refusal(answer.status, body, apiKey);
}

/** What the status alone tells, whoever said it. */
function absence(status: number, detail: string): CrmError | undefined {
  if (status === 429 || status === 503) return new CrmError("busy", detail);
  if (status >= 500) return new CrmError("unreachable", detail || `status ${status}`);
  return undefined;
}

/** Only a body in the CRM's own shape refuses; any other is a page of something between us and it. */
function refusal(status: number, body: unknown, apiKey: string): CrmError {
  const read = errorBody.safeParse(body);
  const said = read.success ? read.data : {};
  const words = said.errorMsg ?? "";
  if (status < 500 && (!read.success || (said.success !== false && !words)))
    return absence(status, "") ?? new CrmError("not-a-crm");
  const fields = Object.values(said.errors ?? {}).filter((value) => typeof value === "string");
  const detail = [words, ...fields]
    .join("; ")
    .replaceAll(apiKey, "***")
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, DETAIL_LENGTH);
  const known = absence(status, detail);
  if (known) return known;
  if (status === 402) return new CrmError("unpaid", detail);
  if (/apiKey/i.test(words) || status === 401) return new CrmError("wrong-key", detail);
  if (/account does not exist/i.test(words)) return new CrmError("no-account", detail);
  if (status === 403 || /access denied/i.test(words)) return new CrmError("no-access", detail);
  return new CrmError(/gateway|chat|activate module/i.test(detail) ? "gateway-off" : "refused", detail);
}
