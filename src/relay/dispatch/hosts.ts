import type { Clock } from "../../domain/clock.ts";
import type { AccountId, ChannelId } from "../../domain/ids.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

/** The hosts an account calls: its gateway's, and for each channel the kind of messenger, which stands for its host. */
export interface Hosts {
  gateway?: string;
  messengers: Map<ChannelId, string>;
  kinds: string[];
}

/** A cache of accounts' hosts, loaded on demand. */
export interface KnownHosts {
  /** Undefined until loaded; an expired entry is returned and reloaded. */
  of(account: AccountId): Hosts | undefined;
  /** Loads what was requested; false if there was nothing to load. */
  load(): Promise<boolean>;
  hasPending(): boolean;
}

/** How long an entry is valid, ms, since channels and gateways change; and one that could not be read. */
const TTL_MS = 60_000;
const RETRY_MS = 5_000;

interface Parts {
  store: Pick<Store, "accounts" | "channels">;
  clock: Clock;
  log: Log;
}

export function createHosts({ store, clock, log }: Parts): KnownHosts {
  const cache = new Map<AccountId, { hosts: Hosts; until: number; failed?: true }>();
  const pending = new Set<AccountId>();
  const lookUp = async (id: AccountId): Promise<Hosts> => {
    const [account, channels] = await Promise.all([store.accounts.byId(id), store.channels.list(id)]);
    const gateway = account && URL.canParse(account.gatewayUrl) ? new URL(account.gatewayUrl).host : undefined;
    const messengers = new Map(channels.map((channel) => [channel.id, channel.kind]));
    return { gateway, messengers, kinds: [...new Set(messengers.values())] };
  };
  const load = async (id: AccountId) => {
    try {
      cache.set(id, { hosts: await lookUp(id), until: clock.now() + TTL_MS });
    } catch (error) {
      // Keep the old entry: an unreadable account must not block itself or others.
      const previous = cache.get(id);
      if (!previous?.failed) log.warn("hosts.not-read", { account: id, error: String(error) });
      const hosts = previous?.hosts ?? { messengers: new Map(), kinds: [] };
      cache.set(id, { hosts, until: clock.now() + RETRY_MS, failed: true });
    }
  };
  return {
    of(account) {
      const found = cache.get(account);
      if (!found || found.until <= clock.now()) pending.add(account);
      return found?.hosts;
    },
    hasPending: () => pending.size > 0,
    async load() {
      const accounts = [...pending];
      pending.clear();
      for (const account of accounts) await load(account);
      return accounts.length > 0;
    },
  };
}
