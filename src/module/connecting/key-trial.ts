import type { Call } from "gangway-messenger/call";
import { sameSecret } from "gangway-messenger/ids";
import type { Config } from "../../config.ts";
import { type Crm, createCrm } from "../../crm/client.ts";
import { rightsOf, supportsVersion5 } from "../../crm/rights.ts";
import { CrmError, type CrmFault, isCrm } from "../../crm/verdict.ts";
import type { Right } from "../../domain/account.ts";
import type { Log } from "../../log.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";
import { readAddress } from "./address.ts";
import type { MayGuess } from "./guesses.ts";

/** Why connecting failed; the form has a sentence for each. */
export type ConnectFault =
  | { code: "address-form" | "address-host" | "key-missing" | "too-many" | "version" | "connected-elsewhere" }
  | { code: "rights"; missing: string[]; rights: Right[] }
  | { code: CrmFault; detail: string };

/** Address and key, from the connect form or from the CRM's one-click request. */
export interface Entered {
  crmUrl: string;
  apiKey: string;
  /** Client address, for the guess limit; absent if the attempt has been counted already. */
  from?: string;
}

/** `crmUrl`: the address, if a CRM answered there. */
export type Refused = { ok: false; fault: ConnectFault; crmUrl?: string };
export type Tried = { ok: true; crmUrl: string; apiKey: string; rights: Right[] } | Refused;

/**
 * Checks the address syntax, then the key, the CRM's version and the key's rights at the CRM. Stores nothing and
 * changes nothing there. All callers share one instance, and so one limit.
 */
export type TryKey = (entered: Entered, signal?: AbortSignal) => Promise<Tried>;

export interface KeyTrialParts {
  config: Pick<Config, "sandbox" | "crmHosts" | "module">;
  call: Call;
  store: Pick<Store, "accounts">;
  mayGuess: MayGuess;
  log: Log;
}

const MAX_KEY_LENGTH = 100;

export function createKeyTrial(parts: KeyTrialParts): TryKey {
  const { config, call, log } = parts;
  const { mayGuess } = parts;
  return async (entered, signal) => {
    const address = readAddress(entered.crmUrl, { hosts: config.crmHosts, sandbox: config.sandbox });
    if (!address.ok) return { ok: false, fault: { code: address.fault } };
    const apiKey = entered.apiKey.trim();
    if (!apiKey || apiKey.length > MAX_KEY_LENGTH || /[^\x21-\x7e]/.test(apiKey))
      return { ok: false, fault: { code: "key-missing" } };
    const crmUrl = address.origin;
    const { from } = entered;
    const isGuess = from !== undefined && !(await isStoredKey(parts, crmUrl, apiKey));
    if (isGuess && !(await mayGuess(from, crmUrl, signal))) return { ok: false, fault: { code: "too-many" } };
    return refusedAt(crmUrl, log, async () => {
      const { fault, rights } = await check(createCrm({ call, crmUrl, apiKey, signal }), config.module.code);
      return fault ? { ok: false, fault, crmUrl } : { ok: true, crmUrl, apiKey, rights };
    });
  };
}

/** A connected account's stored key is no guess and bypasses the limit. */
async function isStoredKey({ store }: KeyTrialParts, crmUrl: string, apiKey: string): Promise<boolean> {
  const known = (await store.accounts.byCrmUrl(crmUrl)) ?? (await store.accounts.byTechnicalUrl(crmUrl));
  const stored = ifOpens(() => known?.apiKey);
  return stored !== undefined && sameSecret(stored, apiKey);
}

/** Turns a failed call to the CRM into a fault. */
export async function refusedAt<T>(crmUrl: string, log: Log, act: () => Promise<T>): Promise<T | Refused> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    const { reason, detail } = error;
    log.warn("account.not-connected", { crm: crmUrl, reason, detail });
    return { ok: false, fault: { code: reason, detail }, ...(isCrm(error) && { crmUrl }) };
  }
}

/** Key, version and rights, in that order (spec: registration flow, step 5). */
async function check(crm: Crm, code: string): Promise<{ fault?: ConnectFault; rights: Right[] }> {
  if (!supportsVersion5(await crm.versions())) return { fault: { code: "version" }, rights: [] };
  const rights = rightsOf(await crm.credentials(), code);
  const missing = rights.filter(({ given, required }) => required && !given).map(({ scope }) => scope);
  return { fault: missing.length > 0 ? { code: "rights", missing, rights } : undefined, rights };
}
