import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import type { Config } from "../../config.ts";
import { readSystemInfo } from "../../crm/client.ts";
import { CrmError, isCrm } from "../../crm/verdict.ts";
import type { Right } from "../../domain/account.ts";
import { readAddress } from "./address.ts";
import { createGuessLimit } from "./guesses.ts";
import type { ConnectFault, TryKey } from "./key-trial.ts";

/** Result of checking a connect form before it is submitted. */
export interface Checked {
  /** The CRM's address, if a CRM answers there. */
  crmUrl?: string;
  /** The first fault found. */
  fault?: ConnectFault;
  /** Present only if the CRM knows the key. */
  rights?: Right[];
}

/**
 * Checks the connect form while the user fills it in; an empty key is not checked. Stores nothing and changes nothing
 * at the CRM. The key is sent only to an address that has answered as a CRM.
 */
export type CheckForm = (
  form: { crmUrl: string; apiKey: string; from: string },
  signal?: AbortSignal,
) => Promise<Checked>;

export interface FormCheckParts {
  config: Pick<Config, "sandbox" | "crmHosts">;
  call: Call;
  clock: Clock;
  tryKey: TryKey;
}

export function createFormCheck({ config, call, clock, tryKey }: FormCheckParts): CheckForm {
  // Keeps strangers from scanning for CRMs. Separate from the key limit, so that keys do not wait for probes.
  const mayProbe = createGuessLimit(clock);
  const probe = async (crmUrl: string, signal?: AbortSignal): Promise<ConnectFault | undefined> => {
    try {
      await readSystemInfo(call, crmUrl, signal);
    } catch (error) {
      if (!(error instanceof CrmError)) throw error;
      // A CRM too old for this endpoint refuses in a CRM's response format.
      if (!isCrm(error)) return { code: error.reason, detail: error.detail };
    }
    return undefined;
  };
  return async ({ crmUrl, apiKey, from }, signal) => {
    const address = readAddress(crmUrl, { hosts: config.crmHosts, sandbox: config.sandbox });
    if (!address.ok) return { fault: { code: address.fault } };
    if (!(await mayProbe(from, address.origin, signal))) return { fault: { code: "too-many" } };
    const fault = await probe(address.origin, signal);
    if (fault) return { fault };
    const known = { crmUrl: address.origin };
    if (apiKey.trim() === "") return known;
    const tried = await tryKey({ crmUrl: address.origin, apiKey, from }, signal);
    if (tried.ok) return { ...known, rights: tried.rights };
    return { ...known, fault: tried.fault, ...("rights" in tried.fault && { rights: tried.fault.rights }) };
  };
}
