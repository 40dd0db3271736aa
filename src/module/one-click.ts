import { createHmac } from "node:crypto";
import * as z from "zod";
import type { Config } from "../config.ts";
import { WANTED_SCOPES } from "../crm/rights.ts";
import { sameSecret } from "../domain/ids.ts";
import type { Connect } from "./connect.ts";
import type { ConnectFault } from "./key-trial.ts";

/** Connecting from the marketplace in one click: the CRM makes the key and posts it here, signed with the module's secret. */
export interface OneClick {
  /** Absent: no secret is configured, so nobody could prove to be the CRM. */
  scopes?: string[];
  register(form: URLSearchParams): Promise<Registered>;
}
export type Registered =
  | { ok: true; accountUrl: string }
  | { ok: false; fault: ConnectFault | { code: "register-form" | "register-token" } };

export interface OneClickParts {
  config: Pick<Config, "publicUrl" | "module">;
  connect: Connect;
}

const registration = z.object({ token: z.string(), apiKey: z.string(), systemUrl: z.string() });

/** `register` comes as a JSON string or as bracketed fields (domain facts). */
function readRegistration(form: URLSearchParams): z.infer<typeof registration> | undefined {
  const json = form.get("register");
  if (json === null) {
    const bracketed = ["token", "apiKey", "systemUrl"].map((name) => [name, form.get(`register[${name}]`)]);
    return registration.safeParse(Object.fromEntries(bracketed)).data;
  }
  try {
    return registration.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

export function createOneClick({ config, connect }: OneClickParts): OneClick {
  const { secret } = config.module;
  if (!secret) return { register: async () => ({ ok: false, fault: { code: "register-token" } }) };
  return {
    scopes: WANTED_SCOPES,
    async register(form) {
      const given = readRegistration(form);
      if (!given) return { ok: false, fault: { code: "register-form" } };
      const { token, apiKey, systemUrl } = given;
      // The token covers the key only, not the address: `connect` tries the key there before anything is stored.
      const right = createHmac("sha256", secret).update(apiKey).digest("hex");
      if (!sameSecret(token, right)) return { ok: false, fault: { code: "register-token" } };
      const result = await connect({ crmUrl: systemUrl, apiKey, proven: true });
      return result.ok ? { ok: true, accountUrl: `${config.publicUrl}/account` } : result;
    },
  };
}
