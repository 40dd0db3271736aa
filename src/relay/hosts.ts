import type { Clock } from "../domain/clock.ts";
import type { AccountId, ChannelId } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";

/** Whom an account calls: the host of its gateway, and by channel the kind of messenger, which stands for its host. */
export interface Hosts {
  gateway?: string;
  messengers: Map<ChannelId, string>;
}

/** What is known of the hosts of accounts, looked up when it is asked for. */
export interface KnownHosts {
  /** Undefined until it has been learned; what is old is learned again, and believed meanwhile. */
  of(account: AccountId): Hosts | undefined;
  /** Looks up what was asked for and is not known; false when there is nothing. */
  learn(): Promise<boolean>;
}

/** How long it is believed, ms: a channel may be added, a gateway moved. */
const BELIEVED_MS = 60_000;

export function createHosts(store: Pick<Store, "accounts" | "channels">, clock: Clock): KnownHosts {
  const known = new Map<AccountId, { hosts: Hosts; until: number }>();
  const wanted = new Set<AccountId>();
  const look = async (id: AccountId) => {
    const [account, channels] = await Promise.all([store.accounts.byId(id), store.channels.list(id)]);
    const gateway = account && URL.canParse(account.gatewayUrl) ? new URL(account.gatewayUrl).host : undefined;
    const messengers = new Map(channels.map((channel) => [channel.id, channel.kind]));
    known.set(id, { hosts: { gateway, messengers }, until: clock.now() + BELIEVED_MS });
  };
  return {
    of(account) {
      const found = known.get(account);
      if (!found || found.until <= clock.now()) wanted.add(account);
      return found?.hosts;
    },
    async learn() {
      const accounts = [...wanted];
      wanted.clear();
      for (const account of accounts) await look(account);
      return accounts.length > 0;
    },
  };
}
