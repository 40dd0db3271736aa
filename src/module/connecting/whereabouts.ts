import type { Call } from "gangway-messenger/call";
import { type Clock, pause } from "gangway-messenger/clock";
import type { Config } from "../../config.ts";
import { readSystemInfo } from "../../crm/client.ts";
import { CrmError } from "../../crm/verdict.ts";
import type { Account } from "../../domain/account.ts";
import type { Log } from "../../log.ts";
import { byCrm } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";
import { readAddress } from "./address.ts";

/** An account's addresses. Users know the public one, which may change; the technical one is permanent. */
export interface Whereabouts {
  crmUrl: string;
  /** Present only if both addresses name each other. */
  technicalUrl?: string;
}
/** Resolves an address to the account's addresses, without a key; an unanswering address stands for itself. */
export type Locate = (address: string) => Promise<Whereabouts>;

interface LocateParts {
  call: Call;
  config: Pick<Config, "crmHosts" | "sandbox">;
}

/**
 * An address's claim about another counts only if the other confirms it: otherwise a host could impersonate an account
 * and receive its key.
 */
export function createLocate({ call, config }: LocateParts): Locate {
  const allowed = (address: string | undefined) => {
    const read = readAddress(address ?? "", { hosts: config.crmHosts, sandbox: config.sandbox });
    return read.ok ? read.origin : undefined;
  };
  const ask = async (address: string) => {
    try {
      const { publicUrl, technicalUrl } = await readSystemInfo(call, address);
      return { publicUrl: allowed(publicUrl), technicalUrl: allowed(technicalUrl) };
    } catch (error) {
      if (error instanceof CrmError) return {};
      throw error;
    }
  };
  return async (address) => {
    const first = await ask(address);
    const { publicUrl = address, technicalUrl } = first;
    if (!technicalUrl) return { crmUrl: address };
    const isPublic = publicUrl === address || (await ask(publicUrl)).technicalUrl === technicalUrl;
    const crmUrl = isPublic ? publicUrl : address;
    const atTechnical = technicalUrl === address ? first : await ask(technicalUrl);
    return { crmUrl, technicalUrl: atTechnical.publicUrl === crmUrl ? technicalUrl : undefined };
  };
}

/** Moves an account to the new address from the CRM's callback, once both of its addresses confirm the move. */
export type Follow = (account: Account, address: string) => Promise<void>;

interface FollowParts extends LocateParts {
  store: Pick<Store, "accounts">;
  clock: Clock;
  log: Log;
}

/** How long the callback waits for the move, ms. */
const CALLBACK_MS = 5_000;

export function createFollow({ call, config, store, clock, log }: FollowParts): Follow {
  const locate = createLocate({ call, config });
  const move = async (account: Account, to: string) => {
    const known = account.technicalUrl ?? (await locate(account.crmUrl)).technicalUrl;
    const { crmUrl, technicalUrl } = await locate(to);
    const isProven = known !== undefined && technicalUrl === known && crmUrl === to;
    const moved = isProven && (await store.accounts.move(account.id, { crmUrl, technicalUrl }, byCrm("account moved")));
    if (moved) log.info("account.moved", { account: account.id, from: account.crmUrl, to });
    else log.warn("account.not-moved", { account: account.id, from: account.crmUrl, to });
  };
  return async (account, address) => {
    const read = readAddress(address, { hosts: config.crmHosts, sandbox: config.sandbox });
    if (!read.ok || read.origin === account.crmUrl) return;
    await Promise.race([move(account, read.origin), pause(clock, CALLBACK_MS)]);
  };
}
