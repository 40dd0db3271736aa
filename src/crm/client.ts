import type { Call, CallFailure, CallRequest } from "gangway-messenger/call";
import type { z } from "zod";
import { CrmError, readAnswer } from "./verdict.ts";
import {
  type Credentials,
  credentialsBody,
  doneBody,
  editBody,
  moduleBody,
  registrationBody,
  settingsBody,
  systemInfoBody,
  versionsBody,
} from "./wire.ts";

/** The module's registration data (spec: Integration module). */
export interface Registration {
  code: string;
  integrationCode: string;
  active: boolean;
  name: string;
  logo?: string;
  clientId: string;
  baseUrl: string;
  accountUrl: string;
  actions: { activity: string; settings: string };
  integrations: {
    mgTransport: { webhookUrl: string; actions?: { manualTemplatesSync?: string; visits?: string; online?: string } };
  };
}
export interface GatewayBinding {
  /** Ends in `/api/transport/v1`, no trailing slash. */
  gatewayUrl: string;
  gatewayToken: string;
}
export interface ModuleState {
  /** Absent when the CRM does not send it. */
  active?: boolean;
  frozen: boolean;
  gatewayToken?: string;
  gatewayUrl?: string;
}

/** A registration at the CRM: this module's, or another program's under the same code. */
export interface KeptRegistration {
  active?: boolean;
  frozen: boolean;
  /** Where the gateway sends agents' messages. */
  webhookUrl?: string;
  clientId?: string;
  baseUrl?: string;
  gateway: Partial<GatewayBinding>;
  /** The editable fields, as `putBack` takes them. */
  fields: Record<string, unknown>;
}

/** The calls to an account's CRM. Every method throws CrmError. */
export interface Crm {
  versions(): Promise<string[]>;
  credentials(): Promise<Credentials>;
  register(module: Registration): Promise<GatewayBinding>;
  switchOff(module: Omit<Registration, "active">): Promise<void>;
  readModule(code: string): Promise<ModuleState>;
  readRegistration(code: string): Promise<KeptRegistration>;
  /** Registers the module as it was. */
  putBack(code: string, fields: Record<string, unknown>): Promise<void>;
  /** The account's language, as a tag, and its time zone. Needs an extra right, which the key may lack. */
  settings(): Promise<{ language?: string; timeZone?: string }>;
  /** Notifies the account's administrators. Needs an extra right, which the key may lack. */
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
  /** Ends the calls. */
  signal?: AbortSignal;
}

const TIMEOUT_MS = 20_000;
/** Path suffix of every Transport API URL (spec). */
const TRANSPORT_PATH = "/api/transport/v1";

/** Normalizes the endpoint: samples show a bare host, the spec a URL with the path. */
export function transportUrl(endpointUrl: string): string {
  const bare = (/^https?:\/\//i.test(endpointUrl) ? endpointUrl : `https://${endpointUrl}`).replace(/(?<!\/)\/+$/, "");
  return bare.endsWith(TRANSPORT_PATH) ? bare : bare + TRANSPORT_PATH;
}

/** Undefined when this runtime does not know it. */
function timeZoneOf(name: string | undefined): string | undefined {
  try {
    return name && new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

const failed = ({ reason, detail }: CallFailure) =>
  new CrmError(reason === "blocked" ? "blocked" : "unreachable", detail);

const INFO_TIMEOUT_MS = 5_000;

/** Reads a CRM's public system info, without a key. Throws CrmError. */
export async function readSystemInfo(
  call: Call,
  crmUrl: string,
  signal?: AbortSignal,
): Promise<{ publicUrl?: string; technicalUrl?: string }> {
  const headers = { accept: "application/json" };
  const result = await call({
    method: "GET",
    url: `${crmUrl}/api/system-info`,
    headers,
    timeoutMs: INFO_TIMEOUT_MS,
    signal,
  });
  if (result.type === "failure") throw failed(result);
  const { publicUrl, technicalUrl } = readAnswer(result, systemInfoBody);
  return { publicUrl, technicalUrl };
}

export function createCrm({ call, crmUrl, apiKey, signal }: CrmParts): Crm {
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
      signal,
    };
    const result = await call(request);
    if (result.type === "failure") throw failed(result);
    return readAnswer(result, schema, apiKey);
  };
  const moduleAt = (code: string) => `/api/v5/integration-modules/${encodeURIComponent(code)}`;

  const edit = async (module: Registration | ({ code: string } & Record<string, unknown>)) => {
    const form = { integrationModule: JSON.stringify(module) };
    return (await ask(editBody, `${moduleAt(module.code)}/edit`, form)).info?.mgTransport ?? {};
  };
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
    async readRegistration(code) {
      const { integrationModule: kept } = await ask(registrationBody, moduleAt(code));
      const { active, freeze = false, integrations, availableCountries = [], ...fields } = kept;
      const { webhookUrl, actions, token, endpointUrl } = integrations?.mgTransport ?? {};
      return {
        ...{ active, frozen: freeze, webhookUrl, clientId: kept.clientId, baseUrl: kept.baseUrl },
        gateway: { gatewayToken: token, gatewayUrl: endpointUrl && transportUrl(endpointUrl) },
        fields: {
          ...fields,
          ...(availableCountries.length > 0 && { availableCountries }),
          integrations: { mgTransport: { webhookUrl, actions } },
        },
      };
    },
    async putBack(code, fields) {
      await edit({ ...fields, code });
    },
    async settings() {
      const { settings } = await ask(settingsBody, "/api/v5/settings");
      return { language: settings.system_language?.value, timeZone: timeZoneOf(settings.timezone?.value) };
    },
    async notify({ type, message }) {
      const notification = JSON.stringify({ userGroups: ["superadmins"], type, message });
      await ask(doneBody, "/api/v5/notifications/send", { notification });
    },
    async switchOff(module) {
      await edit({ ...module, active: false });
    },
    async register(module) {
      const { endpointUrl, token } = await edit(module);
      if (endpointUrl && token) return { gatewayUrl: transportUrl(endpointUrl), gatewayToken: token };
      // Registered, but the answer lacks the endpoint or token: read them back.
      const state = await readModule(module.code);
      const gatewayUrl = endpointUrl ? transportUrl(endpointUrl) : state.gatewayUrl;
      const gatewayToken = token ?? state.gatewayToken;
      if (!gatewayUrl || !gatewayToken) throw new CrmError("gateway-off");
      return { gatewayUrl, gatewayToken };
    },
  };
}
