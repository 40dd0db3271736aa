import type { Config } from "../config.ts";
import { createCrm } from "../crm/client.ts";
import { CrmError } from "../crm/verdict.ts";
import type { Account } from "../domain/account.ts";
import type { Call } from "../domain/call.ts";
import { singleFlight } from "../domain/concurrency.ts";
import { type AccountId, newSecret } from "../domain/ids.ts";
import type { Log } from "../log.ts";
import { ifOpens } from "../store/secrets.ts";
import type { Store } from "../store/store.ts";
import { type Entered, type Refused, refusedAt, type TryKey } from "./key-trial.ts";
import { createLocate, type Whereabouts } from "./whereabouts.ts";

export type Connected = { ok: true; account: Account; isNew: boolean } | Refused;

/** Connects an account. Reconnecting keeps the account, its client id and its channels. */
export type Connect = (entered: Entered) => Promise<Connected>;

export interface ConnectParts {
  config: Pick<Config, "sandbox" | "publicUrl" | "crmHosts" | "module">;
  call: Call;
  store: Pick<Store, "accounts" | "serial">;
  log: Log;
  tryKey: TryKey;
  /** Whether a messenger has templates: then the CRM offers to synchronise them. */
  hasTemplates?: boolean;
  /** Called after the binding is saved. */
  connected(account: Account): Promise<void>;
}

export function createConnect(parts: ConnectParts): Connect {
  const locate = createLocate(parts);
  return async (entered) => {
    const tried = await parts.tryKey(entered);
    if (!tried.ok) return tried;
    const at = await locate(tried.crmUrl);
    // A double submit must not make two accounts.
    const once = () => parts.store.serial(at.crmUrl, () => bind(parts, at, tried.apiKey));
    return refusedAt(tried.crmUrl, parts.log, once);
  };
}

/** The account at this address, be it public or technical, or at an earlier one. */
async function knownAt({ store }: ConnectParts, { crmUrl, technicalUrl }: Whereabouts): Promise<Account | undefined> {
  const { byCrmUrl, byTechnicalUrl } = store.accounts;
  const here = (await byCrmUrl(crmUrl)) ?? (await byTechnicalUrl(crmUrl));
  return here || !technicalUrl ? here : ((await byTechnicalUrl(technicalUrl)) ?? byCrmUrl(technicalUrl));
}

async function bind(parts: ConnectParts, at: Whereabouts, apiKey: string): Promise<Connected> {
  const known = await knownAt(parts, at);
  const { crmUrl } = at;
  const crm = createCrm({ call: parts.call, crmUrl, apiKey });
  // Replace secrets that no longer decrypt.
  const clientId = ifOpens(() => known?.clientId) ?? newSecret();
  const webhookSecret = ifOpens(() => known?.webhookSecret) ?? newSecret();
  const module = registration(parts.config, { clientId, webhookSecret }, parts.hasTemplates);
  const gateway = await crm.register({ ...module, active: true });
  // What says nothing now has not moved.
  const where = known && !at.technicalUrl ? { crmUrl: known.crmUrl, technicalUrl: known.technicalUrl } : at;
  const account = await parts.store.accounts.bind(
    { ...where, id: known?.id, apiKey, clientId, webhookSecret, ...gateway },
    { actor: "account user", action: known ? "account connected again" : "account connected" },
  );
  parts.log.info("account.connected", { account: account.id, crm: crmUrl, again: known !== undefined });
  await parts.connected(account);
  return { ok: true, account, isNew: known === undefined };
}

/** What the CRM keeps about the module in an account. */
export const registration = (
  config: Pick<Config, "module" | "publicUrl">,
  { clientId, webhookSecret }: Pick<Account, "clientId" | "webhookSecret">,
  hasTemplates = false,
) => ({
  code: config.module.code,
  integrationCode: config.module.code,
  name: config.module.name,
  logo: config.module.logoUrl,
  clientId,
  baseUrl: config.publicUrl,
  accountUrl: `${config.publicUrl}/account`,
  actions: { activity: "/actions/activity", settings: "/actions/settings" },
  integrations: {
    mgTransport: {
      webhookUrl: `${config.publicUrl}/gateway/${webhookSecret}`,
      ...(hasTemplates && { actions: { manualTemplatesSync: "/actions/manual-templates-sync" } }),
    },
  },
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
