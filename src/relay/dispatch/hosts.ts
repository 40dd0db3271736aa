import type { Clock } from "../../domain/clock.ts";
import type { AccountId, ChannelId } from "../../domain/ids.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

/** Whom an account calls: the host of its gateway, and by channel the kind of messenger, which stands for its host. */
export interface Hosts {
  gateway?: string;
  messengers: Map<ChannelId, string>;
  kinds: string[];
}

/** What is known of the hosts of accounts, looked up when it is asked for. */
export interface KnownHosts {
  /** Undefined until it has been learned; what is old is learned again, and believed meanwhile. */
  of(account: AccountId): Hosts | undefined;
  /** Looks up what was asked for and is not known; false when there is nothing. */
  learn(): Promise<boolean>;
  /** Whether something was asked for and is not known. */
  wanting(): boolean;
}

/** How long it is believed, ms: a channel may be added, a gateway moved. What could not be read is read again sooner. */
const BELIEVED_MS = 60_000;
const UNREAD_MS = 5_000;

interface Parts {
  store: Pick<Store, "accounts" | "channels">;
  clock: Clock;
  log: Log;
}

export function createHosts({ store, clock, log }: Parts): KnownHosts {
  const known = new Map<AccountId, { hosts: Hosts; until: number; unread?: true }>();
  const wanted = new Set<AccountId>();
  const look = async (id: AccountId): Promise<Hosts> => {
    const [account, channels] = await Promise.all([store.accounts.byId(id), store.channels.list(id)]);
    const gateway = account && URL.canParse(account.gatewayUrl) ? new URL(account.gatewayUrl).host : undefined;
    const messengers = new Map(channels.map((channel) => [channel.id, channel.kind]));
    return { gateway, messengers, kinds: [...new Set(messengers.values())] };
  };
  const learn = async (id: AccountId) => {
    try {
      known.set(id, { hosts: await look(id), until: clock.now() + BELIEVED_MS });
    } catch (error) {
      // Its work goes on by what was known: one that cannot be read must hold up neither itself nor the others.
      const before = known.get(id);
      if (!before?.unread) log.warn("hosts.not-read", { account: id, error: String(error) });
      const hosts = before?.hosts ?? { messengers: new Map(), kinds: [] };
      known.set(id, { hosts, until: clock.now() + UNREAD_MS, unread: true });
    }
  };
  return {
    of(account) {
      const found = known.get(account);
      if (!found || found.until <= clock.now()) wanted.add(account);
      return found?.hosts;
    },
    wanting: () => wanted.size > 0,
    async learn() {
      const accounts = [...wanted];
      wanted.clear();
      for (const account of accounts) await learn(account);
      return accounts.length > 0;
    },
  };
}
