import { createHmac } from "node:crypto";
import { sameSecret } from "gangway-messenger/ids";
import * as z from "zod";
import type { Config } from "../../config.ts";
import { WANTED_SCOPES } from "../../crm/rights.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";
import { readAddress } from "./address.ts";
import type { Connect } from "./connect.ts";
import type { MayGuess } from "./guesses.ts";
import type { ConnectFault } from "./key-trial.ts";
import type { Locate } from "./whereabouts.ts";

/** Connecting from the marketplace in one click: the CRM makes the key and posts it here, signed with our secret. */
export interface OneClick {
  /** Absent if no module secret is configured: requests could not be authenticated. */
  scopes?: string[];
  /** `from`: the client's address. */
  register(form: URLSearchParams, from: string): Promise<Registered>;
}
export type Registered =
  | { ok: true; accountUrl: string }
  | { ok: false; fault: ConnectFault | { code: "register-form" | "register-token" | "register-elsewhere" } };

export interface OneClickParts {
  config: Pick<Config, "publicUrl" | "module" | "crmHosts" | "sandbox">;
  store: Pick<Store, "accounts">;
  locate: Locate;
  mayGuess: MayGuess;
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

export function createOneClick(parts: OneClickParts): OneClick {
  const { config, connect } = parts;
  const { secret } = config.module;
  if (!secret) return { register: async () => ({ ok: false, fault: { code: "register-token" } }) };
  return {
    scopes: WANTED_SCOPES,
    async register(form, from) {
      const given = readRegistration(form);
      if (!given) return { ok: false, fault: { code: "register-form" } };
      const { token, apiKey, systemUrl } = given;
      const right = createHmac("sha256", secret).update(apiKey).digest("hex");
      if (!sameSecret(token, right)) return { ok: false, fault: { code: "register-token" } };
      // Count every request: even a replay costs calls.
      if (!(await parts.mayGuess(from, systemUrl))) return { ok: false, fault: { code: "too-many" } };
      // The token signs only the key: replayed with another address, it would send the key to that address.
      if (await isElsewhere(parts, apiKey, systemUrl)) return { ok: false, fault: { code: "register-elsewhere" } };
      const result = await connect({ crmUrl: systemUrl, apiKey });
      return result.ok ? { ok: true, accountUrl: `${config.publicUrl}/account` } : result;
    },
  };
}

/** Whether the key belongs to an account at another address. Sends the key nowhere. */
async function isElsewhere(
  { config, store, locate }: OneClickParts,
  apiKey: string,
  systemUrl: string,
): Promise<boolean> {
  const address = readAddress(systemUrl, { hosts: config.crmHosts, sandbox: config.sandbox });
  if (!address.ok) return false;
  const all = await store.accounts.list();
  const owners = all.filter((account) => sameSecret(ifOpens(() => account.apiKey) ?? "", apiKey));
  const isHere = (origin: string | undefined) =>
    origin !== undefined && owners.some(({ crmUrl, technicalUrl }) => origin === crmUrl || origin === technicalUrl);
  if (owners.length === 0 || isHere(address.origin)) return false;
  // The account may have moved to a new address.
  return !isHere((await locate(address.origin)).technicalUrl);
}
