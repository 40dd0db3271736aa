import type { Call } from "gangway-messenger/call";
import { singleFlight } from "gangway-messenger/concurrency";
import { fingerprint, newSecret } from "gangway-messenger/ids";
import type { Config } from "../../config.ts";
import { createCrm } from "../../crm/client.ts";
import { CrmError } from "../../crm/verdict.ts";
import type { Account } from "../../domain/account.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Log } from "../../log.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";
import { type Entered, type Refused, refusedAt, type TryKey } from "./key-trial.ts";
import { createLocate, type Whereabouts } from "./whereabouts.ts";

export type Connected = { ok: true; account: Account; isNew: boolean } | Refused;

/** Callbacks the CRM may use if a messenger supports them: template sync, customers' visits to the shop's site. */
export interface OfferedCallbacks {
  templates?: boolean;
  siteVisits?: boolean;
}

/** Connects an account. Reconnecting keeps the account, its client id and its channels. */
export type Connect = (entered: Entered) => Promise<Connected>;

export interface ConnectParts {
  config: Pick<Config, "sandbox" | "publicUrl" | "crmHosts" | "module">;
  call: Call;
  store: Pick<Store, "accounts" | "serial">;
  log: Log;
  tryKey: TryKey;
  offers?: OfferedCallbacks;
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
    const once = () =>
      parts.store.serial(at.crmUrl, async () => bind(parts, at, tried.apiKey, await knownAt(parts, at)));
    return refusedAt(tried.crmUrl, parts.log, once);
  };
}

type KnownParts = { store: Pick<Store, "accounts"> };

/** Finds the account by its public or technical address, current or earlier. */
export async function knownAt(
  { store }: KnownParts,
  { crmUrl, technicalUrl }: Whereabouts,
): Promise<Account | undefined> {
  const { byCrmUrl, byTechnicalUrl } = store.accounts;
  const here = (await byCrmUrl(crmUrl)) ?? (await byTechnicalUrl(crmUrl));
  return here || !technicalUrl ? here : ((await byTechnicalUrl(technicalUrl)) ?? byCrmUrl(technicalUrl));
}

/** `known`: the existing account that is being reconnected. */
async function bind(parts: ConnectParts, at: Whereabouts, apiKey: string, known?: Account): Promise<Connected> {
  const { crmUrl } = at;
  const crm = createCrm({ call: parts.call, crmUrl, apiKey });
  // Replace secrets that no longer decrypt.
  const clientId = ifOpens(() => known?.clientId) ?? newSecret();
  const webhookSecret = ifOpens(() => known?.webhookSecret) ?? newSecret();
  const module = registration(parts.config, { clientId, webhookSecret }, parts.offers);
  const gateway = await crm.register({ ...module, active: true });
  // A CRM that reports no technical address has not moved.
  const where = known && !at.technicalUrl ? { crmUrl: known.crmUrl, technicalUrl: known.technicalUrl } : at;
  const { account, other } = await withToken(parts, gateway, known, () =>
    parts.store.accounts.bind(
      { ...where, id: known?.id, apiKey, clientId, webhookSecret, ...gateway, registered: actionsOf(module) },
      { actor: "account user", action: known ? "account connected again" : "account connected" },
    ),
  );
  // The other account's CRM accepts the key, so both are one: register again with its client id.
  if (other && !known && (await takesKey(parts, other, apiKey))) return bind(parts, at, apiKey, other);
  if (!account) {
    parts.log.warn("account.not-connected", { crm: crmUrl, reason: "connected-elsewhere", account: other.id });
    return { ok: false, fault: { code: "connected-elsewhere" }, crmUrl };
  }
  parts.log.info("account.connected", { account: account.id, crm: crmUrl, again: known !== undefined });
  await parts.connected(account);
  return { ok: true, account, isNew: known === undefined };
}

type Bound<T> = { account: T; other?: undefined } | { account?: undefined; other: Account };

/**
 * Runs `act`, which stores a gateway token in an account, unless another account holds it. The gateway limits by token,
 * we by account: two accounts would exceed the limit. An account that already shares its token keeps it.
 */
export async function withToken<T>(
  { store }: Pick<ConnectParts, "store">,
  { gatewayUrl, gatewayToken }: Pick<Account, "gatewayUrl" | "gatewayToken">,
  known: Account | undefined,
  act: () => Promise<T>,
): Promise<Bound<T>> {
  const tokenOf = (account: Account | undefined) => ifOpens(() => account?.gatewayToken);
  return store.serial(`token ${fingerprint(gatewayToken)}`, async () => {
    const all = tokenOf(known) === gatewayToken ? [] : await store.accounts.list();
    const other = all.find(
      (each) => each.id !== known?.id && each.gatewayUrl === gatewayUrl && tokenOf(each) === gatewayToken,
    );
    return other ? { other } : { account: await act() };
  });
}

/** Whether the account's own CRM accepts the key: knowing a gateway token must not give access to the account. */
async function takesKey({ call }: ConnectParts, { crmUrl }: Account, apiKey: string): Promise<boolean> {
  try {
    await createCrm({ call, crmUrl, apiKey }).credentials();
    return true;
  } catch (error) {
    if (error instanceof CrmError) return false;
    throw error;
  }
}

/** The module's registration, as the CRM stores it for an account. */
export const registration = (
  config: Pick<Config, "module" | "publicUrl">,
  { clientId, webhookSecret }: Pick<Account, "clientId" | "webhookSecret">,
  { templates, siteVisits }: OfferedCallbacks = {},
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
      ...((templates || siteVisits) && {
        actions: {
          ...(templates && { manualTemplatesSync: "/actions/manual-templates-sync" }),
          ...(siteVisits && { visits: "/actions/visits", online: "/actions/online" }),
        },
      }),
    },
  },
});

/** Serializes a registration's actions for the account's row. */
export const actionsOf = ({ actions, integrations }: ReturnType<typeof registration>): string =>
  JSON.stringify({ ...actions, ...integrations.mgTransport.actions });

type AgainParts = Pick<ConnectParts, "config" | "call" | "log" | "offers"> & {
  store: { accounts: Pick<Store["accounts"], "setRegistered"> };
};

/** Registers again if the module's actions changed. Only for an active module: registering switches it on. */
export const createRegisterAgain =
  ({ config, call, store, log, offers }: AgainParts) =>
  async (account: Account): Promise<void> => {
    const { id, crmUrl, apiKey } = account;
    const module = registration(config, account, offers);
    const registered = actionsOf(module);
    if (account.registered === registered) return;
    try {
      await createCrm({ call, crmUrl, apiKey }).register({ ...module, active: true });
      await store.accounts.setRegistered(id, registered);
      log.info("account.registered-again", { account: id });
    } catch (error) {
      if (!(error instanceof CrmError)) throw error;
      log.warn("account.not-registered-again", { account: id, reason: error.reason });
    }
  };

type RenewalParts = Pick<ConnectParts, "config" | "call" | "store" | "log">;

/** Fetches a new gateway token from the CRM (spec: Authentication); undefined if the CRM has no other token. */
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
    const { gatewayUrl } = account;
    const { other } = await withToken(parts, { gatewayUrl, gatewayToken }, account, () =>
      parts.store.accounts.setGatewayToken(accountId, gatewayToken),
    );
    if (other) {
      parts.log.warn("account.token-not-renewed", { account: accountId, reason: `account ${other.id} has it` });
      return undefined;
    }
    parts.log.info("account.token-renewed", { account: accountId });
    return gatewayToken;
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    parts.log.warn("account.token-not-renewed", { account: accountId, reason: error.reason });
    return undefined;
  }
}
