import type { Config } from "../config.ts";
import { type Crm, createCrm } from "../crm/client.ts";
import { missingRights, supportsVersion5 } from "../crm/rights.ts";
import { CrmError, type CrmFault } from "../crm/verdict.ts";
import type { Account } from "../domain/account.ts";
import type { Call } from "../domain/call.ts";
import type { Clock } from "../domain/clock.ts";
import { serialByKey, singleFlight } from "../domain/concurrency.ts";
import { type AccountId, newSecret, sameSecret } from "../domain/ids.ts";
import type { Log } from "../log.ts";
import { ifOpens } from "../store/secrets.ts";
import type { Store } from "../store/store.ts";
import { readAddress } from "./address.ts";
import { createGuessLimit } from "./guesses.ts";
import { createLocate, type Whereabouts } from "./whereabouts.ts";

/** Why connecting failed; the form has a sentence for each. */
export type ConnectFault =
  | { code: "address-form" | "address-host" | "key-missing" | "too-many" | "version" }
  | { code: "rights"; missing: string[] }
  | { code: CrmFault; detail: string };
export type Connected = { ok: true; account: Account; isNew: boolean } | { ok: false; fault: ConnectFault };

/** Connects an account. Reconnecting keeps the account, its client id and its channels. */
export type Connect = (form: ConnectForm) => Promise<Connected>;
type ConnectForm = {
  crmUrl: string;
  apiKey: string;
} & (
  | { /** Client address, for the rate limit. */ from: string }
  /** The CRM vouches for the key, so it is no guess. */
  | { proven: true }
);

export interface ConnectParts {
  config: Pick<Config, "sandbox" | "publicUrl" | "crmHosts" | "module">;
  call: Call;
  store: Pick<Store, "accounts">;
  clock: Clock;
  log: Log;
  /** Called after the binding is saved. */
  connected(account: Account): Promise<void>;
}

const MAX_KEY_LENGTH = 100;

export function createConnect(parts: ConnectParts): Connect {
  // A double submit must not make two accounts.
  const serial = serialByKey();
  const mayGuess = createGuessLimit(parts.clock);
  const locate = createLocate(parts);
  return async (form) => {
    const address = readAddress(form.crmUrl, { hosts: parts.config.crmHosts, sandbox: parts.config.sandbox });
    if (!address.ok) return { ok: false, fault: { code: address.fault } };
    const apiKey = form.apiKey.trim();
    if (!apiKey || apiKey.length > MAX_KEY_LENGTH || /[^\x21-\x7e]/.test(apiKey))
      return { ok: false, fault: { code: "key-missing" } };
    const typed = address.origin;
    const isGuess = "from" in form && !(await isStoredKey(parts, typed, apiKey));
    if (isGuess && !(await mayGuess(form.from, typed))) return { ok: false, fault: { code: "too-many" } };
    return asFault(parts, typed, async () => {
      const fault = await check(createCrm({ call: parts.call, crmUrl: typed, apiKey }), parts.config.module.code);
      if (fault) return { ok: false, fault };
      const at = await locate(typed);
      return serial(at.crmUrl, () => bind(parts, at, apiKey));
    });
  };
}

/** The stored key of a connected account is no guess and bypasses the limit. */
async function isStoredKey({ store }: ConnectParts, crmUrl: string, apiKey: string): Promise<boolean> {
  const known = await store.accounts.byCrmUrl(crmUrl);
  const stored = ifOpens(() => known?.apiKey);
  return stored !== undefined && sameSecret(stored, apiKey);
}

/** The account at this address, or at an earlier one. */
async function knownAt({ store }: ConnectParts, { crmUrl, technicalUrl }: Whereabouts): Promise<Account | undefined> {
  const { byCrmUrl, byTechnicalUrl } = store.accounts;
  const here = await byCrmUrl(crmUrl);
  return here || !technicalUrl ? here : ((await byTechnicalUrl(technicalUrl)) ?? byCrmUrl(technicalUrl));
}

async function bind(parts: ConnectParts, at: Whereabouts, apiKey: string): Promise<Connected> {
  const known = await knownAt(parts, at);
  const { crmUrl } = at;
  const crm = createCrm({ call: parts.call, crmUrl, apiKey });
  // Replace secrets that no longer decrypt.
  const clientId = ifOpens(() => known?.clientId) ?? newSecret();
  const webhookSecret = ifOpens(() => known?.webhookSecret) ?? newSecret();
  const gateway = await crm.register({ ...registration(parts.config, { clientId, webhookSecret }), active: true });
  const account = await parts.store.accounts.bind(
    { ...at, id: known?.id, apiKey, clientId, webhookSecret, ...gateway },
    { actor: "account user", action: known ? "account connected again" : "account connected" },
  );
  parts.log.info("account.connected", { account: account.id, crm: crmUrl, again: known !== undefined });
  await parts.connected(account);
  return { ok: true, account, isNew: known === undefined };
}

async function asFault({ log }: ConnectParts, crmUrl: string, connect: () => Promise<Connected>): Promise<Connected> {
  try {
    return await connect();
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    log.warn("account.not-connected", { crm: crmUrl, reason: error.reason, detail: error.detail });
    return { ok: false, fault: { code: error.reason, detail: error.detail } };
  }
}

/** Key, version and rights, in that order (spec: registration flow, step 5). */
async function check(crm: Crm, code: string): Promise<ConnectFault | undefined> {
  if (!supportsVersion5(await crm.versions())) return { code: "version" };
  const missing = missingRights(await crm.credentials(), code);
  return missing.length > 0 ? { code: "rights", missing } : undefined;
}

/** What the CRM keeps about the module in an account. */
export const registration = (
  config: Pick<Config, "module" | "publicUrl">,
  { clientId, webhookSecret }: Pick<Account, "clientId" | "webhookSecret">,
) => ({
  code: config.module.code,
  integrationCode: config.module.code,
  name: config.module.name,
  logo: config.module.logoUrl,
  clientId,
  baseUrl: config.publicUrl,
  accountUrl: `${config.publicUrl}/account`,
  actions: { activity: "/actions/activity", settings: "/actions/settings" },
  integrations: { mgTransport: { webhookUrl: `${config.publicUrl}/gateway/${webhookSecret}` } },
});

type RenewalParts = Pick<ConnectParts, "config" | "call" | "store" | "log">;

/** Fetches a new gateway token from the CRM (spec: Authentication); undefined when it has no other. */
export function createTokenRenewal(parts: RenewalParts) {
  const once = singleFlight<string | undefined>();
  return (accountId: AccountId, dead: string): Promise<string | undefined> =>
    once(`${accountId} ${dead}`, () => renew(parts, accountId, dead));
}

async function renew(parts: RenewalParts, accountId: AccountId, dead: string): Promise<string | undefined> {
  const account = await parts.store.accounts.byId(accountId);
  if (!account) return undefined;
  if (account.gatewayToken !== dead) return account.gatewayToken;
  try {
    const crm = createCrm({ call: parts.call, crmUrl: account.crmUrl, apiKey: account.apiKey });
    const { gatewayToken } = await crm.readModule(parts.config.module.code);
    if (!gatewayToken || gatewayToken === dead) return undefined;
    await parts.store.accounts.setGatewayToken(accountId, gatewayToken);
    parts.log.info("account.token-renewed", { account: accountId });
    return gatewayToken;
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    parts.log.warn("account.token-not-renewed", { account: accountId, reason: error.reason });
    return undefined;
  }
}
