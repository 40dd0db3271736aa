import type { FormerAccount } from "gangway-messenger/former";
import { fingerprint, newSecret } from "gangway-messenger/ids";
import { createCrm, type KeptRegistration, transportUrl } from "../../crm/client.ts";
import { CrmError } from "../../crm/verdict.ts";
import type { Account } from "../../domain/account.ts";
import { INBOUND_PATIENCE_MS } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import { actionsOf, knownAt, registration, withToken } from "../connecting/connect.ts";
import { type Arriving, announceAt, lookAt, type Origin, refusalOf, store, subscribe } from "./logins.ts";
import type { MovingParts } from "./parts.ts";
import { hostsOf, importing, readImported } from "./records.ts";
import { type AccountReport, AGAIN, faultInWords, isPerhapsDone, outcomeOf, Refused } from "./reports.ts";

/** The state of an account at all systems before the move changes anything. */
interface Arrival {
  /** May not be stored yet. */
  account: Account;
  isStored: boolean;
  kept: KeptRegistration;
  /** Whether the CRM already has this server's registration. */
  isRegistered: boolean;
  origin: Origin;
  logins: Arriving[];
}

export interface Moving {
  former: FormerAccount;
  /** Whether another row has the same CRM. */
  isTwin: boolean;
  /** Name of the former module, which also determines the messenger. */
  from: string;
  adapter: Origin["adapter"];
  /** Only look; change nothing. */
  dryRun: boolean;
}

/**
 * Moves an account here with its client id and channels. Every step is idempotent, so after a crash the next run
 * resumes. Stores first, then updates the CRM and the gateway, and the messenger last.
 */
export async function arrive(parts: MovingParts, moving: Moving): Promise<AccountReport> {
  const report: AccountReport = { crm: moving.former.crmUrl, outcome: "imported", changes: [], logins: [] };
  try {
    const arrival = await look(parts, moving);
    report.logins = arrival.logins.map((login) => login.report);
    if (arrival.isStored) report.account = arrival.account.id;
    if (keepsAccountBack(arrival, report)) return report;
    if (moving.dryRun) planChanges(arrival, report);
    else await carryOut(parts, arrival, report);
    const isIdle = report.changes.length === 0 && arrival.isStored;
    if (isIdle) report.outcome = "already here";
    if (report.logins.some(({ outcome }) => outcome === "not finished")) report.outcome = "not finished";
    return report;
  } catch (error) {
    return { ...report, ...outcomeOf(error) };
  }
}

/**
 * Whether a login that cannot move keeps the whole account: the CRM sends all agents' messages to one module, so a
 * login left behind would get none. Not once the CRM sends here: then each further login helps.
 */
function keepsAccountBack({ isRegistered, logins }: Arrival, report: AccountReport): boolean {
  const outcome = (["refused", "not finished"] as const).find((each) =>
    logins.some((login) => login.report.outcome === each),
  );
  if (isRegistered || !outcome) return false;
  const todo = outcome === "refused" ? "nothing was changed: do what is said of the login, then import again" : AGAIN;
  Object.assign(report, { outcome, why: "a login of it cannot move now, so all of it stays where it is", todo });
  for (const { report: login } of logins)
    if (login.outcome === "imported") Object.assign(login, { outcome, why: "it stays with its account" });
  return true;
}

async function look(parts: MovingParts, { former, isTwin, from, adapter }: Moving): Promise<Arrival> {
  const { config, store } = parts;
  const { clientId } = former;
  if (!/^[\x21-\x7e]{1,255}$/.test(clientId))
    throw new Refused("its client id is missing or unfit for a header", "have the merchant connect by the form");
  const tried = await parts.tryKey({ crmUrl: former.crmUrl, apiKey: former.apiKey });
  if (!tried.ok) throw refused(tried.fault);
  const { crmUrl, apiKey } = tried;
  const kept = await registrationAt(parts, { crmUrl, apiKey, clientId });
  if (isTwin && kept.clientId === undefined)
    throw new Refused(
      "another account in the database has the same CRM, which does not say whose the module is",
      "remove the one that is not in use there",
    );
  const known = await store.accounts.byClientId(clientId);
  const where = known ?? (await parts.locate(crmUrl));
  if (!known) await assertUnknown(parts, where);
  const gatewayUrl = kept.gateway.gatewayUrl ?? (former.gatewayUrl && transportUrl(former.gatewayUrl));
  const gatewayToken = kept.gateway.gatewayToken ?? former.gatewayToken;
  if (!gatewayUrl || !gatewayToken)
    throw new Refused("neither its CRM nor its row names the gateway", "have the merchant connect by the form");
  const state = { active: kept.active ?? true, frozen: kept.frozen };
  const account: Account = known
    ? { ...known, ...state }
    : {
        // Not stored, so it has no id yet; this one matches no account.
        id: `import ${fingerprint(clientId)}` as AccountId,
        ...{ crmUrl: where.crmUrl, technicalUrl: where.technicalUrl, apiKey, clientId },
        ...{ webhookSecret: newSecret(), gatewayUrl, gatewayToken, ...state },
      };
  const origin = { from, adapter, hosts: await formerHosts(parts, known, kept) };
  const logins: Arriving[] = [];
  for (const login of former.logins) logins.push(await lookAt(parts, origin, account, login, known !== undefined));
  const isRegistered = known !== undefined && kept.webhookUrl === webhookOf(parts, known);
  if (kept.webhookUrl?.startsWith(`${config.publicUrl}/`) && !isRegistered)
    throw new Refused("its CRM has a registration of this server that is not in this database", "look at DATABASE_URL");
  return { account, isStored: known !== undefined, kept, isRegistered, origin, logins };
}

/** Throws CrmError; Refused if the registration belongs to another module or lacks a webhook address. */
export async function registrationAt(
  { call, config }: MovingParts,
  { crmUrl, apiKey, clientId }: Pick<Account, "crmUrl" | "apiKey" | "clientId">,
): Promise<KeptRegistration> {
  const { code } = config.module;
  const asked = createCrm({ call, crmUrl, apiKey }).readRegistration(code);
  const kept = await asked.catch((error) => {
    if (!(error instanceof CrmError) || error.reason !== "refused") throw error;
    throw new Refused(
      `its CRM has no module with the code ${code}`,
      "set MODULE_CODE to the code of the former module, with which it has registered",
    );
  });
  if (kept.clientId !== undefined && kept.clientId !== clientId)
    throw new Refused(
      `the module ${code} in its CRM belongs to another client id`,
      "set MODULE_CODE to the code of the former module; if it is, the merchant has connected anew since",
    );
  if (!kept.webhookUrl)
    throw new Refused(
      "its CRM does not say where the module is now, so it could not be given back",
      "ask the CRM's support",
    );
  return kept;
}

async function assertUnknown(parts: MovingParts, where: Pick<Account, "crmUrl" | "technicalUrl">): Promise<void> {
  const other = await knownAt(parts, where);
  if (other)
    throw new Refused(
      `this CRM has connected here by itself (account ${other.id})`,
      "disconnect and erase that account, or leave it as it is",
    );
}

const refused = (fault: Parameters<typeof faultInWords>[0]) => {
  const { why, todo } = faultInWords(fault);
  return new Refused(why, todo);
};

/** For a stored account reads the import record: the CRM's registration may be ours by now. */
async function formerHosts(parts: MovingParts, known: Account | undefined, kept: KeptRegistration): Promise<string[]> {
  if (!known) return hostsOf(kept.fields);
  const imported = await readImported(parts.store, known.id, known.clientId);
  return imported ? hostsOf(imported.fields) : [];
}

const moduleOf = ({ config, offers }: MovingParts, account: Account) => registration(config, account, offers);
const webhookOf = (parts: MovingParts, account: Account): string =>
  moduleOf(parts, account).integrations.mgTransport.webhookUrl;

function planChanges({ isStored, isRegistered, logins }: Arrival, { changes }: AccountReport): void {
  if (!isStored) changes.push("the account is stored");
  if (!isRegistered) changes.push("the CRM registers this server");
  for (const { found, report } of logins) {
    if (!found) continue;
    if (found.dead === undefined)
      changes.push(`${report.name}: the gateway's channel is updated, the messenger sends here`);
    else Object.assign(report, deadReport(found.dead));
  }
}

const deadReport = (why: string) => ({
  outcome: "stopped" as const,
  why,
  todo: "the merchant enters new credentials on the account's page: the channel stays the same",
});

async function carryOut(parts: MovingParts, arrival: Arrival, report: AccountReport): Promise<void> {
  const { origin, logins } = arrival;
  const account = await storedAccount(parts, arrival, report);
  report.account = account.id;
  for (const login of logins) {
    if (!login.found) continue;
    login.channel = await store(parts, origin, account, login.found);
    if (login.found.dead !== undefined) Object.assign(login.report, deadReport(login.found.dead));
    report.changes.push(`${login.report.name}: stored`);
  }
  if (!arrival.isRegistered) await register(parts, account, arrival, report);
  for (const login of logins) await tell(login, () => announceAt(parts, account, login.channel as never), report);
  for (const login of logins) await open(parts, account, origin, login, report);
}

/** Stores the account together with its former registration, unless it is stored already. */
async function storedAccount(
  parts: MovingParts,
  { account: found, isStored, kept, origin }: Arrival,
  { changes }: AccountReport,
): Promise<Account> {
  const { accounts } = parts.store;
  const { active, frozen } = found;
  const isSame =
    isStored && (await accounts.byId(found.id).then((now) => now?.active === active && now.frozen === frozen));
  if (isSame) return found;
  let account = found;
  if (!isStored) {
    const { id: _, active: __, frozen: ___, ...binding } = found;
    const by = importing(origin.from, kept.fields, found.clientId);
    const registered = actionsOf(moduleOf(parts, found));
    // Serialize: the merchant may submit the connect form at the same time.
    const bound = await parts.store.serial(found.crmUrl, async () => {
      await assertUnknown(parts, found);
      return withToken(parts, found, undefined, () => accounts.bind({ ...binding, registered }, by));
    });
    if (!bound.account) throw refused({ code: "connected-elsewhere" });
    account = bound.account;
    changes.push("the account is stored");
  }
  await accounts.setActivity(account.id, { active, frozen }, INBOUND_PATIENCE_MS);
  return { ...account, active, frozen };
}

/** Points the CRM's webhook here. If the CRM refuses, erases what this run stored: the former module stays in use. */
async function register(
  parts: MovingParts,
  account: Account,
  { isStored }: Arrival,
  report: AccountReport,
): Promise<void> {
  const { id, crmUrl, apiKey, active } = account;
  const crm = createCrm({ call: parts.call, crmUrl, apiKey });
  const module = moduleOf(parts, account);
  try {
    if (!active) await crm.switchOff(module);
    else {
      const { gatewayToken } = await crm.register({ ...module, active: true });
      if (gatewayToken !== account.gatewayToken) await parts.store.accounts.setGatewayToken(id, gatewayToken);
    }
  } catch (error) {
    const isRefused = error instanceof CrmError && !isPerhapsDone(error);
    if (isRefused && !isStored) await forget(parts, id);
    throw error;
  }
  report.changes.push("the CRM has registered this server");
}

/** Switches an account off and erases it. False if something switches it on again meanwhile. */
export async function forget({ store }: MovingParts, id: AccountId, action = "account not imported"): Promise<boolean> {
  await store.accounts.setActivity(id, { active: false, frozen: false }, INBOUND_PATIENCE_MS);
  return (await store.erasure.account(id, { actor: "operator", action })) !== undefined;
}

async function tell(login: Arriving, act: () => Promise<boolean>, { changes }: AccountReport): Promise<void> {
  if (!login.channel) return;
  try {
    if (await act()) changes.push(`${login.report.name}: the gateway's channel is updated`);
  } catch (error) {
    Object.assign(login.report, refusalOf(error));
  }
}

async function open(
  parts: MovingParts,
  account: Account,
  { hosts }: Origin,
  login: Arriving,
  { changes }: AccountReport,
): Promise<void> {
  const { channel, report } = login;
  // Leave a channel that the gateway does not know yet to the next run.
  if (!channel || report.outcome === "not finished" || report.outcome === "refused") return;
  try {
    const { outcome, ...reason } = await subscribe(parts, account, hosts, channel);
    if (outcome === "imported") changes.push(`${report.name}: the messenger sends here`);
    if (report.outcome === "stopped") return;
    Object.assign(report, reason, { outcome: login.found && outcome === "already here" ? "imported" : outcome });
  } catch (error) {
    const { why, todo } = refusalOf(error);
    Object.assign(report, { outcome: error instanceof Refused ? "refused" : "not finished", why, todo });
  }
}
